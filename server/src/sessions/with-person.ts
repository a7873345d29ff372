import type { Transaction } from 'kysely'
import { lockAccount } from '../accounts/account.queries.ts'
import type { DB } from '../database/tables.ts'
import { notFound } from '../errors.ts'
import { requireLiveOperator, type SessionServices } from './with-account.ts'

/** Runs work in a transaction that holds the locks of the operator and of the account. @throws ApiError */
export function withPerson<Result>(
  { database, actor }: SessionServices,
  accountId: string,
  work: (trx: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  return database.kysely.transaction().execute(async (trx) => {
    // In the order of IDs, so that two operators cannot deadlock.
    for (const id of [...new Set([accountId, actor.accountId])].toSorted())
      if (!(await lockAccount(trx, id)) && id === accountId) throw notFound('Account')
    await requireLiveOperator(trx, actor)
    return work(trx)
  })
}
