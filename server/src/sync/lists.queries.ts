import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface Difference {
  /** Holders of the current list. */
  before: number
  /** Those of them that the other list does not have. */
  removed: number
}

/** The changes if a filled list replaced the current list. */
export async function compareLists(kysely: Kysely<DB>, credentialId: string, generation: number): Promise<Difference> {
  const { rows } = await sql<Difference>`
    SELECT count(*) AS before, count(*) FILTER (WHERE NOT EXISTS (
      SELECT FROM credential_holders n
      WHERE n.credential_id = ${credentialId} AND n.generation = ${generation} AND n.address = o.address)) AS removed
    FROM credential_holders o
    WHERE o.credential_id = ${credentialId}
      AND o.generation = (SELECT generation FROM credentials WHERE credential_id = ${credentialId})`.execute(kysely)
  return rows[0] ?? { before: 0, removed: 0 }
}

/** Records that the current list was found to be up to date. */
export async function confirmList(trx: Kysely<DB>, credentialId: string, now: Date): Promise<void> {
  await sql`
    UPDATE credentials SET sync_status = 'SYNCED', last_sync = ${now} WHERE credential_id = ${credentialId}
  `.execute(trx)
}

/** After a list was given up: if another run has finished, its list is up to date. */
export async function confirmFinished(trx: Kysely<DB>, credentialId: string): Promise<void> {
  await sql`
    UPDATE credentials SET sync_status = 'SYNCED' WHERE credential_id = ${credentialId} AND EXISTS (
      SELECT FROM credential_sources WHERE credential_id = ${credentialId} AND state = 'done' AND lease IS NULL)
  `.execute(trx)
}
