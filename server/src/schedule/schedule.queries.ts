import { type Kysely, sql } from 'kysely'
import { MAX_SKEW } from '../database/clock-skew.ts'
import type { DB } from '../database/tables.ts'

/**
 * Claims a due task for the caller, and sets its next due time. A claim that lasts longer than the period was made by a
 * wrong clock, so the task is due.
 */
export async function claimTask(kysely: Kysely<DB>, task: string, now: Date, period: number): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO scheduled_tasks AS t (task, next_run_at) VALUES (${task}, ${new Date(now.getTime() + period)})
    ON CONFLICT (task) DO UPDATE SET next_run_at = excluded.next_run_at
      WHERE t.next_run_at <= ${now} OR t.next_run_at > ${new Date(now.getTime() + period + MAX_SKEW)}
    RETURNING task`.execute(kysely)
  return rows.length > 0
}
