import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { endOf } from '../../search/words.ts'

/** The holders after the address `after` whose addresses begin with a text, in the order of the addresses. */
export async function selectHolders(
  kysely: Kysely<DB>,
  credentialId: string,
  { after, beginning, limit }: { after: string; beginning: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT address FROM credential_holders
    WHERE credential_id = ${credentialId}::bigint
      AND generation = (SELECT generation FROM credentials WHERE credential_id = ${credentialId}::bigint)
      AND address > ${after} AND address >= ${beginning} AND address < ${endOf(beginning)}
    ORDER BY address LIMIT ${limit}`.execute(kysely)
  return rows.map(({ address }) => address)
}
