import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { sidOf } from '../secrets/sid.ts'

/** The columns that a statement returns that deletes sessions. */
export const ENDED = ['session_id as sessionId', 'account_id as accountId'] as const

export interface EndedSession {
  sessionId: string
  accountId: string
}

/**
 * Queues a notice for each app that these sessions had signed in to, in the transaction that ends them. Their codes end
 * too: an id_token that is issued after the notice would start a session in the app without an end.
 */
export async function noteEndedSessions(
  transaction: Transaction<DB>,
  sessions: readonly EndedSession[],
): Promise<void> {
  // In a fixed order, to avoid deadlocks; one after the other, because they may be on several nodes.
  for (const { sessionId, accountId } of sessions.toSorted((one, other) =>
    one.sessionId < other.sessionId ? -1 : 1,
  )) {
    const apps = await transaction
      .deleteFrom('session_apps')
      .where('session_id', '=', sessionId)
      .returning('client_id')
      .execute()
    if (apps.length === 0) continue
    await transaction
      .deleteFrom('authorization_codes')
      .where('account_id', '=', accountId)
      .where('session_id', '=', sessionId)
      .where('spent_at', 'is', null)
      .execute()
    await transaction
      .insertInto('logout_notices')
      .values(apps.map(({ client_id }) => ({ client_id, account_id: accountId, sid: sidOf(sessionId, client_id) })))
      .execute()
  }
}

/** Ends all sessions of an account. Returns how many. */
export async function endSessionsOf(transaction: Transaction<DB>, accountId: string): Promise<number> {
  const ended = await transaction.deleteFrom('sessions').where('account_id', '=', accountId).returning(ENDED).execute()
  await noteEndedSessions(transaction, ended)
  return ended.length
}

/** Notices that apps have not received yet keep the session, but no longer contain the account. */
export async function forgetNoticesOf(transaction: Transaction<DB>, accountIds: readonly string[]): Promise<void> {
  await transaction
    .updateTable('logout_notices')
    .set({ account_id: null })
    .where('account_id', 'in', accountIds)
    .execute()
}
