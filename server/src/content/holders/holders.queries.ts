import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'

/** Holders in the order of their addresses, from after one, whose addresses begin with a text. */
export async function selectHolders(
  kysely: Kysely<DB>,
  credentialId: string,
  { after, beginning, limit }: { after: string; beginning: string; limit: number },
): Promise<string[]> {
  // The last character of Unicode ends the range of the beginning, which the index reads in one piece.
  const { rows } = await sql<{ address: string }>`
    SELECT address FROM credential_holders
    WHERE credential_id = ${credentialId}::bigint
      AND generation = (SELECT generation FROM credentials WHERE credential_id = ${credentialId}::bigint)
      AND address > ${after} AND address >= ${beginning} AND address < ${beginning} || U&'\\+10FFFF'
    ORDER BY address LIMIT ${limit}`.execute(kysely)
  return rows.map(({ address }) => address)
}

/** The names of the profiles with these addresses. */
export async function selectNames(kysely: Kysely<DB>, addresses: readonly string[]): Promise<Map<string, string>> {
  if (addresses.length === 0) return new Map()
  const { rows } = await sql<{ address: string; username: string }>`
    SELECT address, coalesce(own_username, username) AS username FROM profiles WHERE address = ANY(${[...addresses]}::text[]) AND username <> ''`.execute(
    kysely,
  )
  return new Map(rows.map(({ address, username }) => [address, username]))
}
