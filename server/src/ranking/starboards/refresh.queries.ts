import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'

export interface CurrentRanking {
  version: number
  user_count: number
  /** The version that wrote all entries. */
  generation: number
  /** The version of the previous ranks; null if the entries contain them. */
  previous_version: number | null
  /** The number of entries that were written since the generation began. */
  changed: number
  /** The number of users whose score is not their previous score. */
  moved: number
  /** Whether a sample exists that is newer than all samples of this ranking. */
  has_newer: boolean
}

/**
 * The version from which the next ranking takes previous values: the current one, or, without newer samples, that of the
 * current one. Undefined if the current entries contain all previous values.
 */
export function previousVersion(current: CurrentRanking | undefined): number | undefined {
  return current?.has_newer ? current.version : (current?.previous_version ?? undefined)
}

/** Locks the refresh of a starboard for this transaction. Without `wait`, returns undefined if another refresh runs. */
export async function lockRefresh(
  trx: Kysely<DB>,
  starboardId: string,
  { wait }: { wait: boolean },
): Promise<{ checked_at: Date | null } | undefined> {
  await trx
    .insertInto('starboard_refreshes')
    .values({ starboard_id: starboardId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = trx
    .selectFrom('starboard_refreshes')
    .select('checked_at')
    .where('starboard_id', '=', starboardId)
    .forUpdate()
  return (wait ? row : row.skipLocked()).executeTakeFirst()
}

export async function starboardExists(kysely: Kysely<DB>, starboardId: string): Promise<boolean> {
  const row = await kysely
    .selectFrom('starboards')
    .select('starboard_id')
    .where('starboard_id', '=', starboardId)
    .executeTakeFirst()
  return row !== undefined
}

export async function starboardIds(kysely: Kysely<DB>): Promise<string[]> {
  const rows = await kysely.selectFrom('starboards').select('starboard_id').orderBy('starboard_id').execute()
  return rows.map((row) => row.starboard_id)
}

export async function recordLook(trx: Kysely<DB>, starboardId: string, now: Date): Promise<void> {
  await trx
    .updateTable('starboard_refreshes')
    .set({ checked_at: now })
    .where('starboard_id', '=', starboardId)
    .execute()
}

export async function currentRanking(
  trx: Kysely<DB>,
  starboardId: string,
  now: Date,
): Promise<CurrentRanking | undefined> {
  return trx
    .selectFrom('starboard_rankings as r')
    .select(['r.version', 'r.user_count', 'r.generation', 'r.previous_version', 'r.changed', 'r.moved'])
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('score_samples as s')
            .select('s.handle')
            .where('s.starboard_id', '=', starboardId)
            .whereRef('s.sampled_at', '>', 'r.newest_sample')
            .where('s.sampled_at', '<=', now),
        )
        .$castTo<boolean>()
        .as('has_newer'),
    )
    .where('r.starboard_id', '=', starboardId)
    .orderBy('r.version', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function trackedUsers(trx: Kysely<DB>, starboardId: string): Promise<number> {
  const row = await trx
    .selectFrom('starboard_users')
    .select((eb) => eb.fn.countAll<number>().as('users'))
    .where('starboard_id', '=', starboardId)
    .executeTakeFirstOrThrow()
  return row.users
}

/** The largest number of users between two places of a ranking. */
export async function widestGap(
  trx: Kysely<DB>,
  starboardId: string,
  { version, user_count }: Pick<CurrentRanking, 'version' | 'user_count'>,
): Promise<number> {
  const { rows } = await sql<{ gap: number }>`
    SELECT greatest(max(users - before), ${user_count} - coalesce(max(users), 0)) AS gap FROM (
      SELECT users, lag(users, 1, 0) OVER (ORDER BY users) AS before FROM starboard_places
      WHERE starboard_id = ${starboardId} AND version = ${version}) AS places`.execute(trx)
  return rows[0]?.gap ?? 0
}
