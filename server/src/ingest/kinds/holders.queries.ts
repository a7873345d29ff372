import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { STAGED } from '../staging.queries.ts'
import type { Counts } from '../upsert.queries.ts'

/** The type of every credential, by id. */
export async function readCredentialTypes(kysely: Kysely<DB>, only?: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; type: string }>`
    SELECT credential_id::text AS id, cred_type AS type FROM credentials
    ${only === undefined ? sql`` : sql`WHERE credential_id = ${only}`}`.execute(kysely)
  return new Map(rows.map(({ id, type }) => [id, type]))
}

/** Adds the staged holders to the lists that answer; those who hold already change nothing. */
export async function addHolders(trx: Kysely<DB>, now: Date): Promise<Counts> {
  await sql`
    SELECT FROM credentials WHERE credential_id IN (SELECT credential_id FROM ${STAGED})
    ORDER BY credential_id FOR NO KEY UPDATE`.execute(trx)
  const { rows } = await sql<{ added: number }>`
    WITH added AS (
      INSERT INTO credential_holders (credential_id, generation, address)
      SELECT credential_id, generation, address FROM ${STAGED} JOIN credentials USING (credential_id)
      ORDER BY credential_id, generation, address
      ON CONFLICT DO NOTHING RETURNING credential_id
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
