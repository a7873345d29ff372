import type { Kysely } from 'kysely'
import type { DB } from '../../database/tables.ts'

export interface CurrentRanking {
  version: number
  user_count: number
  /** Whether a sample exists that is newer than all samples of this ranking. */
  has_newer: boolean
}

/** Locks the refresh of a starboard for this transaction. Without `wait`, returns undefined if another refresh runs. */
export async function lockRefresh(
  trx: Kysely<DB>,
  starboardId: string,
  { wait }: { wait: boolean },
): Promise<{ samples: number; checked_at: Date | null } | undefined> {
  await trx
    .insertInto('starboard_refreshes')
    .values({ starboard_id: starboardId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = trx
    .selectFrom('starboard_refreshes')
    .select(['samples', 'checked_at'])
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

/** The change counter of the starboard's samples. */
export async function sampleChanges(trx: Kysely<DB>, starboardId: string): Promise<number> {
  const row = await trx
    .selectFrom('starboard_changes')
    .select('samples')
    .where('starboard_id', '=', starboardId)
    .executeTakeFirst()
  return row?.samples ?? 0
}

export async function recordLook(trx: Kysely<DB>, starboardId: string, samples: number, now: Date): Promise<void> {
  await trx
    .updateTable('starboard_refreshes')
    .set({ samples, checked_at: now })
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
    .select(['r.version', 'r.user_count'])
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
