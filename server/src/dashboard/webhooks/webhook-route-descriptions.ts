import { z } from 'zod'
import { time, uuid } from '../../api/response-shapes.ts'
import { uuidParameter } from '../../api/read-body.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import { endpointChangesShape, endpointShape } from '../../webhooks/endpoint-form.ts'
import { readLogQuery } from '../../webhooks/log.ts'
import { endpointToSend, ownEndpoint } from './own-endpoint.ts'
import { sinceShape } from '../request-shapes.ts'

const webhookShape = z.strictObject({
  id: uuid,
  url: z.string(),
  description: z.string(),
  events: z.array(z.string()),
  spaceIds: z.array(z.int()),
  starboardIds: z.array(z.string()),
  credentialIds: z.array(z.string()),
  minPoints: z.int(),
  top: z.int(),
  boards: z.string(),
  enabled: z.boolean(),
  createdAt: time,
  disabledAt: time.nullable(),
  disabledReason: z.string().nullable(),
  failingSince: time.nullable(),
  pausedUntil: time.nullable(),
})
const withSecret = webhookShape.extend({ secret: z.string().describe('Signs deliveries; shown once') })

const deliveryShape = z.strictObject({
  id: z.string(),
  event: z.string(),
  state: z.enum(['pending', 'delivered', 'failed']),
  createdAt: time,
  nextAttemptAt: time.nullable(),
  attempts: z.int(),
  lastAttemptAt: time.nullable(),
  lastStatus: z.int().nullable(),
  lastError: z.string().nullable(),
})

const tag = 'Webhooks'
const params = { id: uuidParameter('of the webhook', 'Webhook') }
const deliveryParams = { ...params, delivery: 'id of the message' }
const redelivered = {
  status: 202,
  description: 'The number of messages.',
  shape: z.strictObject({ redelivered: z.int() }),
}
const tooManyPlaces = 'The account has set more than 20 URLs within an hour.'
const tooManySends = 'The account has sent 60 test messages and repeated deliveries within an hour.'
const disabled = { 409: 'The webhook is disabled.', 429: tooManySends }

export const webhookDescriptions = {
  list: {
    method: 'GET',
    path: '/api/webhooks',
    who: 'account',
    summary: 'List the webhooks of the account',
    tag,
    answer: {
      description: 'The webhooks, and all event types.',
      shape: z.strictObject({ webhooks: z.array(webhookShape), eventTypes: z.unknown() }),
    },
  },
  create: {
    method: 'POST',
    path: '/api/webhooks',
    who: 'account',
    summary: 'Create a webhook',
    tag,
    body: endpointShape,
    answer: { status: 201, description: 'The webhook with its secret.', shape: withSecret },
    errors: { 409: 'The account or the object has the maximum number of webhooks.', 429: tooManyPlaces },
  },
  view: {
    method: 'GET',
    path: '/api/webhooks/:id',
    who: 'account',
    summary: 'One webhook',
    tag,
    params,
    resource: ownEndpoint,
    answer: { description: 'The webhook.', shape: webhookShape },
  },
  change: {
    method: 'PATCH',
    path: '/api/webhooks/:id',
    who: 'account',
    summary: 'Change a webhook',
    tag,
    params,
    resource: ownEndpoint,
    body: endpointChangesShape,
    answer: { description: 'The webhook.', shape: webhookShape },
    errors: { 409: 'The object has the maximum number of webhooks.', 429: tooManyPlaces },
  },
  remove: {
    method: 'DELETE',
    path: '/api/webhooks/:id',
    who: 'account',
    summary: 'Delete a webhook and its log',
    tag,
    params,
    resource: ownEndpoint,
    answer: { status: 204, description: 'Deleted.' },
  },
  rotate: {
    method: 'POST',
    path: '/api/webhooks/:id/rotate',
    who: 'account',
    summary: 'Give a webhook a new secret',
    description: 'The old secret also signs for a day.',
    tag,
    params,
    resource: ownEndpoint,
    answer: { description: 'The webhook with its new secret.', shape: withSecret },
  },
  test: {
    method: 'POST',
    path: '/api/webhooks/:id/test',
    who: 'account',
    summary: 'Send a test event',
    tag,
    params,
    resource: endpointToSend,
    answer: { status: 202, description: 'Id of the message.', shape: z.strictObject({ id: z.string() }) },
    errors: disabled,
  },
  deliveries: {
    method: 'GET',
    path: '/api/webhooks/:id/deliveries',
    who: 'account',
    summary: 'List the deliveries, newest first',
    tag,
    params,
    resource: ownEndpoint,
    query: {
      limit: { description: 'page size, 1 to 100', shape: z.int().min(1).max(100) },
      before: { description: '`next` of the previous page', shape: z.string() },
      state: { description: 'only messages in this state', shape: z.enum(['pending', 'delivered', 'failed']) },
    },
    readQuery: readLogQuery,
    answer: {
      description: 'One page of messages.',
      shape: z.strictObject({ deliveries: z.array(deliveryShape), next: z.string().nullable() }),
    },
  },
  delivery: {
    method: 'GET',
    path: '/api/webhooks/:id/deliveries/:delivery',
    who: 'account',
    summary: 'Get a message with its payload and all attempts',
    tag,
    params: deliveryParams,
    resource: ownEndpoint,
    answer: {
      description: 'The message.',
      shape: deliveryShape.extend({
        payload: z.string(),
        log: z.array(
          z.strictObject({
            attempt: z.int(),
            startedAt: time,
            durationMs: z.number(),
            status: z.int().nullable(),
            error: z.string().nullable(),
            response: z.string(),
          }),
        ),
      }),
    },
  },
  redeliver: {
    method: 'POST',
    path: '/api/webhooks/:id/deliveries/:delivery/redeliver',
    who: 'account',
    summary: 'Send a message again',
    tag,
    params: deliveryParams,
    resource: endpointToSend,
    answer: redelivered,
    errors: { 409: 'The webhook is disabled, or the message is being sent.', 429: tooManySends },
  },
  redeliverFailed: {
    method: 'POST',
    path: '/api/webhooks/:id/redeliver',
    who: 'account',
    summary: 'Send failed messages since a time again',
    tag,
    params,
    resource: ownEndpoint,
    body: sinceShape,
    answer: redelivered,
    errors: disabled,
  },
} as const satisfies Record<string, RouteDescription>
