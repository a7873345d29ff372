import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/** Deletes an address from the participants of all quests; how many took part stays. Answers of how many quests. */
export async function deleteParticipations(trx: Kysely<DB>, address: string): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM quest_participants p USING quests q
    WHERE p.quest_id = q.quest_id AND p.address = ${address}`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/** Forgets to which users of starboards an address is linked. Answers on how many starboards. */
export async function deleteLinks(trx: Kysely<DB>, address: string): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM starboard_links l USING starboards s
    WHERE l.starboard_id = s.starboard_id AND l.evm_address = ${address}`.execute(trx)
  return Number(numAffectedRows ?? 0)
}
