import { type Kysely, sql } from 'kysely'
import { type Reader, statement, textArray } from '@questboard/pg-read-pipeline'
import { preparedWrite } from '../database/prepared-write.ts'
import type { DB } from '../database/tables.ts'
import type { BOARDS, EventType } from './events.ts'

export interface Subscription {
  subject: string
  endpoint_id: string
  account_id: string
  event_types: EventType[]
  min_points: number
  top: number
  boards: (typeof BOARDS)[number]
}

/** The subscriptions to these subjects, found with one index lookup. */
export async function findSubscriptions(
  trx: Kysely<DB>,
  subjects: readonly string[],
  types: readonly EventType[],
): Promise<Subscription[]> {
  return subscriptions(trx, [textArray(subjects), textArray(types)])
}

const subscriptions = preparedWrite<Subscription & Record<string, unknown>>(
  'webhooks.subscriptions',
  `SELECT subject, endpoint_id, account_id, event_types, min_points, top, boards FROM webhook_subscriptions
   WHERE subject = ANY($1::text[]) AND event_types && $2::text[]`,
)

const listened = statement<{ listened: boolean }>(
  'webhooks.listened',
  `SELECT true AS listened FROM webhook_subscriptions WHERE subject = $1 AND event_types && $2::text[] LIMIT 1`,
)

/** Whether an endpoint subscribes to one of these events of a subject. */
export async function hasSubscriptions(
  database: Reader,
  subject: string,
  types: readonly EventType[],
): Promise<boolean> {
  return (await database.read(listened, [subject, textArray(types)])).length > 0
}

export interface NewMessage {
  endpointId: string
  type: string
  payload: string
}

/** Adds messages to the queue, due immediately. @returns their IDs in the same order */
export async function insertMessages(trx: Kysely<DB>, messages: readonly NewMessage[], now: Date): Promise<string[]> {
  const { rows } = await sql<{ message_id: string }>`
    INSERT INTO webhook_messages (endpoint_id, event_type, payload, created_at, next_attempt_at)
    SELECT m.endpoint_id, m.type, m.payload, ${now}, ${now}
    FROM unnest(${messages.map((one) => one.endpointId)}::uuid[], ${messages.map((one) => one.type)}::text[],
      ${messages.map((one) => one.payload)}::text[]) AS m (endpoint_id, type, payload)
    RETURNING message_id`.execute(trx)
  return rows.map((row) => row.message_id)
}
