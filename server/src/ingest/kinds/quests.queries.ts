import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { fault } from '../../texts/faults.ts'
import type { StagedRule } from '../kind.ts'
import { STAGED, stagedValues } from '../staging.queries.ts'
import { lockQuests, participantsOf } from './participants.queries.ts'

/** A quest without automatic status needs a status. */
export const statusForFixedQuest = (statusBit: number): StagedRule => ({
  field: 'status',
  reason: () => 'is missing; allowed: a status, when autoStatus is false',
  fault: () => fault('missing'),
  lines: sql`
    SELECT line, '' AS value FROM ${STAGED} s LEFT JOIN quests q USING (quest_id)
    WHERE s.status IS NULL AND NOT s.auto_status AND (q.quest_id IS NULL OR s.given & ${statusBit} <> 0)`,
})

/**
 * Completes the lines with default values and locks the quests. A status fixes the quest unless
 * autoStatus is true. A new quest without a status, or a line with an empty one, gets an automatic status. A
 * participantsCount counts if it is larger than the number of listed participants.
 */
export async function resolveQuests(
  trx: Kysely<DB>,
  bits: { status: number; autoStatus: number; participantsCount: number },
): Promise<{ id: string; line: number; known: boolean }[]> {
  await lockQuests(trx)
  const listed = await participantsOf(trx, await stagedValues(trx, 'quest_id'))
  const { rows } = await sql<{ id: string; line: number; known: boolean }>`
    UPDATE ${STAGED} s SET
      auto_status = CASE
        WHEN s.status IS NOT NULL THEN coalesce(s.auto_status, false)
        WHEN q.quest_id IS NULL OR s.given & ${bits.status} <> 0 THEN true
        ELSE coalesce(s.auto_status, q.auto_status) END,
      status = coalesce(s.status, q.status, 'Draft'),
      participants_count = greatest(s.participants_count, p.count),
      given = s.given | ${bits.status} | ${bits.autoStatus}
    FROM ${STAGED} again LEFT JOIN quests q ON q.quest_id = again.quest_id
    LEFT JOIN unnest(${listed.map(({ questId }) => questId)}::text[], ${listed.map(({ count }) => count)}::int[])
      AS p (quest_id, count) ON p.quest_id = again.quest_id
    WHERE s.line = again.line
    RETURNING s.quest_id AS id, s.line, q.quest_id IS NOT NULL AS known`.execute(trx)
  return rows
}

/**
 * Records the status changes of the lines before they are stored. Returns them and the new quests that have a status.
 */
export async function recordTold(
  trx: Kysely<DB>,
  now: Date,
): Promise<{ questId: string; from: string | null; to: string }[]> {
  const { rows } = await sql<{ questId: string; from: string | null; to: string }>`
    SELECT quest_id AS "questId", q.status AS "from", s.status AS "to" FROM ${STAGED} s LEFT JOIN quests q USING (quest_id)
    WHERE q.status <> s.status OR (q.quest_id IS NULL AND NOT s.auto_status) ORDER BY quest_id`.execute(trx)
  await sql`
    INSERT INTO quest_transitions (quest_id, at, from_status, to_status, reason, recorded_at)
    SELECT quest_id, ${now}, q.status, s.status, 'told', ${now} FROM ${STAGED} s JOIN quests q USING (quest_id)
    WHERE q.status <> s.status ORDER BY quest_id
    ON CONFLICT DO NOTHING`.execute(trx)
  return rows
}
