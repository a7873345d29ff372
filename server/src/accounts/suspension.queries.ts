import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { endSessionsOf } from './ended-sessions.queries.ts'

export interface Suspension {
  suspendedAt: Date
  reason: string
}

export async function findSuspension(kysely: Kysely<DB>, accountId: string): Promise<Suspension | null> {
  const row = await kysely
    .selectFrom('accounts')
    .select(['suspended_at as suspendedAt', 'suspension_reason as reason'])
    .where('account_id', '=', accountId)
    .where('suspended_at', 'is not', null)
    .executeTakeFirst()
  return (row as Suspension | undefined) ?? null
}

/** Suspends a locked account with its tokens, or ends the suspension. */
export async function storeSuspension(
  transaction: Transaction<DB>,
  accountId: string,
  suspension: Suspension | null,
): Promise<void> {
  const at = suspension?.suspendedAt ?? null
  await transaction
    .updateTable('accounts')
    .set({ suspended_at: at, suspension_reason: suspension?.reason ?? null })
    .where('account_id', '=', accountId)
    .execute()
  for (const table of ['server_tokens', 'ingest_tokens'] as const)
    await transaction.updateTable(table).set({ suspended_at: at }).where('account_id', '=', accountId).execute()
}

/** Ends the sessions of an account, its open sign-ins, and what apps received from it. */
export async function endAccess(transaction: Transaction<DB>, accountId: string): Promise<number> {
  const ended = await endSessionsOf(transaction, accountId)
  for (const table of ['challenges', 'authorization_codes', 'grants'] as const)
    await transaction.deleteFrom(table).where('account_id', '=', accountId).execute()
  return ended
}
