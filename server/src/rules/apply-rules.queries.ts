import { type Kysely, sql } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import type { RuleState } from './evaluate.ts'

export interface PendingEvent {
  kind: 'award' | 'claim'
  ref: string
  address: string
  points: number
  questId: string | null
  happenedAt: Date
}

/** The spaces with events that are not counted, longest waiting first. */
export async function spacesWithEvents(kysely: Kysely<DB>, limit: number): Promise<number[]> {
  const { rows } = await sql<{ spaceId: number }>`
    SELECT space_id AS "spaceId" FROM rule_events GROUP BY space_id ORDER BY min(happened_at) LIMIT ${limit}`.execute(
    kysely,
  )
  return rows.map(({ spaceId }) => spaceId)
}

/**
 * Removes the next events of a space from the queue, and returns them in the order of time. The caller has locked the
 * space.
 */
export async function takeEvents(trx: Kysely<DB>, spaceId: number, limit: number): Promise<PendingEvent[]> {
  const { rows } = await sql<PendingEvent>`
    DELETE FROM rule_events WHERE space_id = ${spaceId} AND ref IN (
      SELECT ref FROM rule_events WHERE space_id = ${spaceId} ORDER BY happened_at, ref LIMIT ${limit})
    RETURNING kind, ref, address, points, quest_id AS "questId", happened_at AS "happenedAt"`.execute(trx)
  return rows.toSorted(
    (a, b) => a.happenedAt.getTime() - b.happenedAt.getTime() || (a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : 0),
  )
}

export interface StoredState extends RuleState {
  ruleId: string
  address: string
}

export async function readStates(
  trx: Kysely<DB>,
  spaceId: number,
  ruleIds: readonly string[],
  addresses: readonly string[],
): Promise<StoredState[]> {
  const { rows } = await sql<StoredState>`
    SELECT rule_id AS "ruleId", address, caps, runs FROM rule_states
    WHERE space_id = ${spaceId} AND rule_id = ANY(${textArray(ruleIds)}::text[])
      AND address = ANY(${textArray(addresses)}::text[])`.execute(trx)
  return rows
}

const BATCH_SIZE = 5_000

export async function storeStates(trx: Kysely<DB>, spaceId: number, states: readonly StoredState[]): Promise<void> {
  for (let i = 0; i < states.length; i += BATCH_SIZE) {
    const some = states.slice(i, i + BATCH_SIZE)
    const lists = (part: 'caps' | 'runs') => textArray(some.map((state) => `{${state[part].join(',')}}`))
    await sql`
      INSERT INTO rule_states (space_id, rule_id, address, caps, runs)
      SELECT v.space_id, s.rule_id, s.address, s.caps::int[], s.runs::int[] FROM space_versions v CROSS JOIN unnest(
        ${textArray(some.map(({ ruleId }) => ruleId))}::text[], ${textArray(some.map(({ address }) => address))}::text[],
        ${lists('caps')}::text[], ${lists('runs')}::text[]
      ) AS s (rule_id, address, caps, runs)
      WHERE v.space_id = ${spaceId}
      ON CONFLICT (space_id, rule_id, address) DO UPDATE SET caps = excluded.caps, runs = excluded.runs`.execute(trx)
  }
}

export async function deleteStates(trx: Kysely<DB>, spaceId: number, ruleIds: readonly string[]): Promise<void> {
  await sql`
    DELETE FROM rule_states
    WHERE space_id = ${spaceId} AND rule_id = ANY(${textArray(ruleIds)}::text[])`.execute(trx)
}

export interface SprintTimes {
  sprintId: number
  startTime: Date
  endTime: Date | null
}

/** The sprints of a space that have a start. */
export async function sprintsOf(trx: Kysely<DB>, spaceId: number): Promise<SprintTimes[]> {
  const { rows } = await sql<SprintTimes>`
    SELECT sprint_id AS "sprintId", start_time AS "startTime", end_time AS "endTime" FROM sprints
    WHERE space_id = ${spaceId} AND start_time IS NOT NULL ORDER BY start_time DESC, sprint_id DESC`.execute(trx)
  return rows
}
