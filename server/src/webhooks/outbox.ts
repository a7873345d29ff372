import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { type EventData, type EventType, payloadOf } from './events.ts'
import { findSubscriptions, insertMessages, type Subscription } from './outbox.queries.ts'

export type { Subscription } from './outbox.queries.ts'

/**
 * Events leave through here, in the transaction of what they tell about: they are sent when and only when it is
 * committed, also when the process dies right after.
 */

export const spaceSubject = (spaceId: number) => `space:${spaceId}`
export const starboardSubject = (starboardId: string) => `starboard:${starboardId}`
export const credentialSubject = (credentialId: string) => `credential:${credentialId}`

/** Who hears of events of these types about these subjects. Costs one look at an index; none when nobody does. */
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

/** Statements stay small when an import tells of many. */
const INSERT_AT_ONCE = 500

/** Puts messages in the queue. Answers their ids. */
export async function publish(trx: Kysely<DB>, messages: readonly Outgoing[], now: Date): Promise<string[]> {
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
