import { type Kysely, sql } from 'kysely'
import { type Reader, statement } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import type { StoredValue } from '../secrets/token-format.ts'

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
  owned_only, needs_operator, created_at, expires_at, revoked_at, last_used_at, last_four`

const byHash = statement<Row>(
  'ingest-token.by-hash',
  `SELECT token_id, account_id, name, owned_only, needs_operator, created_at, expires_at, revoked_at, last_used_at, last_four,
     CASE WHEN owned_only THEN ARRAY(SELECT space_id FROM spaces s
       WHERE s.space_id = ANY (t.space_ids) AND s.owner_account_id = t.account_id) ELSE space_ids END AS space_ids,
     CASE WHEN owned_only THEN ARRAY(SELECT starboard_id FROM starboards s
       WHERE s.starboard_id = ANY (t.starboard_ids) AND s.owner_account_id = t.account_id) ELSE starboard_ids END AS starboard_ids,
     CASE WHEN owned_only THEN ARRAY(SELECT credential_id FROM credentials c
       WHERE c.credential_id = ANY (t.credential_ids) AND c.owner_account_id = t.account_id) ELSE credential_ids
     END::text[] AS credential_ids
   FROM ingest_tokens t WHERE token_hash = $1::bytea`,
)

/** The ids that the account does not own. */
export async function notOwned(
  db: Kysely<DB>,
  accountId: string,
  wanted: { spaces: readonly number[]; starboards: readonly string[]; credentials: readonly string[] },
): Promise<{ field: string; id: string }[]> {
  const { rows } = await sql<{ field: string; id: string }>`
    SELECT 'spaces' AS field, id::text FROM unnest(${wanted.spaces}::int[]) AS w (id)
    WHERE NOT EXISTS (SELECT FROM spaces WHERE space_id = id AND owner_account_id = ${accountId})
    UNION ALL
    SELECT 'starboards', id FROM unnest(${wanted.starboards}::text[]) AS w (id)
    WHERE NOT EXISTS (SELECT FROM starboards WHERE starboard_id = id AND owner_account_id = ${accountId})
    UNION ALL
    SELECT 'credentials', id::text FROM unnest(${wanted.credentials}::bigint[]) AS w (id)
    WHERE NOT EXISTS (SELECT FROM credentials WHERE credential_id = id AND owner_account_id = ${accountId})`.execute(db)
  return rows
}

export async function findIngestToken(reader: Reader, hash: Buffer): Promise<IngestTokenRecord | undefined> {
  const [row] = await reader.read(byHash, [hash])
  return row && recordOf(row)
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

/** Replaces the value of a live token. Returns undefined if there is no such token. */
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
