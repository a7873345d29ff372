import type { Transaction } from 'kysely'
import { isOperator, lockAccount } from '../accounts/account.queries.ts'
import type { DB } from '../database/tables.ts'
import { notFound, operatorRequired } from '../errors.ts'
import { requireLiving, type SessionServices } from '../sessions/with-account.ts'

/** Runs work in a transaction that holds the locks of the operator and of the account. @throws ApiError */
export function withPerson<Result>(
  { database, asking }: SessionServices,
  accountId: string,
  work: (trx: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  return database.kysely.transaction().execute(async (trx) => {
    // In the order of IDs, so that two operators cannot deadlock.
    for (const id of [...new Set([accountId, asking.accountId])].toSorted())
      if (!(await lockAccount(trx, id)) && id === accountId) throw notFound('Account')
    await requireOperatorSession(trx, asking)
    return work(trx)
  })
}

/** @throws ApiError sign_in_required, permission_denied */
export async function requireOperatorSession(trx: Transaction<DB>, asking: SessionServices['asking']): Promise<void> {
  await requireLiving(trx, asking)
  if (!(await isOperator(trx, asking.accountId))) throw operatorRequired()
}
