import { type Kysely, sql } from 'kysely'
import { withProgress } from '../../database/statement-progress.ts'
import type { DB } from '../../database/tables.ts'
import { fault } from '../../texts/faults.ts'
import type { StagedRule } from '../kind.ts'
import { STAGED, stagedValues } from '../staging.queries.ts'

// On a cluster, quests are not on the nodes of their participants, so statements pass the quests as lists.

/** Serializes additions to a quest, so that concurrent imports cannot exceed its cap. */
export async function lockQuests(trx: Kysely<DB>): Promise<void> {
  const ids = await stagedValues(trx, 'quest_id')
  await sql`SELECT 1 FROM quests WHERE quest_id = ANY(${ids}) ORDER BY quest_id FOR NO KEY UPDATE`.execute(trx)
}

/** The existing quests among `ids`. */
export async function knownQuests(trx: Kysely<DB>, ids: readonly string[]): Promise<string[]> {
  return [...(await capsOf(trx, ids)).keys()]
}

async function capsOf(trx: Kysely<DB>, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; cap: number }>`
    SELECT quest_id AS id, cap FROM quests WHERE quest_id = ANY(${ids})`.execute(trx)
  return new Map(rows.map(({ id, cap }) => [id, cap]))
}

/** The number of listed participants of quests; those without participants are omitted. */
export async function participantsOf(
  trx: Kysely<DB>,
  ids: readonly string[],
): Promise<{ questId: string; count: number }[]> {
  const { rows } = await sql<{ questId: string; count: number }>`
    SELECT quest_id AS "questId", count(*) AS count FROM quest_participants WHERE quest_id = ANY(${ids})
    GROUP BY quest_id`.execute(trx)
  return rows
}

const fresh = sql`
  SELECT DISTINCT ON (quest_id, address) line, quest_id FROM ${STAGED} s
  WHERE NOT EXISTS (SELECT 1 FROM quest_participants p WHERE p.quest_id = s.quest_id AND p.address = s.address)
  ORDER BY quest_id, address, line`

/** The first line of each new participant. */
export const newParticipants = sql`SELECT line FROM (${fresh}) AS fresh`

/** Rejects participants beyond the cap of a quest; existing ones remain. */
export const capAllows: StagedRule = {
  field: 'questId',
  code: 'OUT_OF_RANGE',
  reason: (quest) => `exceeds the cap: ${quest}`,
  fault: () => fault('above_cap'),
  async lines(trx) {
    const caps = [...(await capsOf(trx, await stagedValues(trx, 'quest_id')))].filter(([, cap]) => cap > 0)
    const ids = caps.map(([id]) => id)
    const stored = new Map((await participantsOf(trx, ids)).map(({ questId, count }) => [questId, count]))
    const free = caps.map(([id, cap]) => cap - (stored.get(id) ?? 0))
    return sql`
      SELECT line, numbered.quest_id || ' takes at most ' || q.cap AS value
      FROM (SELECT line, quest_id, row_number() OVER (PARTITION BY quest_id ORDER BY line) AS n FROM (${fresh}) AS fresh)
        AS numbered
      JOIN unnest(${ids}::text[], ${free}::int[], ${caps.map(([, cap]) => cap)}::int[]) AS q (quest_id, free, cap)
        ON q.quest_id = numbered.quest_id
      WHERE n > q.free`
  },
}

/**
 * Adds participants; existing ones keep their time. The caller has locked the quests. Returns the number of new ones.
 */
export async function addParticipants(trx: Kysely<DB>): Promise<number> {
  const { numAffectedRows } = await sql`
    INSERT INTO quest_participants (quest_id, address, joined_at)
    SELECT quest_id, address, ${withProgress('joined_at')} FROM (
      SELECT DISTINCT ON (quest_id, address) quest_id, address, joined_at, line FROM ${STAGED}
      ORDER BY quest_id, address, line
    ) AS sorted
    ON CONFLICT DO NOTHING`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/**
 * Raises participants_count of the staged quests to the number of their participants. A larger imported count remains.
 * Returns the quests.
 */
export async function countParticipants(trx: Kysely<DB>): Promise<string[]> {
  const ids = await stagedValues(trx, 'quest_id')
  const stored = await participantsOf(trx, ids)
  await sql`
    UPDATE quests q SET participants_count = s.count
    FROM unnest(${stored.map(({ questId }) => questId)}::text[], ${stored.map(({ count }) => count)}::int[])
      AS s (quest_id, count)
    WHERE q.quest_id = s.quest_id AND q.participants_count < s.count`.execute(trx)
  return ids
}
