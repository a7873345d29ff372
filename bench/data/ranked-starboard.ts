import { systemClock } from '../../server/src/clock.ts'
import { refreshStarboard } from '../../server/src/ranking/starboards/refresh.ts'
import type { BenchContext } from '../harness/row.ts'
import type { BenchDatabase } from './bench-database.ts'
import { drawNumbers } from './draw-numbers.ts'

/** A starboard whose users were sampled once, skewed and with ties as points are, and ranked by the service. */
export const RANKED = 'ranked'

export async function buildRankedStarboard(
  database: BenchDatabase,
  users: number,
  { say }: Pick<BenchContext, 'say'>,
): Promise<void> {
  const { pool } = database
  await pool.query(
    `INSERT INTO starboards (starboard_id, name, type, created_at) VALUES ($1, $1, 'TWITTER', now())`,
    [RANKED],
  )
  await pool.query(
    `INSERT INTO starboard_users (starboard_id, handle, username, name, profile_image_url, followers_count)
     SELECT $1, 'user_' || n, 'User_' || n, 'User ' || n, 'https://cdn.example.com/avatars/' || n || '.png', n
     FROM generate_series(1, $2::int) AS n`,
    [RANKED, users],
  )
  await pool.query(
    `INSERT INTO score_samples (starboard_id, handle, sampled_at, score, individual, aura)
     SELECT $1, 'user_' || n, now(), (1e6 * power((hashint8extended(n, 5) & 1048575) / 1048576.0, 4))::int / 100.0, 7, 9
     FROM generate_series(1, $2::bigint) AS n`,
    [RANKED, users],
  )
  say(`  ${users} users of a starboard, sampled`)
  const { userCount } = await refreshStarboard({ database, clock: systemClock }, RANKED)
  if (userCount !== users) throw new Error(`${userCount} of ${users} users were ranked`)
  await pool.query('VACUUM (ANALYZE) starboard_users, score_samples, starboard_entries, starboard_places')
  say(`  ${users} users of a starboard, ranked`)
}

/** Returns a function that draws `count` different users of the starboard, different ones in each call. */
export function drawHandles(users: number, count: number): () => string[] {
  const draw = drawNumbers(users, count)
  return () => draw().map((n) => `user_${n}`)
}
