import { z } from 'zod'
import { conflict, invalidField, notFound } from '../errors.ts'
import { readBody } from '../api/read-body.ts'
import { type Endpoint, requireEnabled, type WebhookDependencies } from './endpoints.ts'
import {
  findMessage,
  listAttempts,
  listMessages,
  type LoggedAttempt,
  type LoggedMessage,
  requeueFailed,
  requeueMessage,
} from './log.queries.ts'
import { fault } from '../texts/faults.ts'

type LogDependencies = Pick<WebhookDependencies, 'database' | 'clock'>

const MAX_LISTED = 100
const limitAllowed = `must be a whole number from 1 to ${MAX_LISTED}`

const logQueryShape = z.strictObject({
  limit: z.coerce.number(limitAllowed).int(limitAllowed).min(1, limitAllowed).max(MAX_LISTED, limitAllowed).default(50),
  before: z.string('must be the id of a message').optional(),
  state: z.enum(['pending', 'delivered', 'failed'], 'must be pending, delivered or failed').optional(),
})

/** The page of a log to read. */
export type LogQuery = z.output<typeof logQueryShape>

/** @throws ApiError that names the field */
export const readLogQuery = (query: unknown): LogQuery => readBody(logQueryShape, query)

export interface LogPage {
  deliveries: LoggedMessage[]
  /** The value of `before` for the next page; null on the last page. */
  next: string | null
}

/** A page of an endpoint's delivery log, the newest first. @throws ApiError that names the field */
export async function readLog(
  { database }: LogDependencies,
  endpoint: Endpoint,
  { limit, before, state }: LogQuery,
): Promise<LogPage> {
  if (before !== undefined && !(await findMessage(database.kysely, endpoint.id, before)))
    throw invalidField('before', 'must be the id of a message of this webhook', fault('unknown_page'))
  const found = await listMessages(database.kysely, endpoint.id, { limit: limit + 1, before, state })
  const deliveries = found.slice(0, limit)
  return { deliveries, next: found.length > limit ? (deliveries.at(-1)?.id ?? null) : null }
}

export type MessageDetail = LoggedMessage & { payload: string; log: LoggedAttempt[] }

/** One message with its payload and every attempt. @throws ApiError not_found */
export async function readMessage(
  { database }: LogDependencies,
  endpoint: Endpoint,
  messageId: string,
): Promise<MessageDetail> {
  const message = await findMessage(database.kysely, endpoint.id, checkedId(messageId))
  if (!message) throw notFound('Delivery')
  return { ...message, log: await listAttempts(database.kysely, endpoint.id, messageId) }
}

/** Sends a message again, delivered or not, under its old id. @throws ApiError */
export async function redeliver(
  { database, clock }: LogDependencies,
  endpoint: Endpoint,
  messageId: string,
): Promise<void> {
  requireEnabled(endpoint)
  if (!(await findMessage(database.kysely, endpoint.id, checkedId(messageId)))) throw notFound('Delivery')
  if (!(await requeueMessage(database.kysely, endpoint.id, messageId, new Date(clock.now()))))
    throw conflict('delivery_under_way', 'This message is being sent')
}

/** Sends messages again that have failed since a time. @returns their number @throws ApiError */
export async function redeliverFailed(
  { database, clock }: LogDependencies,
  endpoint: Endpoint,
  since: Date,
): Promise<number> {
  requireEnabled(endpoint)
  return requeueFailed(database.kysely, endpoint.id, since, new Date(clock.now()))
}

function checkedId(messageId: string): string {
  if (!/^msg_[0-9a-f]{32}$/.test(messageId)) throw notFound('Delivery')
  return messageId
}
