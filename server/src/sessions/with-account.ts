import type { Transaction } from 'kysely'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import type { FastifyRequest } from 'fastify'
import { isOperator, lockAccount } from '../accounts/account.queries.ts'
import { operatorRequired, signInRequired } from '../api/api-error.ts'
import { holdSession, type SessionRecord } from './session.queries.ts'
import type { Services } from '../services.ts'

/** The browser session in whose name something is done. */
export type AskingSession = Pick<SessionRecord, 'accountId' | 'sessionHash'>

interface Asked {
  database: Pick<Database, 'kysely'>
  asking?: AskingSession
}

/**
 * Does something for an account in a transaction, one at a time: what is counted stays so until it ends, and the
 * account stays there. Where a session asks (`askedBy`), it is looked at once more under the lock, and lives until the
 * transaction ends: a request that waited while its session was ended does nothing (docs/decisions/0024).
 * @throws ApiError sign_in_required when the account is gone, or the session that asks
 */
export async function withAccount<Result>(
  { database, asking }: Asked,
  accountId: string,
  work: (transaction: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  return database.kysely.transaction().execute(async (transaction) => {
    if (!(await lockAccount(transaction, accountId))) throw signInRequired()
    if (asking) await requireLiving(transaction, { ...asking, accountId })
    return work(transaction)
  })
}

/** The same for the account of a session, as long as that is not ended. @throws ApiError sign_in_required */
export async function withSession<Result>(
  { database }: Asked,
  session: AskingSession,
  work: (transaction: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  return withAccount({ database, asking: session }, session.accountId, work)
}

/**
 * The same for an account that is an operator until the transaction ends.
 * @throws ApiError sign_in_required, permission_denied
 */
export async function withOperator<Result>(
  deps: Asked,
  session: AskingSession,
  work: (transaction: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  return withSession(deps, session, async (transaction) => {
    if (!(await isOperator(transaction, session.accountId))) throw operatorRequired()
    return work(transaction)
  })
}

/** A session and the network from which it asks. */
export interface Asking extends AskingSession {
  network: string
}

/** What is done with these for the session's account is done in the session's name. */
export const askedBy = (
  services: Services,
  { network }: FastifyRequest,
  { accountId, sessionHash }: AskingSession,
): Services & { asking: Asking } => ({ ...services, asking: { accountId, sessionHash, network } })

/** Once the locks of all accounts are held. @throws ApiError sign_in_required when the session was ended */
export async function requireLiving(transaction: Transaction<DB>, session: AskingSession): Promise<void> {
  if (!(await holdSession(transaction, session))) throw signInRequired()
}
