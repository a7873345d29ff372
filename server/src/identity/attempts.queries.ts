import { type Database, statement } from '../database/connection.ts'

const add = statement<{ attempts: number }>(
  'attempts.add',
  `INSERT INTO attempt_windows AS w (name, window_start, attempts) VALUES ($1, $2, 1)
   ON CONFLICT (name, window_start) DO UPDATE SET attempts = w.attempts + 1 RETURNING attempts`,
)

const count = statement<{ attempts: number }>(
  'attempts.count',
  'SELECT attempts FROM attempt_windows WHERE name = $1 AND window_start = $2',
)

/** Counts one attempt and answers how many there are now in this window. */
export async function addAttempt(database: Database, name: string, windowStart: number): Promise<number> {
  const { rows } = await database.pool.query<{ attempts: number }>(add.text, [name, windowStart])
  return rows[0]?.attempts ?? 0
}

export async function attemptsOf(database: Database, name: string, windowStart: number): Promise<number> {
  const [row] = await database.read(count, [name, windowStart])
  return row?.attempts ?? 0
}
