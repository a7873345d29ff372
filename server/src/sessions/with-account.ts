import type { Transaction } from 'kysely'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import type { FastifyRequest } from 'fastify'
import { isOperator, lockAccount } from '../accounts/account.queries.ts'
import { operatorRequired, signInRequired } from '../errors.ts'
import { holdSession } from './session.queries.ts'
import type { Services } from '../services.ts'

/** A browser session. */
export interface SessionRef {
  accountId: string
  sessionHash: Buffer
}

/** The session that requests a change, and the network of the request. */
export interface RequestActor extends SessionRef {
  network: string
}

export interface RequestServices extends Services {
  /** withAccount checks this session again under the lock of the account. */
  actor?: RequestActor
}

export interface SessionServices extends Services {
  actor: RequestActor
}

interface AccountDependencies {
  database: Pick<Database, 'kysely'>
  actor?: SessionRef
}

/**
 * Runs work in a transaction that holds the lock of an account. With an actor (`withActor`), checks its
 * session again under the lock: a request that waited while its session was ended changes nothing
 * (docs/decisions/0024).
 * @throws ApiError sign_in_required if the account or the session is gone
 */
export async function withAccount<Result>(
  { database, actor }: AccountDependencies,
  accountId: string,
  work: (transaction: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  return database.kysely.transaction().execute(async (transaction) => {
    await lockAccountAndSession(transaction, accountId, actor)
    return work(transaction)
  })
}

/** The lock and the check of withAccount, for a transaction of the caller. @throws ApiError sign_in_required */
export async function lockAccountAndSession(
  transaction: Transaction<DB>,
  accountId: string,
  actor?: SessionRef,
): Promise<void> {
  if (!(await lockAccount(transaction, accountId))) throw signInRequired()
  if (actor) await requireLiveSession(transaction, { ...actor, accountId })
}

/** Like withAccount, for the account of a session. @throws ApiError sign_in_required */
export async function withSession<Result>(
  { database }: AccountDependencies,
  session: SessionRef,
  work: (transaction: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  return withAccount({ database, actor: session }, session.accountId, work)
}

/**
 * Like withSession, for an account that is an operator until the transaction ends.
 * @throws ApiError sign_in_required, permission_denied
 */
export async function withOperator<Result>(
  { database }: AccountDependencies,
  session: SessionRef,
  work: (transaction: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  return database.kysely.transaction().execute(async (transaction) => {
    await lockOperatorAndSession(transaction, session)
    return work(transaction)
  })
}

/** The lock and the checks of withOperator, for a transaction of the caller. @throws ApiError like withOperator */
export async function lockOperatorAndSession(transaction: Transaction<DB>, session: SessionRef): Promise<void> {
  if (!(await lockAccount(transaction, session.accountId))) throw signInRequired()
  await requireLiveOperator(transaction, session)
}

/** Returns services whose changes of the session's account require that session to be live. */
export const withActor = (
  services: Services,
  { network }: FastifyRequest,
  { accountId, sessionHash }: SessionRef,
): SessionServices => ({ ...services, actor: { accountId, sessionHash, network } })

/** Call it after all accounts are locked. @throws ApiError sign_in_required if the session was ended */
export async function requireLiveSession(transaction: Transaction<DB>, session: SessionRef): Promise<void> {
  if (!(await holdSession(transaction, session))) throw signInRequired()
}

/** Call it after all accounts are locked. @throws ApiError sign_in_required, permission_denied */
export async function requireLiveOperator(transaction: Transaction<DB>, session: SessionRef): Promise<void> {
  await requireLiveSession(transaction, session)
  if (!(await isOperator(transaction, session.accountId))) throw operatorRequired()
}
