import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import type { QuestStatus, QuestTransition } from '../../resolvers/quest/quest-status.ts'

export interface StoredQuest {
  quest_id: string
  status: QuestStatus
  auto_status: boolean
  start_time: Date | null
  end_time: Date | null
  cap: number
  participants_count: number
  next_transition_at: Date | null
  /** The time at which the newest recorded transition was due. */
  entered_at: Date | null
}

const columns = sql.raw(`q.quest_id, q.status, q.auto_status, q.start_time, q.end_time, q.cap, q.participants_count,
  q.next_transition_at, (SELECT max(t.at) FROM quest_transitions t WHERE t.quest_id = q.quest_id) AS entered_at`)

/** Locks the quests in the order of their ids. */
export async function lockNamedQuests(trx: Kysely<DB>, questIds: readonly string[]): Promise<StoredQuest[]> {
  const { rows } = await sql<StoredQuest>`
    SELECT ${columns} FROM quests q WHERE q.quest_id = ANY(${questIds}) ORDER BY q.quest_id FOR NO KEY UPDATE`.execute(
    trx,
  )
  return rows
}

/** Locks due quests; skips those locked by other transactions. */
export async function lockDueQuests(trx: Kysely<DB>, now: Date, limit: number): Promise<StoredQuest[]> {
  const { rows } = await sql<StoredQuest>`
    SELECT ${columns} FROM quests q WHERE q.next_transition_at <= ${now}
    ORDER BY q.next_transition_at, q.quest_id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED`.execute(trx)
  return rows
}

/** The time of the next transition, and the database's time of this query. */
export async function earliestTransition(kysely: Kysely<DB>): Promise<{ at: Date; read: Date } | undefined> {
  const { rows } = await sql<{ at: Date; read: Date }>`
    SELECT next_transition_at AS at, clock_timestamp() AS read FROM quests WHERE next_transition_at IS NOT NULL
    ORDER BY next_transition_at LIMIT 1`.execute(kysely)
  return rows[0]
}

export interface QuestMove {
  questId: string
  status: QuestStatus
  nextTransitionAt: Date | null
}

export async function moveQuests(trx: Kysely<DB>, moves: readonly QuestMove[]): Promise<void> {
  if (moves.length === 0) return
  await sql`
    UPDATE quests q SET status = m.status, next_transition_at = m.next_transition_at
    FROM unnest(${moves.map((move) => move.questId)}::text[], ${moves.map((move) => move.status)}::text[],
      ${moves.map((move) => move.nextTransitionAt)}::timestamptz[]) AS m (quest_id, status, next_transition_at)
    WHERE q.quest_id = m.quest_id`.execute(trx)
}

export interface RecordedTransition extends QuestTransition {
  questId: string
}

export async function recordTransitions(
  trx: Kysely<DB>,
  transitions: readonly RecordedTransition[],
  now: Date,
): Promise<void> {
  if (transitions.length === 0) return
  // Two changes into the same status within one millisecond are one record.
  await sql`
    INSERT INTO quest_transitions (quest_id, at, from_status, to_status, reason, recorded_at)
    SELECT t.quest_id, t.at, t.from_status, t.to_status, t.reason, ${now}
    FROM unnest(${transitions.map((one) => one.questId)}::text[], ${transitions.map((one) => new Date(one.at))}::timestamptz[],
      ${transitions.map((one) => one.from)}::text[], ${transitions.map((one) => one.to)}::text[],
      ${transitions.map((one) => one.reason)}::text[]) AS t (quest_id, at, from_status, to_status, reason)
    ON CONFLICT DO NOTHING`.execute(trx)
}
