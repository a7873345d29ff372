import type { Kysely } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import { preparedWrite } from '../database/prepared-write.ts'
import type { DB } from '../database/tables.ts'

const banned = preparedWrite<{ who: string }>(
  'claims.banned',
  `SELECT address AS who FROM ban_addresses WHERE space_id IN (0, $1) AND address = ANY($2::text[])
   UNION ALL
   SELECT account_id::text FROM bans
   WHERE account_id = ANY($3::uuid[]) AND ended_at IS NULL AND (space_id IS NULL OR space_id = $1)`,
)

/** The addresses and account ids among these that are banned in a space. */
export async function bannedIn(
  trx: Kysely<DB>,
  spaceId: number,
  who: { addresses: readonly string[]; accountIds: readonly string[] },
): Promise<Set<string>> {
  const rows = await banned(trx, [spaceId, textArray(who.addresses), textArray(who.accountIds)])
  return new Set(rows.map((row) => row.who))
}
