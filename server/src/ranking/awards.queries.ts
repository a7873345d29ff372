import { type Kysely, sql } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import { lockTimeout } from '../database/lock-timeout.ts'
import { preparedWrite } from '../database/prepared-write.ts'
import type { DB } from '../database/tables.ts'
import type { LedgerSource } from './ledger.ts'

/** An award with the key of its sender, and its origin for the ledger. */
export interface AwardEvent {
  /** 1 to 200 characters, unique in the space; an award with a known key is not counted again. */
  key: string
  /** 0 for the overall board only. */
  sprintId: number
  /** In canonical form (addresses.ts). */
  address: string
  points: number
  /** The origin in the ledger; `award` by default. */
  source?: LedgerSource | undefined
  /** The id of the ingest token or account. */
  actor?: string | undefined
  /** A text for people. */
  reason?: string | undefined
  /** The points count from this time on; default: at once. */
  availableAt?: Date | undefined
  /** The points count until this time. */
  expiresAt?: Date | undefined
  /** The id of the entry that this award takes back. */
  reverses?: string | undefined
}

// A connection keeps its plans while boards grow, so a plan for a small table must not use sequential scans. Citus cannot
// plan generically; its databases set questboard.plan_cache_mode. The number that the transaction gets at the server of
// this connection is needed for profile_changes.barrier.
const settings = `SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;
  SELECT pg_current_xact_id(),
         set_config('plan_cache_mode', coalesce(current_setting('questboard.plan_cache_mode', true), 'force_generic_plan'), true)`

/** Sets the transaction's planner settings and its lock timeout in milliseconds. */
export async function beginAwards(trx: Kysely<DB>, lockWait: number): Promise<void> {
  await sql.raw(`${lockTimeout(lockWait)}; ${settings}`).execute(trx)
}

export interface KnownAward {
  key: string
  sprintId: number
  address: string
  points: number
  availableAt: Date | null
  expiresAt: Date | null
}

const knownAwards = preparedWrite<KnownAward>(
  'awards.find-keys',
  `SELECT key, sprint_id AS "sprintId", address,
          coalesce(pending::bigint, points_after::bigint - coalesce(points_before, 0)) AS points,
          available_at AS "availableAt", expires_at AS "expiresAt"
   FROM ledger_entries WHERE space_id = $1 AND key = ANY($2::text[]) AND entered_at >= $3::timestamptz
   UNION ALL
   SELECT key, sprint_id, address, points, NULL, NULL FROM award_keys
   WHERE space_id = $1 AND key = ANY($2::text[])`,
)

/** The awards of the space with one of the given keys, entered since `since`. */
export async function findAwards(
  trx: Kysely<DB>,
  spaceId: number,
  keys: readonly string[],
  since: Date,
): Promise<KnownAward[]> {
  return knownAwards(trx, [spaceId, textArray(keys), since])
}

/** Deletes at most `limit` keys from before the ledger. @returns the number of deleted keys */
export async function deleteKeys(kysely: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM award_keys WHERE (space_id, key) IN (
      SELECT space_id, key FROM award_keys WHERE applied_at < ${before} LIMIT ${limit})`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}
