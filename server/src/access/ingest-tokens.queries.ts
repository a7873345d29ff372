import { type Kysely, sql } from 'kysely'
import { type Reader, type Statement, statement } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import type { StoredValue } from '../secrets/token-format.ts'
import { accountMay, accountMayText } from '../teams/roles.queries.ts'

/** The objects that an ingest token can write; null means all of the kind, an empty list none. */
export interface IngestScope {
  spaceIds: number[] | null
  starboardIds: string[] | null
  /** Decimal digits, because ids can exceed 2^53. */
  credentialIds: string[] | null
}

/** A stored ingest token, without its value. */
export interface IngestTokenRecord {
  tokenId: string
  accountId: string
  name: string
  scope: IngestScope
  /** Restricts the scope to objects that the account owns at the time of the request. */
  ownedOnly: boolean
  /** The token needs operator rights and is revoked with them. */
  needsOperator: boolean
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
  /** The last characters of the value; null for tokens created before this column existed. */
  lastFour: string | null
}

interface Row {
  token_id: string
  account_id: string
  name: string
  space_ids: number[] | null
  starboard_ids: string[] | null
  credential_ids: string[] | null
  owned_only: boolean
  needs_operator: boolean
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
  last_four: string | null
}

const COLUMNS = `token_id, account_id, name, space_ids, starboard_ids, credential_ids::text[] AS credential_ids,
  owned_only, needs_operator, created_at, expires_at, revoked_at, suspended_at, last_used_at, last_four`

/** Whether the account manages space `s`: tokens may write where their account may. */
const managed = accountMayText('manage', 's', '$2::uuid')

const byHash = statement<Row & { suspended_at: Date | null }>(
  'ingest-token.by-hash',
  `SELECT ${COLUMNS} FROM ingest_tokens WHERE token_hash = $1::bytea`,
)
// One statement per table, because the tables have different distribution keys.
const ownedSpaces = statement<{ id: number }>(
  'ingest-token.owned-spaces',
  `SELECT space_id AS id FROM spaces s WHERE s.space_id = ANY ($1::int[]) AND ${managed}`,
)
const ownedStarboards = statement<{ id: string }>(
  'ingest-token.owned-starboards',
  'SELECT starboard_id AS id FROM starboards WHERE starboard_id = ANY ($1::text[]) AND owner_account_id = $2::uuid',
)
const ownedCredentials = statement<{ id: string }>(
  'ingest-token.owned-credentials',
  `SELECT c.credential_id::text AS id FROM credentials c LEFT JOIN spaces s ON s.space_id = c.curator_space_id
   WHERE c.credential_id = ANY ($1::bigint[]) AND (c.owner_account_id = $2::uuid OR ${managed})`,
)

/** The objects of a scope that the account owns or manages now. A kind without a limit has none. */
async function ownedOf(reader: Reader, accountId: string, scope: IngestScope): Promise<IngestScope> {
  const read = async <Id>(owned: Statement<{ id: Id }>, ids: readonly number[] | readonly string[] | null) =>
    ids === null || ids.length === 0 ? [] : (await reader.read(owned, [ids, accountId])).map(({ id }) => id)
  const [spaceIds, starboardIds, credentialIds] = await Promise.all([
    read(ownedSpaces, scope.spaceIds),
    read(ownedStarboards, scope.starboardIds),
    read(ownedCredentials, scope.credentialIds),
  ])
  return { spaceIds, starboardIds, credentialIds }
}

/** The ids of objects that the account neither owns nor manages. */
export async function notOwned(
  db: Kysely<DB>,
  accountId: string,
  wanted: { spaces: readonly number[]; starboards: readonly string[]; credentials: readonly string[] },
): Promise<{ field: string; id: string }[]> {
  const manages = accountMay('manage', 's', sql`${accountId}::uuid`)
  const owned = {
    spaces: sql<{ id: string }>`
      SELECT s.space_id::text AS id FROM spaces s WHERE s.space_id = ANY(${wanted.spaces}::int[]) AND ${manages}`,
    starboards: sql<{ id: string }>`
      SELECT starboard_id AS id FROM starboards
      WHERE starboard_id = ANY(${wanted.starboards}::text[]) AND owner_account_id = ${accountId}`,
    credentials: sql<{ id: string }>`
      SELECT c.credential_id::text AS id FROM credentials c LEFT JOIN spaces s ON s.space_id = c.curator_space_id
      WHERE c.credential_id = ANY(${wanted.credentials}::bigint[]) AND (c.owner_account_id = ${accountId} OR ${manages})`,
  }
  const missing: { field: string; id: string }[] = []
  for (const field of ['spaces', 'starboards', 'credentials'] as const) {
    const found = new Set((await owned[field].execute(db)).rows.map(({ id }) => id))
    missing.push(
      ...wanted[field]
        .map(String)
        .filter((id) => !found.has(id))
        .map((id) => ({ field, id })),
    )
  }
  return missing
}

/** A token with the state of its account. */
export interface IngestTokenInUse extends IngestTokenRecord {
  /** Set while the account is suspended. */
  suspendedAt: Date | null
}

export async function findIngestToken(reader: Reader, hash: Buffer): Promise<IngestTokenInUse | undefined> {
  const [row] = await reader.read(byHash, [hash])
  if (!row) return undefined
  const record = { ...recordOf(row), suspendedAt: row.suspended_at }
  return record.ownedOnly ? { ...record, scope: await ownedOf(reader, record.accountId, record.scope) } : record
}

export async function insertIngestToken(db: Kysely<DB>, token: IngestTokenRecord, hash: Buffer): Promise<void> {
  const { spaceIds, starboardIds, credentialIds } = token.scope
  await sql`
    INSERT INTO ingest_tokens (token_id, account_id, name, token_hash, space_ids, starboard_ids, credential_ids,
      owned_only, needs_operator, created_at, expires_at, last_four)
    VALUES (${token.tokenId}, ${token.accountId}, ${token.name}, ${hash}, ${spaceIds}::int[], ${starboardIds}::text[],
      ${credentialIds}::bigint[], ${token.ownedOnly}, ${token.needsOperator}, ${token.createdAt}, ${token.expiresAt},
      ${token.lastFour})`.execute(db)
}

/** The tokens of one account or of all, oldest first. */
export async function selectIngestTokens(db: Kysely<DB>, accountId?: string): Promise<IngestTokenRecord[]> {
  const { rows } = await sql<Row>`
    SELECT ${sql.raw(COLUMNS)} FROM ingest_tokens
    WHERE ${accountId === undefined ? sql`true` : sql`account_id = ${accountId}`}
    ORDER BY created_at, token_id`.execute(db)
  return rows.map(recordOf)
}

/** Replaces the value of a valid token. Returns undefined if there is no such token. */
export async function replaceIngestHash(
  db: Kysely<DB>,
  tokenId: string,
  { hash, lastFour }: StoredValue,
  now: Date,
): Promise<IngestTokenRecord | undefined> {
  const { rows } = await sql<Row>`
    UPDATE ingest_tokens SET token_hash = ${hash}, last_four = ${lastFour}
    WHERE token_id = ${tokenId} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})
    RETURNING ${sql.raw(COLUMNS)}`.execute(db)
  return rows[0] && recordOf(rows[0])
}

/** Revokes a token. Returns undefined if there is no such token or it is already revoked. */
export async function setIngestRevoked(
  db: Kysely<DB>,
  tokenId: string,
  at: Date,
): Promise<IngestTokenRecord | undefined> {
  const { rows } = await sql<Row>`
    UPDATE ingest_tokens SET revoked_at = ${at} WHERE token_id = ${tokenId} AND revoked_at IS NULL
    RETURNING ${sql.raw(COLUMNS)}`.execute(db)
  return rows[0] && recordOf(rows[0])
}

const operatorById = statement<{ account_id: string }>(
  'operator.by-id',
  'SELECT account_id FROM operators WHERE account_id = $1::uuid',
)

export async function isOperatorNow(reader: Reader, accountId: string): Promise<boolean> {
  return (await reader.read(operatorById, [accountId])).length > 0
}

/** Updates the time of the last use, unless a later one is stored. */
export async function noteIngestUse(db: Kysely<DB>, tokenId: string, at: Date): Promise<void> {
  await sql`
    UPDATE ingest_tokens SET last_used_at = ${at}
    WHERE token_id = ${tokenId} AND (last_used_at IS NULL OR last_used_at < ${at})`.execute(db)
}

function recordOf(row: Row): IngestTokenRecord {
  return {
    tokenId: row.token_id,
    accountId: row.account_id,
    name: row.name,
    scope: { spaceIds: row.space_ids, starboardIds: row.starboard_ids, credentialIds: row.credential_ids },
    ownedOnly: row.owned_only,
    needsOperator: row.needs_operator,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    lastFour: row.last_four,
  }
}
