import { type Kysely, sql } from 'kysely'
import { passes } from '../../database/passing.ts'
import type { DB } from '../../database/tables.ts'
import { STAGED, type StagedRule } from '../staging.queries.ts'

/** Serializes additions to a quest, so that concurrent imports cannot exceed its cap. */
export async function lockQuests(trx: Kysely<DB>): Promise<void> {
  await sql`
    SELECT FROM quests WHERE quest_id IN (SELECT quest_id FROM ${STAGED})
    ORDER BY quest_id FOR NO KEY UPDATE`.execute(trx)
}

/** The first line of each new participant. */
export const newParticipants = sql`
  SELECT DISTINCT ON (quest_id, address) line FROM ${STAGED} s
  WHERE NOT EXISTS (SELECT FROM quest_participants p WHERE p.quest_id = s.quest_id AND p.address = s.address)
  ORDER BY quest_id, address, line`

/** Rejects participants beyond the cap of a quest; existing ones remain. */
export const capAllows: StagedRule = {
  field: 'questId',
  code: 'OUT_OF_RANGE',
  reason: (quest) => `exceeds the cap: ${quest}`,
  lines: sql`
    WITH first AS (
      SELECT DISTINCT ON (quest_id, address) line, quest_id FROM ${STAGED} s
      WHERE NOT EXISTS (
        SELECT FROM quest_participants p WHERE p.quest_id = s.quest_id AND p.address = s.address)
      ORDER BY quest_id, address, line
    ), numbered AS (
      SELECT line, quest_id, row_number() OVER (PARTITION BY quest_id ORDER BY line) AS n FROM first
    ), stored AS (
      SELECT quest_id, (SELECT count(*) FROM quest_participants p WHERE p.quest_id = f.quest_id) AS count
      FROM (SELECT DISTINCT quest_id FROM first) AS f
    )
    SELECT line, quest_id || ' takes at most ' || cap AS value
    FROM numbered JOIN stored USING (quest_id) JOIN quests USING (quest_id) WHERE cap > 0 AND n + stored.count > cap`,
}

/**
 * Adds participants; existing ones keep their time. The caller has locked the quests. Returns the number of new ones.
 */
export async function addParticipants(trx: Kysely<DB>): Promise<number> {
  const { numAffectedRows } = await sql`
    INSERT INTO quest_participants (quest_id, address, joined_at)
    SELECT quest_id, address, joined_at FROM (
      SELECT DISTINCT ON (quest_id, address) quest_id, address, joined_at, line FROM ${STAGED}
      ORDER BY quest_id, address, line OFFSET 0
    ) AS sorted WHERE ${passes('line')}
    ON CONFLICT DO NOTHING`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/**
 * Raises participants_count of the staged quests to the number of their participants. A larger imported count remains.
 * Returns the quests.
 */
export async function countParticipants(trx: Kysely<DB>): Promise<string[]> {
  await sql`
    UPDATE quests q SET participants_count = stored.count FROM (
      SELECT quest_id, (SELECT count(*) FROM quest_participants p WHERE p.quest_id = s.quest_id) AS count
      FROM (SELECT DISTINCT quest_id FROM ${STAGED}) AS s
    ) AS stored
    WHERE q.quest_id = stored.quest_id AND q.participants_count < stored.count`.execute(trx)
  const { rows } = await sql<{ quest_id: string }>`SELECT DISTINCT quest_id FROM ${STAGED}`.execute(trx)
  return rows.map((row) => row.quest_id)
}
