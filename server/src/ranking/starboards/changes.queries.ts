import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'

/**
 * Records that samples of the given starboards changed, so that they are ranked again soon. Call it late in the transaction
 * that changes the samples: it locks one row per starboard until the commit.
 */
export async function noteSampleChanges(trx: Kysely<DB>, starboardIds: readonly string[]): Promise<void> {
  const inOrder = [...new Set(starboardIds)].sort()
  await sql`
    INSERT INTO starboard_changes AS c (starboard_id, samples)
    SELECT id, 1 FROM unnest(${inOrder}::text[]) WITH ORDINALITY AS changed (id, place) ORDER BY place
    ON CONFLICT (starboard_id) DO UPDATE SET samples = c.samples + 1`.execute(trx)
}

/**
 * The starboards whose ranking may be outdated: those that were never checked, those whose samples have changed since the last
 * check, and, if this check was `period` ago, those with a sample that has since become as old as a comparison period (24
 * hours, 7 or 30 days). The time between two checks grows by 1 ms per user. This limits the rows of rankings that cursors can
 * still reach to a few million.
 * @param rest the minimum time between two checks in milliseconds
 * @param period the time in milliseconds after which elapsed time alone requires a check
 */
export async function dueStarboards(kysely: Kysely<DB>, now: Date, rest: number, period: number): Promise<string[]> {
  const { rows: all } = await sql<{ starboard_id: string }>`
    SELECT starboard_id FROM starboards ORDER BY starboard_id`.execute(kysely)
  const passed = (ago: string) => sql`EXISTS (
    SELECT FROM score_samples p WHERE p.starboard_id = l.starboard_id
      AND p.sampled_at > l.checked_at - ${sql.lit(ago)}::interval
      AND p.sampled_at <= ${now}::timestamptz - ${sql.lit(ago)}::interval)`
  // Separate, because an outer join of the starboards with distributed tables cannot run on the nodes.
  const { rows: checked } = await sql<{ starboard_id: string; due: boolean }>`
    SELECT l.starboard_id, l.checked_at <= ${now}::timestamptz - interval '1 millisecond' * greatest(${rest}::integer, coalesce((
      SELECT r.user_count FROM starboard_rankings r WHERE r.starboard_id = l.starboard_id ORDER BY r.version DESC LIMIT 1
    ), 0)) AND (
      coalesce(c.samples, 0) <> l.samples
      OR l.checked_at <= ${now}::timestamptz - ${period}::integer * interval '1 millisecond' AND (${sql.join(
        ['0', '24 hours', '168 hours', '720 hours'].map(passed),
        sql` OR `,
      )})) AS due
    FROM starboard_refreshes l
    LEFT JOIN starboard_changes c ON c.starboard_id = l.starboard_id
    ORDER BY l.checked_at, l.starboard_id`.execute(kysely)
  const [known, existing] = [checked, all].map((rows) => new Set(rows.map((row) => row.starboard_id)))
  return [
    ...all.filter((row) => !known?.has(row.starboard_id)),
    ...checked.filter((row) => row.due && existing?.has(row.starboard_id)),
  ].map((row) => row.starboard_id)
}
