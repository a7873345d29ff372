import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tooManyRequests } from '../identity/api-error.ts'
import { countAttempt, webhookSendsByAccount } from '../identity/attempts.ts'
import { audit } from '../identity/audit.ts'
import { checkCsrf } from '../identity/csrf.ts'
import { readBody, readUuid } from '../identity/read-body.ts'
import { requireSession } from '../identity/session.ts'
import type { SignIn } from '../identity/sign-in.ts'
import { askedBy, type AskingSession } from '../identity/with-account.ts'
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
export function registerWebhooks(scope: FastifyInstance, signIn: SignIn): void {
  scope.get('/api/webhooks', webhookOperations.list, async (request) => {
    const { accountId } = await requireSession(signIn, request)
    return { webhooks: (await listEndpoints(signIn, accountId)).map(view), eventTypes }
  })

  scope.post('/api/webhooks', webhookOperations.create, async (request, reply) => {
    checkCsrf(signIn, request)
    const session = await requireSession(signIn, request)
    const { endpoint, secret } = await createEndpoint(noting(signIn, request, session), session.accountId, request.body)
    return reply.code(201).send({ ...view(endpoint), secret })
  })

  scope.get('/api/webhooks/:id', webhookOperations.view, async (request: OfWebhook) => view(await own(signIn, request)))

  scope.patch('/api/webhooks/:id', webhookOperations.change, async (request: OfWebhook) => {
    checkCsrf(signIn, request)
    const session = await requireSession(signIn, request)
    return view(await updateEndpoint(noting(signIn, request, session), await own(signIn, request), request.body))
  })

  scope.delete('/api/webhooks/:id', webhookOperations.remove, async (request: OfWebhook, reply) => {
    checkCsrf(signIn, request)
    const session = await requireSession(signIn, request)
    await deleteEndpoint(noting(signIn, request, session), await own(signIn, request))
    return reply.code(204).send()
  })

  // The new secret is shown this once; the old one signs beside it for a day.
  scope.post('/api/webhooks/:id/rotate', webhookOperations.rotate, async (request: OfWebhook) => {
    checkCsrf(signIn, request)
    const session = await requireSession(signIn, request)
    const { endpoint, secret } = await rotateSecret(noting(signIn, request, session), await own(signIn, request))
    return { ...view(endpoint), secret }
  })

  scope.post('/api/webhooks/:id/test', webhookOperations.test, async (request: OfWebhook, reply) => {
    checkCsrf(signIn, request)
    const endpoint = await own(signIn, request)
    await countSend(signIn, endpoint)
    return reply.code(202).send({ id: await sendTest(signIn, endpoint) })
  })

  scope.get('/api/webhooks/:id/deliveries', webhookOperations.deliveries, async (request: OfWebhook) =>
    readLog(signIn, await own(signIn, request), request.query),
  )

  scope.get('/api/webhooks/:id/deliveries/:delivery', webhookOperations.delivery, async (request: OfDelivery) =>
    readMessage(signIn, await own(signIn, request), request.params.delivery),
  )

  scope.post(
    '/api/webhooks/:id/deliveries/:delivery/redeliver',
    webhookOperations.redeliver,
    async (request: OfDelivery, reply) => {
      checkCsrf(signIn, request)
      const endpoint = await own(signIn, request)
      await countSend(signIn, endpoint)
      await redeliver(signIn, endpoint, request.params.delivery)
      return reply.code(202).send({ redelivered: 1 })
    },
  )

  scope.post('/api/webhooks/:id/redeliver', webhookOperations.redeliverFailed, async (request: OfWebhook, reply) => {
    checkCsrf(signIn, request)
    const endpoint = await own(signIn, request)
    await countSend(signIn, endpoint)
    const from = new Date(readBody(sinceShape, request.body).since)
    return reply.code(202).send({ redelivered: await redeliverFailed(signIn, endpoint, from) })
  })
}

async function own(signIn: SignIn, request: OfWebhook | OfDelivery): Promise<Endpoint> {
  const { accountId } = await requireSession(signIn, request)
  return requireEndpoint(signIn, readUuid(request.params.id, 'Webhook'), accountId)
}

/** @throws ApiError too_many_requests */
async function countSend(signIn: SignIn, { accountId }: Endpoint): Promise<void> {
  const count = await countAttempt(signIn, webhookSendsByAccount, accountId)
  if (count.exceeded) throw tooManyRequests(count.retryAfter)
}

/** Without whose it is: the caller's. */
function view(endpoint: Endpoint): Omit<Endpoint, 'accountId'> {
  const shown: Partial<Endpoint> = { ...endpoint }
  delete shown.accountId
  return shown as Omit<Endpoint, 'accountId'>
}

/** What is done with these is done in the session's name, and noted with it. */
const noting = (signIn: SignIn, request: FastifyRequest, session: AskingSession): WebhookDependencies => ({
  ...askedBy(signIn, request, session),
  network: request.network,
  note: (trx, event, { id, accountId }) =>
    audit(signIn, { accountId, event, network: request.network, details: { webhook: id } }, trx),
})
