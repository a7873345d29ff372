import { DAY } from '../../server/src/clock.ts'
import type { BenchContext } from '../harness/row.ts'
import type { BenchDatabase } from './bench-database.ts'
import { buildOnce } from './build-once.ts'

/** The starboard of the reading database: every handle was sampled every day for 31 days, the last time at LAST_DAY. */
export const STARBOARD = 'large'
export const LAST_DAY = Date.UTC(2026, 0, 31, 12)
const DAYS = 31

export async function prepareStarboard(
  database: BenchDatabase,
  { sizes, say }: Pick<BenchContext, 'sizes' | 'say'>,
): Promise<void> {
  const { pool } = database
  await buildOnce(database, 'starboard', say, {
    async clear() {
      await pool.query('DELETE FROM score_samples WHERE starboard_id = $1', [STARBOARD])
      await pool.query('DELETE FROM starboard_users WHERE starboard_id = $1', [STARBOARD])
    },
    async build() {
      await pool.query(
        `INSERT INTO starboards (starboard_id, name, type, created_at) VALUES ($1, $1, 'TWITTER', now()) ON CONFLICT DO NOTHING`,
        [STARBOARD],
      )
      await pool.query(
        `INSERT INTO starboard_users (starboard_id, handle, username, name, followers_count)
         SELECT $1, 'user_' || n, 'User_' || n, 'User ' || n, n FROM generate_series(1, $2::int) AS n`,
        [STARBOARD, sizes.handles],
      )
      for (let day = DAYS - 1; day >= 0; day--) {
        await addSamples(database, new Date(LAST_DAY - day * DAY))
        say(`  ${DAYS - day} of ${DAYS} days`)
      }
      await pool.query('VACUUM (ANALYZE) score_samples, starboard_users')
      return DAYS * sizes.handles
    },
  })
}

/**
 * One sample of every handle, or of this share of them, at one moment: scores that drift, a few of them shared. Recorded as
 * by an import.
 */
export async function addSamples({ pool }: Pick<BenchDatabase, 'pool'>, at: Date, share = 1): Promise<void> {
  await pool.query(
    `INSERT INTO score_samples (starboard_id, handle, sampled_at, score, individual, aura)
     SELECT $1, handle, $2::timestamptz,
            ((hashtextextended(handle, 1) & 262143) + (hashtextextended(handle, extract(epoch FROM $2::timestamptz)::bigint) & 16383))
              / 100.0, 7, 9
     FROM starboard_users
     WHERE starboard_id = $1 AND (hashtextextended(handle, extract(epoch FROM $2::timestamptz)::bigint + 1) & 4095) < $3::float8 * 4096`,
    [STARBOARD, at, share],
  )
  await pool.query(
    `INSERT INTO starboard_sample_changes (starboard_id, handles)
     SELECT starboard_id, array_agg(handle) FROM score_samples WHERE starboard_id = $1 AND sampled_at = $2 GROUP BY starboard_id`,
    [STARBOARD, at],
  )
}

/** Puts the starboard back to the 31 days, without any ranking. */
export async function resetStarboard({ pool }: Pick<BenchDatabase, 'pool'>): Promise<void> {
  const values = [STARBOARD]
  for (const table of ['starboard_entries', 'starboard_places', 'starboard_rankings', 'starboard_refreshes', 'starboard_sample_changes'])
    await pool.query(`DELETE FROM ${table} WHERE starboard_id = $1`, values)
  await pool.query('DELETE FROM score_samples WHERE starboard_id = $1 AND sampled_at > $2', [
    STARBOARD,
    new Date(LAST_DAY),
  ])
  await pool.query('VACUUM (ANALYZE) score_samples, starboard_entries')
}
