import type { Transaction } from 'kysely'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import type { FastifyRequest } from 'fastify'
import { isOperator, lockAccount } from '../accounts/account.queries.ts'
import { operatorRequired, signInRequired } from '../errors.ts'
import { holdSession } from './session.queries.ts'
import type { Services } from '../services.ts'

/** A browser session that requests a change. */
export interface AskingSession {
  accountId: string
  sessionHash: Buffer
}

/** A session and the network of its request. */
export interface Asking extends AskingSession {
  network: string
}

/** The services for one request. */
export interface AskedServices extends Services {
  /** The browser session that requests a change; withAccount checks it again under the lock of the account. */
  asking?: Asking
}

/** The services for a request with a session. */
export interface SessionServices extends Services {
  asking: Asking
}

interface Asked {
  database: Pick<Database, 'kysely'>
  asking?: AskingSession
}

/**
 * Runs work in a transaction that holds the lock of an account. With a requesting session (`askedBy`), checks the
 * session again under the lock: a request that waited while its session was ended changes nothing
 * (docs/decisions/0024).
 * @throws ApiError sign_in_required if the account or the session is gone
 */
export async function withAccount<Result>(
  { database, asking }: Asked,
  accountId: string,
  work: (transaction: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  return database.kysely.transaction().execute(async (transaction) => {
    await lockAsking(transaction, accountId, asking)
    return work(transaction)
  })
}

/** The lock and the check of withAccount, for a transaction of the caller. @throws ApiError sign_in_required */
export async function lockAsking(
  transaction: Transaction<DB>,
  accountId: string,
  asking?: AskingSession,
): Promise<void> {
  if (!(await lockAccount(transaction, accountId))) throw signInRequired()
  if (asking) await requireLiving(transaction, { ...asking, accountId })
}

/** Like withAccount, for the account of a session. @throws ApiError sign_in_required */
export async function withSession<Result>(
  { database }: Asked,
  session: AskingSession,
  work: (transaction: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  return withAccount({ database, asking: session }, session.accountId, work)
}

/**
 * Like withSession, for an account that is an operator until the transaction ends.
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

/** Returns services whose changes of the session's account require that session to be live. */
export const askedBy = (
  services: Services,
  { network }: FastifyRequest,
  { accountId, sessionHash }: AskingSession,
): SessionServices => ({ ...services, asking: { accountId, sessionHash, network } })

/** Call it after all accounts are locked. @throws ApiError sign_in_required if the session was ended */
export async function requireLiving(transaction: Transaction<DB>, session: AskingSession): Promise<void> {
  if (!(await holdSession(transaction, session))) throw signInRequired()
}
