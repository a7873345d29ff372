import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface LocalQuest {
  id: string
  name: string
  type: string
  createdAt: Date
  /** Whether the quest is public and has a fixed status, as a mirror sets it. Drafts and Deleted are excluded. */
  isShown: boolean
}

export async function findLocalQuests(kysely: Kysely<DB>, spaceId: number): Promise<Map<string, LocalQuest>> {
  const { rows } = await sql<LocalQuest>`
    SELECT quest_id AS id, name, type, created_at AS "createdAt",
      NOT auto_status AND NOT is_private AND status NOT IN ('Draft', 'Deleted') AS "isShown"
    FROM quests WHERE space_id = ${spaceId}`.execute(kysely)
  return new Map(rows.map((row) => [row.id, row]))
}
