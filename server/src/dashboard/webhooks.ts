import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tooManyRequests } from '../api/api-error.ts'
import { countAttempt, webhookSendsByAccount } from '../rate-limit/rate-limit.ts'
import { audit } from '../audit/audit.ts'
import { checkCsrf } from '../sessions/csrf.ts'
import { readBody, readUuid } from '../api/read-body.ts'
import { requireSession } from '../sessions/session.ts'
import type { Services } from '../services.ts'
import { askedBy, type AskingSession } from '../sessions/with-account.ts'
import {
  createEndpoint,
  deleteEndpoint,
  type Endpoint,
  listEndpoints,
  requireEndpoint,
  rotateSecret,
  sendTest,
  updateEndpoint,
  type WebhookDependencies,
} from '../webhooks/endpoints.ts'
import { eventTypes } from '../webhooks/events.ts'
import { readLog, readMessage, redeliver, redeliverFailed } from '../webhooks/log.ts'
import { sinceShape } from './request-shapes.ts'
import { webhookOperations } from './webhook-operations.ts'

type OfWebhook = FastifyRequest<{ Params: { id: string } }>
type OfDelivery = FastifyRequest<{ Params: { id: string; delivery: string } }>

/** `/api/webhooks…`: an account's webhooks and their delivery log (docs/webhooks.md). */
export function registerWebhooks(scope: FastifyInstance, services: Services): void {
  scope.get('/api/webhooks', webhookOperations.list, async (request) => {
    const { accountId } = await requireSession(services, request)
    return { webhooks: (await listEndpoints(services, accountId)).map(view), eventTypes }
  })

  scope.post('/api/webhooks', webhookOperations.create, async (request, reply) => {
    checkCsrf(services, request)
    const session = await requireSession(services, request)
    const { endpoint, secret } = await createEndpoint(
      noting(services, request, session),
      session.accountId,
      request.body,
    )
    return reply.code(201).send({ ...view(endpoint), secret })
  })

  scope.get('/api/webhooks/:id', webhookOperations.view, async (request: OfWebhook) =>
    view(await own(services, request)),
  )

  scope.patch('/api/webhooks/:id', webhookOperations.change, async (request: OfWebhook) => {
    checkCsrf(services, request)
    const session = await requireSession(services, request)
    return view(await updateEndpoint(noting(services, request, session), await own(services, request), request.body))
  })

  scope.delete('/api/webhooks/:id', webhookOperations.remove, async (request: OfWebhook, reply) => {
    checkCsrf(services, request)
    const session = await requireSession(services, request)
    await deleteEndpoint(noting(services, request, session), await own(services, request))
    return reply.code(204).send()
  })

  // The new secret is shown this once; the old one signs beside it for a day.
  scope.post('/api/webhooks/:id/rotate', webhookOperations.rotate, async (request: OfWebhook) => {
    checkCsrf(services, request)
    const session = await requireSession(services, request)
    const { endpoint, secret } = await rotateSecret(noting(services, request, session), await own(services, request))
    return { ...view(endpoint), secret }
  })

  scope.post('/api/webhooks/:id/test', webhookOperations.test, async (request: OfWebhook, reply) => {
    checkCsrf(services, request)
    const endpoint = await own(services, request)
    await countSend(services, endpoint)
    return reply.code(202).send({ id: await sendTest(services, endpoint) })
  })

  scope.get('/api/webhooks/:id/deliveries', webhookOperations.deliveries, async (request: OfWebhook) =>
    readLog(services, await own(services, request), request.query),
  )

  scope.get('/api/webhooks/:id/deliveries/:delivery', webhookOperations.delivery, async (request: OfDelivery) =>
    readMessage(services, await own(services, request), request.params.delivery),
  )

  scope.post(
    '/api/webhooks/:id/deliveries/:delivery/redeliver',
    webhookOperations.redeliver,
    async (request: OfDelivery, reply) => {
      checkCsrf(services, request)
      const endpoint = await own(services, request)
      await countSend(services, endpoint)
      await redeliver(services, endpoint, request.params.delivery)
      return reply.code(202).send({ redelivered: 1 })
    },
  )

  scope.post('/api/webhooks/:id/redeliver', webhookOperations.redeliverFailed, async (request: OfWebhook, reply) => {
    checkCsrf(services, request)
    const endpoint = await own(services, request)
    await countSend(services, endpoint)
    const from = new Date(readBody(sinceShape, request.body).since)
    return reply.code(202).send({ redelivered: await redeliverFailed(services, endpoint, from) })
  })
}

async function own(services: Services, request: OfWebhook | OfDelivery): Promise<Endpoint> {
  const { accountId } = await requireSession(services, request)
  return requireEndpoint(services, readUuid(request.params.id, 'Webhook'), accountId)
}

/** @throws ApiError too_many_requests */
async function countSend(services: Services, { accountId }: Endpoint): Promise<void> {
  const count = await countAttempt(services, webhookSendsByAccount, accountId)
  if (count.exceeded) throw tooManyRequests(count.retryAfter)
}

/** Without whose it is: the caller's. */
function view(endpoint: Endpoint): Omit<Endpoint, 'accountId'> {
  const shown: Partial<Endpoint> = { ...endpoint }
  delete shown.accountId
  return shown as Omit<Endpoint, 'accountId'>
}

/** What is done with these is done in the session's name, and noted with it. */
const noting = (services: Services, request: FastifyRequest, session: AskingSession): WebhookDependencies => ({
  ...askedBy(services, request, session),
  network: request.network,
  note: (trx, event, { id, accountId }) =>
    audit(services, { accountId, event, network: request.network, details: { webhook: id } }, trx),
})
