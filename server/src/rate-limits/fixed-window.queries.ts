import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/connection.ts'
import { statement, sharedLookup } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'

const count = statement<AttemptWindow & { attempts: number }>(
  'attempts.count',
  `SELECT name, window_start AS "windowStart", attempts FROM attempt_windows
   WHERE name = ANY ($1::text[]) AND window_start = ANY ($2::bigint[])`,
)

const takeOne = `UPDATE attempt_windows SET attempts = attempts - 1 WHERE name = $1 AND window_start = $2 AND attempts > 1`
const takeLast = `DELETE FROM attempt_windows WHERE name = $1 AND window_start = $2 AND attempts = 1`

interface AttemptWindow {
  name: string
  windowStart: number
}

const nameOf = ({ name, windowStart }: AttemptWindow) => `${windowStart} ${name}`

const attemptsIn = sharedLookup<AttemptWindow, number>(nameOf, async (reader, windows) => {
  const names = windows.map(({ name }) => name)
  const starts = [...new Set(windows.map(({ windowStart }) => windowStart))]
  const rows = await reader.read(count, [names, starts])
  return new Map(rows.map((row) => [nameOf(row), row.attempts]))
})

/** Counts an attempt and returns the number of attempts in the window. */
export async function addAttempt(kysely: Kysely<DB>, name: string, windowStart: number): Promise<number> {
  const { rows } = await sql<{ attempts: number }>`
    INSERT INTO attempt_windows AS w (name, window_start, attempts) VALUES (${name}, ${windowStart}, 1)
    ON CONFLICT (name, window_start) DO UPDATE SET attempts = w.attempts + 1 RETURNING attempts`.execute(kysely)
  return rows[0]?.attempts ?? 0
}

export async function undoAttempt({ pool }: Database, name: string, windowStart: number): Promise<void> {
  // A row is deleted when it reaches 0. Two statements, so that concurrent changes are never lost.
  const { rowCount } = await pool.query(takeOne, [name, windowStart])
  if (rowCount === 0) await pool.query(takeLast, [name, windowStart])
}

export async function attemptsOf(database: Database, name: string, windowStart: number): Promise<number> {
  return (await attemptsIn(database, { name, windowStart })) ?? 0
}
