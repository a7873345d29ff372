import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/**
 * Deletes an address from the participants of all quests and reduces their counts. Locks quests in the order of imports
 * of participants. Returns the number of quests.
 */
export async function deleteParticipations(trx: Kysely<DB>, address: string): Promise<number> {
  const { rows } = await sql<{ quest_id: string }>`
    SELECT q.quest_id FROM quests q
    WHERE EXISTS (SELECT FROM quest_participants p WHERE p.quest_id = q.quest_id AND p.address = ${address})
    ORDER BY q.quest_id FOR NO KEY UPDATE`.execute(trx)
  const questIds = rows.map((row) => row.quest_id)
  if (questIds.length === 0) return 0
  const { numAffectedRows } = await sql`
    WITH gone AS (
      DELETE FROM quest_participants WHERE quest_id = ANY(${questIds}::text[]) AND address = ${address}
      RETURNING quest_id
    )
    UPDATE quests q SET participants_count = greatest(q.participants_count - 1, 0)
    FROM gone WHERE q.quest_id = gone.quest_id`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/** Deletes the links of an address on starboards. Returns the number of starboards. */
export async function deleteLinks(trx: Kysely<DB>, address: string): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM starboard_links l USING starboards s
    WHERE l.starboard_id = s.starboard_id AND l.evm_address = ${address}`.execute(trx)
  return Number(numAffectedRows ?? 0)
}
