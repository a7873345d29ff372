import type { Transaction } from 'kysely'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import { lockAccount } from './account.queries.ts'
import { signInRequired } from './api-error.ts'

/**
 * Does something for an account in a transaction, one at a time: what is counted stays so until it ends, and the
 * account stays there. @throws ApiError sign_in_required when the account is gone
 */
export async function withAccount<Result>(
  { database }: { database: Pick<Database, 'kysely'> },
  accountId: string,
  work: (transaction: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  return database.kysely.transaction().execute(async (transaction) => {
    if (!(await lockAccount(transaction, accountId))) throw signInRequired()
    return work(transaction)
  })
}
