import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { lockTogether } from './locks.queries.ts'
import type { Table } from './placements.ts'
import { isPlaced } from './staging.queries.ts'

/**
 * Locks the matching rows of a table in the order of their keys, which prevents deadlocks. On a cluster it locks nothing,
 * because the rows are on several nodes. After a deadlock there, the client can retry.
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
