import type { ClientBase } from 'pg'
import { withClient } from '../../server/test/support/nodes.ts'
import type { BenchDatabase } from './bench-database.ts'

/**
 * Builds a data set unless the database contains it. `clear` removes the remains of an interrupted build.
 * `build` returns the number of rows that it made.
 */
export async function buildOnce(
  database: BenchDatabase,
  name: string,
  say: (line: string) => void,
  steps: { clear: () => Promise<unknown>; build: () => Promise<number> },
): Promise<void> {
  await database.pool.query('CREATE TABLE IF NOT EXISTS bench_data (name text PRIMARY KEY, rows bigint NOT NULL)')
  const { rowCount } = await database.pool.query('SELECT FROM bench_data WHERE name = $1', [name])
  if (rowCount !== 0) return
  say(`building ${name} (once) …`)
  const started = performance.now()
  await steps.clear()
  const rows = await steps.build()
  await database.pool.query('INSERT INTO bench_data VALUES ($1, $2)', [name, rows])
  const seconds = (performance.now() - started) / 1000
  say(`built ${name}: ${rows} rows in ${seconds.toFixed(0)} s, ${Math.round(rows / seconds)} rows/s`)
}

/**
 * Loads a table without its indexes and makes them again as they were: ten million rows in minutes. All in one
 * transaction, so that an interrupted build leaves the table as it was.
 */
export async function withoutIndexes(
  database: BenchDatabase,
  table: string,
  load: (client: ClientBase) => Promise<void>,
): Promise<void> {
  await withClient(database.connection, async (client) => {
    await client.query(`SET maintenance_work_mem = '512MB'`)
    await client.query('BEGIN')
    const { rows } = await client.query<{ drop: string; create: string }>(INDEXES, [table])
    for (const { drop } of rows) await client.query(drop)
    await load(client)
    for (const { create } of rows) await client.query(create)
    await client.query('COMMIT')
  })
}

const INDEXES = `
  SELECT CASE WHEN c.conname IS NULL THEN format('DROP INDEX %I', i.relname)
           ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', x.indrelid::regclass, c.conname) END AS drop,
         CASE WHEN c.conname IS NULL THEN pg_get_indexdef(x.indexrelid)
           ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', x.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
         END AS create
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
  LEFT JOIN pg_constraint c ON c.conindid = x.indexrelid AND c.conrelid = x.indrelid AND c.contype IN ('p', 'u')
  WHERE x.indrelid = $1::regclass`
