import { type Kysely, type RawBuilder, sql } from 'kysely'
import { passes } from '../../database/passing.ts'
import type { DB } from '../../database/tables.ts'
import { STAGED } from '../staging.queries.ts'
import type { Counts } from '../upsert.queries.ts'

/** The type of all credentials, or of `only`, by id. */
export async function readCredentialTypes(kysely: Kysely<DB>, only?: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; type: string }>`
    SELECT credential_id::text AS id, cred_type AS type FROM credentials
    ${only === undefined ? sql`` : sql`WHERE credential_id = ANY(${only}::bigint[])`}`.execute(kysely)
  return new Map(rows.map(({ id, type }) => [id, type]))
}

const holds = sql`EXISTS (
  SELECT FROM credentials c JOIN credential_holders h ON h.credential_id = c.credential_id AND h.generation = c.generation
  WHERE c.credential_id = s.credential_id AND h.address = s.address)`
const firstLines = (which: RawBuilder<unknown>) => sql`
  SELECT DISTINCT ON (credential_id, address) line FROM ${STAGED} s WHERE ${which} ORDER BY credential_id, address, line`

/** The first line of each holder who is not in the list. */
export const newHolders = firstLines(sql`NOT ${holds}`)
/** The first line of each holder who is in the list. */
export const knownHolders = firstLines(holds)

/** Removes the staged holders from the current lists. Others are ignored. */
export async function removeHolders(trx: Kysely<DB>, now: Date): Promise<Counts> {
  await sql`
    SELECT FROM credentials WHERE credential_id IN (SELECT credential_id FROM ${STAGED})
    ORDER BY credential_id FOR NO KEY UPDATE`.execute(trx)
  const { rows } = await sql<{ removed: number }>`
    WITH removed AS (
      DELETE FROM credential_holders h USING ${STAGED} s JOIN credentials c ON c.credential_id = s.credential_id
      WHERE h.credential_id = s.credential_id AND h.generation = c.generation AND h.address = s.address
      RETURNING h.credential_id
    ), counted AS (
      SELECT credential_id, count(*) AS count FROM removed GROUP BY credential_id
    ), updated AS (
      UPDATE credentials c SET item_count = item_count - coalesce(count, 0), last_sync = ${now},
        last_update = CASE WHEN count > 0 THEN ${now} ELSE last_update END
      FROM (SELECT DISTINCT credential_id FROM ${STAGED}) AS named LEFT JOIN counted USING (credential_id)
      WHERE c.credential_id = named.credential_id
    )
    SELECT coalesce(sum(count), 0)::bigint AS removed FROM counted`.execute(trx)
  return { added: 0, changed: rows[0]?.removed ?? 0 }
}

/** Adds the staged holders to the current lists. Existing holders are ignored. */
export async function addHolders(trx: Kysely<DB>, now: Date): Promise<Counts> {
  // The locks on the credentials exclude other additions. So no conflict can occur, and a plain INSERT is much faster.
  await sql`
    SELECT FROM credentials WHERE credential_id IN (SELECT credential_id FROM ${STAGED})
    ORDER BY credential_id FOR NO KEY UPDATE`.execute(trx)
  const { rows } = await sql<{ added: number }>`
    WITH added AS (
      INSERT INTO credential_holders (credential_id, generation, address)
      SELECT credential_id, generation, address FROM (
        SELECT DISTINCT ON (1, 2, 3) s.credential_id, c.generation, s.address, s.line
        FROM ${STAGED} s JOIN credentials c ON c.credential_id = s.credential_id
        WHERE NOT EXISTS (
          SELECT FROM credential_holders h
          WHERE h.credential_id = s.credential_id AND h.generation = c.generation AND h.address = s.address)
        ORDER BY 1, 2, 3 OFFSET 0
      ) AS sorted WHERE ${passes('line')}
      RETURNING credential_id
    ), counted AS (
      SELECT credential_id, count(*) AS count FROM added GROUP BY credential_id
    ), named AS (
      SELECT DISTINCT credential_id FROM ${STAGED}
    ), updated AS (
      UPDATE credentials c SET item_count = item_count + coalesce(count, 0), last_sync = ${now},
        last_update = CASE WHEN count > 0 THEN ${now} ELSE last_update END
      FROM named LEFT JOIN counted USING (credential_id) WHERE c.credential_id = named.credential_id
    )
    SELECT coalesce(sum(count), 0)::bigint AS added FROM counted`.execute(trx)
  return { added: rows[0]?.added ?? 0, changed: 0 }
}
