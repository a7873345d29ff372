import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { placements, type Table } from './placements.ts'

/** The rows of a table whose keys are in another table with the same columns. */
export interface RowsToLock {
  table: Table
  /** Columns of the key, the distribution column first. */
  key: readonly string[]
  keys: RawBuilder<unknown>
}

const list = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))

/** Locks the rows in the order of their keys. */
export async function lockTogether(trx: Kysely<DB>, { table, key, keys }: RowsToLock): Promise<void> {
  await sql`
    SELECT 1 FROM ${sql.table(table)} WHERE (${list(key)}) IN (SELECT ${list(key)} FROM ${keys})
    ORDER BY ${list(key)} FOR NO KEY UPDATE`.execute(trx)
}

/** The maximum number of distribution values to lock. To lock more takes longer than a retry after a deadlock. */
const MAX_VALUES = 1_000

/**
 * Like lockTogether, for a cluster, where a statement can lock rows of one distribution value only. Locks nothing if there
 * are more than MAX_VALUES.
 */
export async function lockEach(trx: Kysely<DB>, rows: RowsToLock): Promise<void> {
  const { table, key, keys } = rows
  if (placements[table].kind !== 'distributed') return lockTogether(trx, rows)
  const column = sql.ref(key[0] as string)
  const { rows: values } = await sql<{ value: string }>`
    SELECT DISTINCT ${column}::text COLLATE "C" AS value FROM ${keys} ORDER BY 1 LIMIT ${MAX_VALUES + 1}`.execute(trx)
  if (values.length > MAX_VALUES) return
  for (const { value } of values)
    await sql`
      SELECT 1 FROM ${sql.table(table)}
      WHERE ${column} = ${value} AND (${list(key)}) IN (SELECT ${list(key)} FROM ${keys} WHERE ${column} = ${value})
      ORDER BY ${list(key)} FOR NO KEY UPDATE`.execute(trx)
}
