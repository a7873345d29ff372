import type { Kysely } from 'kysely'
import { z } from 'zod'
import { findAccountNames } from '../../accounts/account.queries.ts'
import { time, uuid } from '../../api/response-shapes.ts'
import type { DB } from '../../database/tables.ts'
import { findLateMessages, findLateAndDisabledWebhooks } from './health.queries.ts'

const MAX_SHOWN = 100

/** Without the path of the URL, which can be a secret of the owner. */
export const lateOrDisabledWebhookShape = z.strictObject({
  id: uuid,
  host: z.string(),
  accountId: uuid,
  username: z.string().nullable().describe('Of the owner; null if the owner has no username'),
  disabledAt: time.nullable(),
  disabledReason: z.string().nullable(),
  failingSince: time.nullable(),
  pausedUntil: time.nullable().describe('The end of the pause that the receiver asked for'),
  late: z.int().describe('Messages that were due more than five minutes ago'),
  lateSince: time.nullable().describe('When the oldest of them was due'),
})

/** The webhooks that the counts `deliveriesLate` and `webhooksDisabled` are about, with their owners. */
export async function lateAndDisabledWebhooks(kysely: Kysely<DB>, now: Date) {
  const late = await findLateMessages(kysely, now, MAX_SHOWN)
  const ids = late.map(({ endpointId }) => endpointId)
  const webhooks = await findLateAndDisabledWebhooks(kysely, ids, MAX_SHOWN)
  const accountIds = [...new Set(webhooks.map(({ accountId }) => accountId))]
  const usernames = await findAccountNames(kysely, accountIds)
  const lateOf = new Map(late.map((one) => [one.endpointId, one]))
  return webhooks.map(({ endpointId, url, accountId, ...state }) => ({
    id: endpointId,
    host: new URL(url).host,
    accountId,
    username: usernames.get(accountId) ?? null,
    ...state,
    late: lateOf.get(endpointId)?.count ?? 0,
    lateSince: lateOf.get(endpointId)?.since ?? null,
  }))
}
