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

/** Locks a snapshot that waits for its contents. Returns false if it does not wait, or if another process builds it. */
export async function lockWaiting(kysely: Kysely<DB>, id: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 FROM snapshots WHERE snapshot_id = ${id} AND state = 'waiting' FOR UPDATE SKIP LOCKED`.execute(kysely)
  return rows.length > 0
}

/** Counts an attempt to build the oldest snapshot that waits; skips those that are being built. */
export async function startAttempt(kysely: Kysely<DB>): Promise<{ id: string; attempts: number } | undefined> {
  const { rows } = await sql<{ id: string; attempts: number }>`
    UPDATE snapshots SET attempts = attempts + 1 WHERE snapshot_id = (
      SELECT snapshot_id FROM snapshots WHERE state = 'waiting' ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING snapshot_id AS id, attempts`.execute(kysely)
  return rows[0]
}

/**
 * Subtracts an attempt that failed because a node hangs. The attempt still counts if its transaction has locked the row: a
 * statement that waits for the node keeps this lock after its connection was closed.
 */
export async function withdrawAttempt(kysely: Kysely<DB>, id: string): Promise<void> {
  await sql`
    UPDATE snapshots SET attempts = attempts - 1 WHERE snapshot_id = (
      SELECT snapshot_id FROM snapshots WHERE snapshot_id = ${id} AND state = 'waiting' FOR UPDATE SKIP LOCKED)`.execute(
    kysely,
  )
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
  return numDeletedRows > 0n
}
