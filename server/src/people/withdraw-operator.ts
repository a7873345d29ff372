import type { Transaction } from 'kysely'
import {
  type AssignedPlan,
  endOperatorPlans,
  listAssignedPlans,
  revokeOperatorTokens,
} from '../access/operator-rights.queries.ts'
import type { DB } from '../database/tables.ts'
import type { Services } from '../services.ts'
import { setOperator } from '../accounts/account.queries.ts'
import { audit, type AuditEntry } from '../audit/audit.ts'
import { disableWebhooksOfOperator } from '../webhooks/disable.ts'

/** The author of a change of another account, for the log. */
export interface Actor {
  network: string
  by: 'command' | 'operator'
}

/** The objects that ended with the operator rights, and those that remain. */
export interface Withdrawal {
  ended: { ingestTokens: number; plans: number; webhooks: number }
  /** Plans that the operator assigned to tokens of other accounts remain. */
  kept: AssignedPlan[]
}

/**
 * Revokes the rights of an operator and everything that requires them. The caller has locked the account. The audit
 * entry lists the plans that remain.
 */
export async function withdrawOperator(
  deps: Pick<Services, 'clock' | 'random' | 'log'>,
  transaction: Transaction<DB>,
  accountId: string,
  { network, by }: Actor,
): Promise<Withdrawal> {
  const now = new Date(deps.clock.now())
  await setOperator(transaction, accountId, null)
  const note = (event: AuditEntry['event'], details: Record<string, string>) =>
    audit(deps, { accountId, event, network, details: { ...details, by } }, transaction)
  const kept = await listAssignedPlans(transaction, accountId, now)
  const keptPlans = kept.map(({ tokenId, plan }) => `${tokenId} ${plan}`).join(', ')
  await note('account.operator-withdrawn', kept.length > 0 ? { keptPlans } : {})
  const tokens = await revokeOperatorTokens(transaction, accountId, now)
  for (const { tokenId, name } of tokens) await note('ingest-token.revoked', { tokenId, name })
  const plans = await endOperatorPlans(transaction, accountId)
  for (const { tokenId, name } of plans) await note('token.plan-changed', { tokenId, name, plan: 'free' })
  const webhooks = await disableWebhooksOfOperator(transaction, accountId, now)
  for (const webhook of webhooks) await note('webhook.changed', { webhook })
  return { ended: { ingestTokens: tokens.length, plans: plans.length, webhooks: webhooks.length }, kept }
}
