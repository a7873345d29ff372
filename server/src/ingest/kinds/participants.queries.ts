import { type Kysely, sql } from 'kysely'
import { passes } from '../../database/passing.ts'
import type { DB } from '../../database/tables.ts'
import { STAGED, type StagedRule } from '../staging.queries.ts'

/** Whoever adds participants holds their quests, so that two at a time cannot pass the cap together. */
export async function lockQuests(trx: Kysely<DB>): Promise<void> {
  await sql`
    SELECT FROM quests WHERE quest_id IN (SELECT quest_id FROM ${STAGED})
    ORDER BY quest_id FOR NO KEY UPDATE`.execute(trx)
}

/** The first line of everybody who is new. */
export const newParticipants = sql`
  SELECT DISTINCT ON (quest_id, address) line FROM ${STAGED} s
  WHERE NOT EXISTS (SELECT FROM quest_participants p WHERE p.quest_id = s.quest_id AND p.address = s.address)
  ORDER BY quest_id, address, line`

/** A quest takes no participant beyond its cap; those that it has stay. */
export const capAllows: StagedRule = {
  field: 'questId',
  code: 'OUT_OF_RANGE',
  reason: (quest) => `is one participant too many: ${quest}`,
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

/** Stores who is new; who takes part already keeps the time. The quests must be locked. Answers how many are new. */
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
 * Brings participants_count of the staged quests up to the number of their participants; a larger number that a
 * quest was imported with stays. Answers the quests.
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
