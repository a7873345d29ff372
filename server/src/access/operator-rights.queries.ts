import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'

/** A token that changed. */
export interface ChangedToken {
  tokenId: string
  name: string
}

/** Revokes the ingest tokens that only an operator may have. */
export async function revokeOperatorTokens(
  transaction: Transaction<DB>,
  accountId: string,
  at: Date,
): Promise<ChangedToken[]> {
  return transaction
    .updateTable('ingest_tokens')
    .set({ revoked_at: at })
    .where('account_id', '=', accountId)
    .where('needs_operator', '=', true)
    .where('revoked_at', 'is', null)
    .returning(['token_id as tokenId', 'name'])
    .execute()
}

/** Puts the tokens back on the plan `free` for which the account chose a plan as an operator. */
export async function endOperatorPlans(transaction: Transaction<DB>, accountId: string): Promise<ChangedToken[]> {
  return transaction
    .updateTable('server_tokens')
    .set({ plan: 'free', plan_needs_operator: false })
    .where('account_id', '=', accountId)
    .where('plan_needs_operator', '=', true)
    .where('plan', 'not in', (row) => row.selectFrom('plans').select('plan').where('open', '=', true))
    .returning(['token_id as tokenId', 'name'])
    .execute()
}
