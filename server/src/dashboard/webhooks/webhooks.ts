import type { FastifyInstance } from 'fastify'
import { audit } from '../../audit/audit.ts'
import { route } from '../../api/route.ts'
import { limitByAccount } from '../../rate-limits/limit-by-account.ts'
import { webhookSendsByAccount } from '../../rate-limits/limits.ts'
import type { Services } from '../../services.ts'
import {
  createEndpoint,
  deleteEndpoint,
  type Endpoint,
  listEndpoints,
  rotateSecret,
  sendTest,
  updateEndpoint,
  type WebhookDependencies,
} from '../../webhooks/endpoints.ts'
import { eventTypes } from '../../webhooks/events.ts'
import { readLog, readMessage, redeliver, redeliverFailed } from '../../webhooks/log.ts'
import { webhookDescriptions } from './webhook-route-descriptions.ts'

/** `/api/webhooks…`: the account's webhooks and their delivery log (docs/webhooks.md). */
export function registerWebhooks(scope: FastifyInstance, services: Services): void {
  route(scope, services, webhookDescriptions.list, async ({ services, accountId }) => ({
    webhooks: (await listEndpoints(services, accountId)).map(view),
    eventTypes,
  }))

  route(scope, services, webhookDescriptions.create, async (call) => {
    const { endpoint, secret } = await createEndpoint(noting(call), call.accountId, call.body)
    return { ...view(endpoint), secret }
  })

  route(scope, services, webhookDescriptions.view, ({ resource }) => view(resource))

  route(scope, services, webhookDescriptions.change, async (call) =>
    view(await updateEndpoint(noting(call), call.resource, call.body)),
  )

  route(scope, services, webhookDescriptions.remove, (call) => deleteEndpoint(noting(call), call.resource))

  route(scope, services, webhookDescriptions.rotate, async (call) => {
    const { endpoint, secret } = await rotateSecret(noting(call), call.resource)
    return { ...view(endpoint), secret }
  })

  route(scope, services, webhookDescriptions.test, async ({ services, resource }) => ({
    id: await sendTest(services, resource),
  }))

  route(scope, services, webhookDescriptions.deliveries, ({ services, resource, query }) =>
    readLog(services, resource, query),
  )

  route(scope, services, webhookDescriptions.delivery, ({ services, resource, params }) =>
    readMessage(services, resource, params.delivery),
  )

  route(scope, services, webhookDescriptions.redeliver, async ({ services, resource, params }) => {
    await redeliver(services, resource, params.delivery)
    return { redelivered: 1 }
  })

  route(scope, services, webhookDescriptions.redeliverFailed, async ({ services, accountId, resource, body }) => {
    await limitByAccount(services, webhookSendsByAccount, accountId)
    return { redelivered: await redeliverFailed(services, resource, new Date(body.since)) }
  })
}

/** Without the account id, which is the caller's. */
function view(endpoint: Endpoint): Omit<Endpoint, 'accountId'> {
  const shown: Partial<Endpoint> = { ...endpoint }
  delete shown.accountId
  return shown as Omit<Endpoint, 'accountId'>
}

/** Dependencies whose changes are written to the audit log. */
const noting = ({ services, network }: { services: Services; network: string }): WebhookDependencies => ({
  ...services,
  network,
  note: (trx, event, { id, accountId }) =>
    audit(services, { accountId, event, network, details: { webhook: id } }, trx),
})
