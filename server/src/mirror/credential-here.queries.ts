import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/** Where the answers about a credential come from here. */
export interface CredentialHere {
  hasHolders: boolean
  /** It has a source of its own, whose runs say how current the list is. */
  hasSource: boolean
}

export async function findCredentialHere(kysely: Kysely<DB>, id: string): Promise<CredentialHere> {
  const { rows } = await sql<CredentialHere>`
    SELECT item_count > 0 AS "hasHolders",
      EXISTS (SELECT FROM credential_sources s WHERE s.credential_id = ${id}) AS "hasSource"
    FROM credentials WHERE credential_id = ${id}`.execute(kysely)
  return rows[0] ?? { hasHolders: false, hasSource: false }
}
