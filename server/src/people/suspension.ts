import type { Transaction } from 'kysely'
import { endAccess, findSuspension, storeSuspension, type Suspension } from '../accounts/suspension.queries.ts'
import { readTextParameter } from '../api/read-body.ts'
import { audit, type AuditEntry } from '../audit/audit.ts'
import type { DB } from '../database/tables.ts'
import { conflict } from '../errors.ts'
import { nowOf, type Services } from '../services.ts'
import { disableWebhooksOf } from '../webhooks/disable.ts'
import type { Actor } from './withdraw-operator.ts'

const MAX_REASON = 500

type SuspensionServices = Pick<Services, 'clock' | 'random' | 'log'>

export interface Suspended extends Suspension {
  sessions: number
  webhooks: number
}

/** @throws ApiError */
export function checkedReason(reason: string): string {
  return readTextParameter('reason', reason.trim(), 1, MAX_REASON)
}

/**
 * Suspends a locked account: it cannot sign in, its tokens are refused, apps lose access, and its webhooks are disabled.
 * @throws ApiError already_suspended
 */
export async function suspendAccount(
  services: SuspensionServices,
  transaction: Transaction<DB>,
  accountId: string,
  reason: string,
  { network, by }: Actor,
): Promise<Suspended> {
  if (await findSuspension(transaction, accountId))
    throw conflict('already_suspended', 'The account is suspended already')
  const suspension = { suspendedAt: nowOf(services), reason }
  await storeSuspension(transaction, accountId, suspension)
  const sessions = await endAccess(transaction, accountId)
  const webhooks = await disableWebhooksOf(transaction, accountId, 'its account is suspended', suspension.suspendedAt)
  const note = (event: AuditEntry['event'], details: Record<string, string>) =>
    audit(services, { accountId, event, network, details: { ...details, by } }, transaction)
  await note('account.suspended', { reason })
  for (const webhook of webhooks) await note('webhook.changed', { webhook })
  return { ...suspension, sessions, webhooks: webhooks.length }
}

/** Ends the suspension of a locked account. Its webhooks stay disabled. @throws ApiError not_suspended */
export async function resumeAccount(
  services: SuspensionServices,
  transaction: Transaction<DB>,
  accountId: string,
  { network, by }: Actor,
): Promise<void> {
  if (!(await findSuspension(transaction, accountId))) throw conflict('not_suspended', 'The account is not suspended')
  await storeSuspension(transaction, accountId, null)
  await audit(services, { accountId, event: 'account.resumed', network, details: { by } }, transaction)
}
