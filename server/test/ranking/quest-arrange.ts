import type { QuestStatus } from '../../src/resolvers/quest/quest-status.ts'
import type { TestDatabase } from '../support/database.ts'

export const SPACE = 7

export async function createSpace(database: TestDatabase): Promise<void> {
  await database.query(
    `INSERT INTO spaces (space_id, name, created_at) VALUES ($1, 'Space', '2026-01-01T00:00:00Z') ON CONFLICT DO NOTHING`,
    [SPACE],
  )
}

export interface QuestRow {
  status: QuestStatus
  auto_status?: boolean
  start_time?: string | null
  end_time?: string | null
  cap?: number
  participants_count?: number
  next_transition_at?: string | null
}

export async function createQuest(database: TestDatabase, id: string, row: QuestRow): Promise<void> {
  const { auto_status = true, start_time = null, end_time = null, cap = 0, participants_count = 0 } = row
  await database.query(
    `INSERT INTO quests (quest_id, space_id, name, type, status, auto_status, start_time, end_time, cap,
       participants_count, next_transition_at, created_at)
     VALUES ($1, $2, $1, 'Drop', $3, $4, $5, $6, $7, $8, $9, '2026-01-01T00:00:00Z')`,
    [id, SPACE, row.status, auto_status, start_time, end_time, cap, participants_count, row.next_transition_at ?? null],
  )
}

export async function questOf(
  database: TestDatabase,
  id: string,
): Promise<{ status: QuestStatus; next_transition_at: Date | null } | undefined> {
  const rows = await database.query<{ status: QuestStatus; next_transition_at: Date | null }>(
    'SELECT status, next_transition_at FROM quests WHERE quest_id = $1',
    [id],
  )
  return rows[0]
}

/** `[from, to, reason, due at, recorded at]` of each transition, in order. */
export async function transitionsOf(database: TestDatabase, id: string): Promise<string[][]> {
  const rows = await database.query<{
    from_status: string
    to_status: string
    reason: string
    at: Date
    recorded_at: Date
  }>(
    'SELECT from_status, to_status, reason, at, recorded_at FROM quest_transitions WHERE quest_id = $1 ORDER BY at, recorded_at, from_status',
    [id],
  )
  return rows.map((row) => [
    row.from_status,
    row.to_status,
    row.reason,
    row.at.toISOString(),
    row.recorded_at.toISOString(),
  ])
}

export async function listedStatus(database: TestDatabase, id: string): Promise<string | undefined> {
  const rows = await database.query<{ status: string }>(
    'SELECT status FROM quest_listings WHERE quest_id = $1 AND died = 9223372036854775807',
    [id],
  )
  return rows[0]?.status
}
