import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/**
 * Deletes an address from the participants of all quests and reduces their counts. Locks quests in the order of imports
 * of participants. Returns the number of quests.
 */
export async function deleteParticipations(trx: Kysely<DB>, address: string): Promise<number> {
  const { rows } = await sql<{ quest_id: string }>`
    SELECT quest_id FROM quest_participants WHERE address = ${address}`.execute(trx)
  const questIds = rows.map((row) => row.quest_id)
  if (questIds.length === 0) return 0
  await sql`
    SELECT FROM quests WHERE quest_id = ANY(${questIds}::text[]) ORDER BY quest_id FOR NO KEY UPDATE`.execute(trx)
  const deleted = await sql<{ quest_id: string }>`
    DELETE FROM quest_participants WHERE quest_id = ANY(${questIds}::text[]) AND address = ${address}
    RETURNING quest_id`.execute(trx)
  await sql`DELETE FROM quest_claims WHERE quest_id = ANY(${questIds}::text[]) AND address = ${address}`.execute(trx)
  const { numAffectedRows } = await sql`
    UPDATE quests SET participants_count = greatest(participants_count - 1, 0)
    WHERE quest_id = ANY(${deleted.rows.map((row) => row.quest_id)}::text[])`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/** Deletes checks of an address at the sources of credentials. */
export async function deleteChecks(trx: Kysely<DB>, address: string): Promise<void> {
  await sql`DELETE FROM credential_checks WHERE holder = ${address}`.execute(trx)
}

/** Deletes the links of an address on starboards. Returns the number of starboards. */
export async function deleteLinks(trx: Kysely<DB>, address: string): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM starboard_links l USING starboards s
    WHERE l.starboard_id = s.starboard_id AND l.evm_address = ${address}`.execute(trx)
  return Number(numAffectedRows ?? 0)
}
