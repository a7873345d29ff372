import type { Kysely } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { MEMBERS_PER_MESSAGE } from '../../webhooks/events.ts'
import { publish, spaceSubject, subscriptionsTo } from '../../webhooks/outbox.ts'
import { pieces } from '../first-places.ts'
import { questListeners } from './events.queries.ts'

/** A change of a quest's status; `from` is null for a new quest. */
export interface StatusChange {
  questId: string
  from: string | null
  to: string
  reason: string
  /** Milliseconds since 1970. */
  at: number
}

/** Statuses in which clients do not see a quest. */
const hidden = new Set<string | null>([null, 'Draft', 'Deleted'])

/**
 * Emits status events to subscriptions of the quests' spaces, in the transaction of the changes and after them. Events of
 * private quests go only to accounts in the team of the space.
 */
export async function emitStatusEvents(trx: Kysely<DB>, changes: readonly StatusChange[], now: number): Promise<void> {
  const visible = changes.filter(({ from, to }) => !hidden.has(from) || !hidden.has(to))
  if (visible.length === 0) return
  const listeners = Map.groupBy(
    await questListeners(trx, [...new Set(visible.map(({ questId }) => questId))], 'quest.status_changed'),
    ({ quest_id }) => quest_id,
  )
  const messages = visible.flatMap(({ questId, from, to, reason, at }) =>
    (listeners.get(questId) ?? []).map(({ endpoint_id: endpointId, space_id: spaceId, name }) => ({
      endpointId,
      type: 'quest.status_changed' as const,
      data: { spaceId, questId, name, from, to, reason, changedAt: new Date(at).toISOString() },
    })),
  )
  await publish(trx, messages, new Date(now))
}

export interface QuestCompletions {
  questId: string
  completions: readonly { address: string; points: number; sprint_id: number; claimed_at: Date }[]
}

/**
 * Emits completions of quests of one space, in their transaction. Events of private quests go only to accounts in the
 * team of the space.
 */
export async function emitCompletions(
  trx: Kysely<DB>,
  spaceId: number,
  quests: readonly QuestCompletions[],
  now: Date,
): Promise<void> {
  if (quests.length === 0) return
  // Most spaces have no listeners, and this look-up is cheaper.
  if ((await subscriptionsTo(trx, [spaceSubject(spaceId)], ['quest.completed'])).length === 0) return
  const ids = quests.map(({ questId }) => questId)
  const listeners = Map.groupBy(await questListeners(trx, ids, 'quest.completed'), ({ quest_id }) => quest_id)
  const messages = quests.flatMap(({ questId, completions }) => {
    const told = completions.map(({ address, points, sprint_id, claimed_at }) => ({
      address,
      points,
      sprintId: sprint_id || null,
      claimedAt: claimed_at.toISOString(),
    }))
    return (listeners.get(questId) ?? []).flatMap(({ endpoint_id: endpointId, name }) =>
      pieces(told, MEMBERS_PER_MESSAGE).map((piece) => ({
        endpointId,
        type: 'quest.completed' as const,
        data: { spaceId, questId, name, completions: piece },
      })),
    )
  })
  await publish(trx, messages, now)
}
