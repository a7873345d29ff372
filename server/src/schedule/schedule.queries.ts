import { type Kysely, sql } from 'kysely'
import { MOST_SKEW } from '../database/agreed-time.ts'
import type { DB } from '../database/tables.ts'

/**
 * Takes a task that is due, for the caller alone, and sets when it is due again. One that is claimed for longer than its
 * period was claimed by a clock that stood wrong, and is due.
 */
export async function claimTask(kysely: Kysely<DB>, task: string, now: Date, period: number): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO scheduled_tasks AS t (task, next_run_at) VALUES (${task}, ${new Date(now.getTime() + period)})
    ON CONFLICT (task) DO UPDATE SET next_run_at = excluded.next_run_at
      WHERE t.next_run_at <= ${now} OR t.next_run_at > ${new Date(now.getTime() + period + MOST_SKEW)}
    RETURNING task`.execute(kysely)
  return rows.length > 0
}
