import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'

export interface NamedCredential {
  id: string
  name: string
  credType: string
  credSource: string
}

export async function findCredentials(kysely: Kysely<DB>, ids: readonly string[]): Promise<NamedCredential[]> {
  const { rows } = await sql<NamedCredential>`
    SELECT credential_id::text AS id, name, cred_type AS "credType", cred_source AS "credSource"
    FROM credentials WHERE credential_id = ANY(${ids}::bigint[])`.execute(kysely)
  return rows
}
