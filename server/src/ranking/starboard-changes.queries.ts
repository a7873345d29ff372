import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/**
 * Records that samples of these starboards changed, so that they are ranked again soon. Call it late in the transaction
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
 * The starboards whose ranking may be outdated: never checked, samples changed since the last check, or, if that is
 * `period` ago, samples at the edge of a comparison period since then. The time between two checks grows by 1 ms per
 * user, which limits the rows of rankings that cursors can still reach to a few million.
 * @param rest the minimum time between two checks in milliseconds
 * @param period the time in milliseconds after which elapsed time alone requires a check
 */
export async function dueStarboards(kysely: Kysely<DB>, now: Date, rest: number, period: number): Promise<string[]> {
  const { rows } = await sql<{ starboard_id: string }>`
    SELECT s.starboard_id FROM starboards s
    LEFT JOIN starboard_changes c ON c.starboard_id = s.starboard_id
    LEFT JOIN starboard_refreshes l ON l.starboard_id = s.starboard_id
    LEFT JOIN LATERAL (
      SELECT r.user_count FROM starboard_rankings r WHERE r.starboard_id = s.starboard_id ORDER BY r.version DESC LIMIT 1
    ) current ON true
    CROSS JOIN LATERAL (SELECT ${now}::timestamptz
      - greatest(coalesce(current.user_count, 0), ${rest}::integer) * interval '1 millisecond' AS looks_until) resting
    WHERE l.checked_at IS NULL OR l.checked_at <= resting.looks_until AND (
      coalesce(c.samples, 0) <> l.samples
      OR l.checked_at <= ${now}::timestamptz - ${period}::integer * interval '1 millisecond' AND EXISTS (
        SELECT FROM (VALUES (interval '0'), (interval '24 hours'), (interval '168 hours'), (interval '720 hours')) edges (ago)
        WHERE EXISTS (
          SELECT FROM score_samples p WHERE p.starboard_id = s.starboard_id
            AND p.sampled_at > l.checked_at - edges.ago AND p.sampled_at <= ${now}::timestamptz - edges.ago)))
    ORDER BY l.checked_at NULLS FIRST, s.starboard_id`.execute(kysely)
  return rows.map((row) => row.starboard_id)
}
