import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { accountMay } from '../../teams/roles.queries.ts'
import type { EventType } from '../../webhooks/events.ts'

export interface QuestListener {
  quest_id: string
  name: string
  space_id: number
  endpoint_id: string
}

/** The subscriptions to an event of the given quests; for a private quest, only those of accounts in its team. */
export async function questListeners(
  trx: Kysely<DB>,
  questIds: readonly string[],
  type: EventType,
): Promise<QuestListener[]> {
  const { rows } = await sql<QuestListener>`
    SELECT q.quest_id, q.name, q.space_id, s.endpoint_id
    FROM quests q JOIN webhook_subscriptions s ON s.subject = 'space:' || q.space_id
    WHERE q.quest_id = ANY(${questIds}) AND ${type} = ANY(s.event_types)
      AND (NOT q.is_private OR EXISTS (
        SELECT FROM spaces o WHERE o.space_id = q.space_id AND ${accountMay('view', 'o', sql`s.account_id`)}))`.execute(
    trx,
  )
  return rows
}
