import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/** Deletes the states of rules and the referrals of an address. A later event counts as its first. */
export async function forgetMember(trx: Kysely<DB>, address: string): Promise<void> {
  // One lookup per space, because the rows of each space are together.
  for (const table of ['rule_states', 'rule_events', 'referrals'] as const)
    await sql`
      DELETE FROM ${sql.table(table)} t USING spaces s
      WHERE t.space_id = s.space_id AND t.address = ${address}`.execute(trx)
  await sql`
    DELETE FROM referrals t USING spaces s WHERE t.space_id = s.space_id AND t.referrer = ${address}`.execute(trx)
  for (const table of ['rule_holders', 'chain_logs'] as const)
    await sql`
      DELETE FROM ${sql.table(table)} t USING credentials c
      WHERE t.credential_id = c.credential_id AND t.address = ${address}`.execute(trx)
}
