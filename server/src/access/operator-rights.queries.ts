import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface ChangedToken {
  tokenId: string
  name: string
}

/** Revokes the ingest tokens that need operator rights. */
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

/** Plans that accounts cannot choose themselves. */
const onClosedPlan = sql<boolean>`plan <> 'free' AND plan NOT IN (SELECT plan FROM plans WHERE open)`

/** Sets tokens whose plan needs operator rights to the plan `free`. */
export async function endOperatorPlans(transaction: Transaction<DB>, accountId: string): Promise<ChangedToken[]> {
  return transaction
    .updateTable('server_tokens')
    .set({ plan: 'free', plan_needs_operator: false })
    .where('account_id', '=', accountId)
    .where('plan_needs_operator', '=', true)
    .where(onClosedPlan)
    .returning(['token_id as tokenId', 'name'])
    .execute()
}

export interface AssignedPlan {
  tokenId: string
  accountId: string
  plan: string
}

/** Tokens of other accounts whose plan this operator assigned. */
export async function listAssignedPlans(kysely: Kysely<DB>, operatorId: string, now: Date): Promise<AssignedPlan[]> {
  return kysely
    .selectFrom('server_tokens')
    .select(['token_id as tokenId', 'account_id as accountId', 'plan'])
    .where('plan_assigned_by', '=', operatorId)
    .where('account_id', '!=', operatorId)
    .where('revoked_at', 'is', null)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
    .where(onClosedPlan)
    .orderBy('account_id')
    .orderBy('token_id')
    .execute()
}
