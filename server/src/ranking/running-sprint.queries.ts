import { CompiledQuery, type Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'

/**
 * Selects the sprint of the space $1 for which completed quests count at the time $2: the one that started last. A sprint
 * without a start time never runs.
 */
export const RUNNING_SPRINT = `SELECT sprint_id FROM sprints
     WHERE space_id = $1 AND start_time <= $2::timestamptz AND (end_time IS NULL OR end_time > $2::timestamptz)
     ORDER BY start_time DESC, sprint_id DESC LIMIT 1`

/** The sprint of a space for which completed quests count at a time; null if no sprint runs. */
export async function findRunningSprint(kysely: Kysely<DB>, spaceId: number, at: Date): Promise<number | null> {
  const { rows } = await kysely.executeQuery<{ sprint_id: number }>(CompiledQuery.raw(RUNNING_SPRINT, [spaceId, at]))
  return rows[0]?.sprint_id ?? null
}
