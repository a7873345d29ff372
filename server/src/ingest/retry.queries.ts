import { type Kysely, sql } from 'kysely'
import { DEADLOCK_DETECTED, isUniqueViolation } from '../database/sql-states.ts'
import type { DB } from '../database/tables.ts'

/**
 * Retries part of a transaction after a concurrent insert of the same object, which the retry updates, and after a
 * deadlock with a transaction that locks the same objects in another order.
 */
export async function retryOnConflict<T>(trx: Kysely<DB>, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await sql`SAVEPOINT merge`.execute(trx)
    try {
      return await work()
    } catch (error) {
      const deadlock = (error as { code?: unknown }).code === DEADLOCK_DETECTED
      if ((!isUniqueViolation(error) && !deadlock) || attempt === 3) throw error
      await sql`ROLLBACK TO SAVEPOINT merge`.execute(trx)
    }
  }
}
