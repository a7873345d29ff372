import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

const UNIQUE_VIOLATION = '23505'

/** Retries part of a transaction after a concurrent insert of the same object; the retry updates it. */
export async function retryOnConflict<T>(trx: Kysely<DB>, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await sql`SAVEPOINT merge`.execute(trx)
    try {
      return await work()
    } catch (error) {
      if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION || attempt === 3) throw error
      await sql`ROLLBACK TO SAVEPOINT merge`.execute(trx)
    }
  }
}
