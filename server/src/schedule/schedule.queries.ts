import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/** Takes a task that is due, for the caller alone, and sets when it is due again. */
export async function claimTask(kysely: Kysely<DB>, task: string, now: Date, period: number): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO scheduled_tasks AS t (task, next_run_at) VALUES (${task}, ${new Date(now.getTime() + period)})
    ON CONFLICT (task) DO UPDATE SET next_run_at = excluded.next_run_at WHERE t.next_run_at <= ${now}
    RETURNING task`.execute(kysely)
  return rows.length > 0
}
