import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface Difference {
  /** Holders of the current list. */
  before: number
  /** Holders of the current list that the other list does not have. */
  removed: number
  /** Further holders that the other list does not have, but that a check has confirmed since its source was read. */
  confirmed: number
}

/** The changes if a filled list replaced the current list, and the checks since `started` were applied to it. */
export async function compareLists(
  kysely: Kysely<DB>,
  { credentialId, generation }: { credentialId: string; generation: number },
  started: Date,
): Promise<Difference> {
  const { rows } = await sql<Difference>`
    SELECT count(*) AS before, count(*) FILTER (WHERE absent AND NOT checked) AS removed,
           count(*) FILTER (WHERE absent AND checked) AS confirmed
    FROM (
      SELECT NOT EXISTS (
               SELECT FROM credential_holders n
               WHERE n.credential_id = ${credentialId} AND n.generation = ${generation} AND n.address = o.address
             ) AS absent,
             EXISTS (
               SELECT FROM credential_checks c
               WHERE c.credential_id = ${credentialId} AND c.holder = o.address AND c.checked_at >= ${started} AND c.held
             ) AS checked
      FROM credential_holders o
      WHERE o.credential_id = ${credentialId}
        AND o.generation = (SELECT generation FROM credentials WHERE credential_id = ${credentialId})
    ) AS compared`.execute(kysely)
  return rows[0] ?? { before: 0, removed: 0, confirmed: 0 }
}

/** Records that the current list was found to be up to date. */
export async function confirmList(trx: Kysely<DB>, credentialId: string, now: Date): Promise<void> {
  await sql`
    UPDATE credentials SET sync_status = 'SYNCED', last_sync = ${now} WHERE credential_id = ${credentialId}
  `.execute(trx)
}

/** Called after a run has discarded its list. If another run has finished, the current list is up to date. */
export async function confirmFinished(trx: Kysely<DB>, credentialId: string): Promise<void> {
  await sql`
    UPDATE credentials SET sync_status = 'SYNCED' WHERE credential_id = ${credentialId} AND EXISTS (
      SELECT FROM credential_sources WHERE credential_id = ${credentialId} AND state = 'done' AND lease IS NULL)
  `.execute(trx)
}
