import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { failedRead } from '../distribution/failed-read.ts'
import { type Name, namesOf } from './boards.queries.ts'
import { noteAddresses } from './profile-changes.queries.ts'

/**
 * The profiles of members that join boards. On a cluster, they can be on a node that is down. Then the members join without
 * names, and are recorded, so that the periodic task adds the names later (settleProfileChanges).
 */
export async function namesOfNewcomers(trx: Kysely<DB>, addresses: readonly string[]): Promise<Map<string, Name>> {
  if (addresses.length === 0) return new Map()
  await sql`SAVEPOINT names`.execute(trx)
  let names: Map<string, Name>
  try {
    names = await namesOf(trx, addresses)
  } catch (error) {
    if (failedRead(error) !== 'node') throw error
    // Fails, too, if the connection of the transaction is lost.
    await sql`ROLLBACK TO SAVEPOINT names`.execute(trx)
    await noteAddresses(trx, addresses)
    return new Map()
  }
  // If a node is lost now, the transaction fails: the savepoint has ended.
  await sql`RELEASE SAVEPOINT names`.execute(trx)
  return names
}
