import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { disable } from './disable.ts'
import { type EventData, type EventType, payloadOf } from './events.ts'
import { findFlooded } from './flooded.queries.ts'
import { findSubscriptions, insertMessages, type Subscription } from './outbox.queries.ts'

export { hasSubscriptions, type Subscription } from './outbox.queries.ts'

/**
 * Events are stored in the transaction of the change that they report. So they are sent if and only if it is committed,
 * even if the process ends directly after.
 */

export const spaceSubject = (spaceId: number) => `space:${spaceId}`
export const starboardSubject = (starboardId: string) => `starboard:${starboardId}`
export const credentialSubject = (credentialId: string) => `credential:${credentialId}`

/** The subscriptions to events of these types about these subjects. Costs one index lookup. */
export async function subscriptionsTo(
  trx: Kysely<DB>,
  subjects: readonly string[],
  types: readonly EventType[],
): Promise<Subscription[]> {
  return subjects.length === 0 ? [] : findSubscriptions(trx, subjects, types)
}

/** One message for one endpoint. */
export type Outgoing = {
  [Type in keyof EventData]: { endpointId: string; type: Type; data: EventData[Type] }
}[keyof EventData]

/** Messages that may wait for an endpoint of an account that does not own or manage all objects of its events. */
export const MAX_WAITING = 2_000

/**
 * Adds events to the queue. An endpoint with too many waiting messages is disabled, because transactions of other
 * accounts write them.
 */
export async function publish(trx: Kysely<DB>, messages: readonly Outgoing[], now: Date): Promise<void> {
  if (messages.length === 0) return
  const added = new Map<string, number>()
  for (const { endpointId } of messages) added.set(endpointId, (added.get(endpointId) ?? 0) + 1)
  const flooded = await findFlooded(trx, added, MAX_WAITING)
  const reason = `more than ${MAX_WAITING} messages waited; the limit applies to webhooks of accounts that neither own nor manage all of their subjects`
  for (const endpointId of flooded) await disable(trx, endpointId, reason, now)
  const left = messages.filter(({ endpointId }) => !flooded.includes(endpointId))
  await enqueue(trx, left, now)
}

/** Limits the size of a statement if an import emits many events. */
const INSERT_AT_ONCE = 500

/** Adds messages to the queue without a limit. Returns their ids. */
export async function enqueue(trx: Kysely<DB>, messages: readonly Outgoing[], now: Date): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < messages.length; i += INSERT_AT_ONCE) {
    const rows = messages.slice(i, i + INSERT_AT_ONCE).map(({ endpointId, type, data }) => ({
      endpointId,
      type,
      payload: payloadOf(type, now, data as never),
    }))
    ids.push(...(await insertMessages(trx, rows, now)))
  }
  return ids
}
