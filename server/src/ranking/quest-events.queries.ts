import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface QuestListener {
  quest_id: string
  name: string
  space_id: number
  endpoint_id: string
}

/** The subscriptions to changes of these quests; for a private quest, only those of accounts that own its space. */
export async function questListeners(trx: Kysely<DB>, questIds: readonly string[]): Promise<QuestListener[]> {
  const { rows } = await sql<QuestListener>`
    SELECT q.quest_id, q.name, q.space_id, s.endpoint_id
    FROM quests q JOIN webhook_subscriptions s ON s.subject = 'space:' || q.space_id
    WHERE q.quest_id = ANY(${questIds}) AND 'quest.status_changed' = ANY(s.event_types)
      AND (NOT q.is_private OR EXISTS (
        SELECT FROM spaces WHERE space_id = q.space_id AND owner_account_id = s.account_id))`.execute(trx)
  return rows
}
