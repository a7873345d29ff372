import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { lockTogether } from './locks.queries.ts'
import type { Table } from './placements.ts'
import { isPlaced } from './staging.queries.ts'

/**
 * Locks the rows of a table that match, in the order of their keys. On a cluster it locks none, because they are on several
 * nodes; there, one of two transactions that wait for each other fails, and its client can retry.
 */
export async function lockMatching(
  trx: Kysely<DB>,
  table: Table,
  key: readonly string[],
  condition: RawBuilder<boolean>,
): Promise<void> {
  if (await isPlaced(trx, table)) return
  await lockTogether(trx, { table, key, keys: sql`(SELECT * FROM ${sql.table(table)} WHERE ${condition}) AS matching` })
}
