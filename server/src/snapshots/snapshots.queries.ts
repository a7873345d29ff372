import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { Sealed } from './build.ts'
import type { FailureCode, SnapshotFailure } from './snapshot-error.ts'
import type { Source } from './sources.queries.ts'

export type SnapshotState = 'waiting' | 'sealed' | 'failed'

export interface Snapshot {
  id: string
  kind: Source['kind']
  name: string
  /** The space of the board or quest, or of the curator of the credential. */
  spaceId: number | null
  /** Null for the overall board and for other kinds. */
  sprintId: number | null
  credentialId: string | null
  questId: string | null
  version: number | null
  asOf: Date
  public: boolean
  note: string | null
  state: SnapshotState
  createdAt: Date
  sealedAt: Date | null
  /** The reason why it could not be sealed. */
  failure: string | null
  /** Null if it did not fail, for a reason without a code, and for failures from before codes were stored. */
  failureCode: FailureCode | null
  members: number | null
  /** The sum, as decimal digits, because it can exceed 2^53. */
  points: string | null
  /** Members in the Merkle tree. */
  leaves: number | null
  /** Members outside of the Merkle tree. */
  leftOut: number | null
  banned: number | null
  bytes: number | null
  digest: string | null
  root: string | null
}

const COLUMNS = sql`
  snapshot_id AS id, kind, name, space_id AS "spaceId", nullif(sprint_id, 0) AS "sprintId",
  credential_id::text AS "credentialId", quest_id AS "questId", version, as_of AS "asOf", is_public AS public, note, state,
  created_at AS "createdAt", sealed_at AS "sealedAt", failure, failure_code AS "failureCode", members, points::text AS points, leaves, members - leaves AS "leftOut",
  CASE WHEN members IS NOT NULL THEN banned END AS banned, bytes, encode(digest, 'hex') AS digest, '0x' || encode(root, 'hex') AS root`

interface NewSnapshot {
  id: string
  source: Source
  isPublic: boolean
  note: string | undefined
  createdAt: Date
}

export async function insertSnapshot(
  kysely: Kysely<DB>,
  { id, source, isPublic, note, createdAt }: NewSnapshot,
): Promise<void> {
  await kysely
    .insertInto('snapshots')
    .values({
      snapshot_id: id,
      kind: source.kind,
      space_id: source.spaceId,
      sprint_id: source.kind === 'space' ? source.sprintId : null,
      credential_id: source.kind === 'credential' ? source.credentialId : null,
      quest_id: source.kind === 'quest' ? source.questId : null,
      name: source.name,
      version: source.kind === 'space' ? source.version : null,
      as_of: source.asOf,
      is_public: isPublic,
      note: note ?? null,
      created_at: createdAt,
      state: 'waiting',
    })
    .execute()
}

/** The spaces and credentials whose snapshots a caller can see; null means all. */
export interface Within {
  spaceIds: readonly number[] | null
  credentialIds: readonly string[] | null
}

const within = ({ spaceIds, credentialIds }: Within) => sql<boolean>`
  CASE kind WHEN 'credential' THEN ${credentialIds === null ? sql`true` : sql`credential_id = ANY(${credentialIds}::bigint[])`}
  ELSE ${spaceIds === null ? sql`true` : sql`space_id = ANY(${spaceIds}::int[])`} END`

/** Newest first. @param after the id of the last snapshot of the previous page */
export async function selectSnapshots(
  kysely: Kysely<DB>,
  { limit, after, ...scope }: Within & { limit: number; after?: string | undefined },
): Promise<Snapshot[]> {
  const behind =
    after === undefined
      ? sql`true`
      : sql`(created_at, snapshot_id) < (SELECT created_at, snapshot_id FROM snapshots WHERE snapshot_id = ${after})`
  const { rows } = await sql<Snapshot>`
    SELECT ${COLUMNS} FROM snapshots WHERE ${behind} AND ${within(scope)}
    ORDER BY snapshots.created_at DESC, snapshot_id DESC LIMIT ${limit}`.execute(kysely)
  return rows
}

/** The numbers of all snapshots in the scope, and of those that wait for their contents. */
export async function countSnapshots(kysely: Kysely<DB>, scope: Within): Promise<{ all: number; waiting: number }> {
  const { rows } = await sql<{ all: number; waiting: number }>`
    SELECT count(*)::int AS "all", count(*) FILTER (WHERE state = 'waiting')::int AS waiting
    FROM snapshots WHERE ${within(scope)}`.execute(kysely)
  return rows[0] ?? { all: 0, waiting: 0 }
}

export async function findSnapshot(kysely: Kysely<DB>, id: string, scope?: Within): Promise<Snapshot | undefined> {
  const { rows } = await sql<Snapshot>`
    SELECT ${COLUMNS} FROM snapshots
    WHERE snapshot_id = ${id} AND ${scope === undefined ? sql`true` : within(scope)}`.execute(kysely)
  return rows[0]
}

/** Locks the oldest snapshot that waits for its contents, except those that other transactions build. Returns its id. */
export async function lockOldestWaiting(trx: Kysely<DB>): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT snapshot_id AS id FROM snapshots WHERE state = 'waiting'
    ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED`.execute(trx)
  return rows[0]?.id
}

/** Counts an attempt to build a snapshot. Returns the number of attempts. */
export async function countAttempt(kysely: Kysely<DB>, id: string): Promise<number> {
  const { attempts } = await kysely
    .insertInto('snapshot_attempts')
    .values({ snapshot_id: id, attempts: 1 })
    .onConflict((conflict) =>
      conflict.column('snapshot_id').doUpdateSet({ attempts: sql`snapshot_attempts.attempts + 1` }),
    )
    .returning('attempts')
    .executeTakeFirstOrThrow()
  return attempts
}

/** Subtracts an attempt. */
export async function withdrawAttempt(kysely: Kysely<DB>, id: string): Promise<void> {
  await kysely
    .updateTable('snapshot_attempts')
    .set({ attempts: sql`attempts - 1` })
    .where('snapshot_id', '=', id)
    .execute()
}

export async function markSealed(
  kysely: Kysely<DB>,
  id: string,
  sealed: Sealed,
  { asOf, at, banned }: { asOf: Date; at: Date; banned: number },
): Promise<void> {
  const { members, points, leaves, bytes, digest, root } = sealed
  await kysely
    .updateTable('snapshots')
    .set({
      state: 'sealed',
      as_of: asOf,
      sealed_at: at,
      members,
      points: sql<number>`${String(points)}::bigint`,
      leaves,
      banned,
      bytes,
      digest,
      root: root ?? null,
    })
    .where('snapshot_id', '=', id)
    .execute()
}

export async function markFailed(kysely: Kysely<DB>, id: string, { code, message }: SnapshotFailure): Promise<void> {
  await kysely
    .updateTable('snapshots')
    .set({ state: 'failed', failure: message, failure_code: code })
    .where('snapshot_id', '=', id)
    .where('state', '=', 'waiting')
    .execute()
}

export async function deleteSnapshotRow(kysely: Kysely<DB>, id: string): Promise<boolean> {
  const { numDeletedRows } = await kysely
    .deleteFrom('snapshots')
    .where('snapshot_id', '=', id)
    .executeTakeFirstOrThrow()
  // After the row, which an attempt locks before it is counted.
  await kysely.deleteFrom('snapshot_attempts').where('snapshot_id', '=', id).execute()
  return numDeletedRows > 0n
}
