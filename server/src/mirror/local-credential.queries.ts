import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/** The local source of a credential's holders. */
export interface LocalCredential {
  hasHolders: boolean
  /** Whether the credential has its own source, whose runs set its status. */
  hasSource: boolean
}

export async function findLocalCredential(kysely: Kysely<DB>, id: string): Promise<LocalCredential> {
  const { rows } = await sql<LocalCredential>`
    SELECT item_count > 0 AS "hasHolders",
      EXISTS (SELECT FROM credential_sources s WHERE s.credential_id = ${id}) AS "hasSource"
    FROM credentials WHERE credential_id = ${id}`.execute(kysely)
  return rows[0] ?? { hasHolders: false, hasSource: false }
}
