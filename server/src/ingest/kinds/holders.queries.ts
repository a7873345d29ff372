import { type Kysely, type RawBuilder, sql } from 'kysely'
import { withProgress } from '../../database/statement-progress.ts'
import type { DB } from '../../database/tables.ts'
import { STAGED, stagedValues } from '../staging.queries.ts'
import type { Counts } from '../kind.ts'

/** The type of all credentials, or of `only`, by id. */
export async function readCredentialTypes(kysely: Kysely<DB>, only?: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; type: string }>`
    SELECT credential_id::text AS id, cred_type AS type FROM credentials
    ${only === undefined ? sql`` : sql`WHERE credential_id = ANY(${only}::bigint[])`}`.execute(kysely)
  return new Map(rows.map(({ id, type }) => [id, type]))
}

const holds = sql`EXISTS (
  SELECT 1 FROM credentials c
  JOIN credential_holders h ON h.credential_id = c.credential_id AND h.generation = c.generation
  WHERE c.credential_id = s.credential_id AND h.address = s.address)`
const firstLines = (which: RawBuilder<unknown>) => sql`
  SELECT DISTINCT ON (credential_id, address) line FROM ${STAGED} s WHERE ${which} ORDER BY credential_id, address, line`

/** The first line of each holder who is not in the list. */
export const newHolders = firstLines(sql`NOT ${holds}`)
/** The first line of each holder who is in the list. */
export const knownHolders = firstLines(holds)

/** Locks the credentials of the staged holders, which excludes other changes of their lists. Returns their ids. */
async function lockLists(trx: Kysely<DB>): Promise<string[]> {
  const ids = await stagedValues(trx, 'credential_id')
  await sql`SELECT lock_credentials(${ids}::bigint[])`.execute(trx)
  return ids
}

/** Adds changes to the sizes of the lists, and records that they are up to date. Returns the sum of the changes. */
async function changeSizes(
  trx: Kysely<DB>,
  ids: readonly string[],
  changes: readonly { id: string; count: number }[],
  sign: 1 | -1,
  now: Date,
): Promise<number> {
  const counts = new Map(changes.map(({ id, count }) => [id, count]))
  await sql`
    UPDATE credentials c SET item_count = item_count + n.change, last_sync = ${now},
      last_update = CASE WHEN n.change <> 0 THEN ${now} ELSE last_update END
    FROM unnest(${ids}::bigint[], ${ids.map((id) => sign * (counts.get(id) ?? 0))}::int[]) AS n (credential_id, change)
    WHERE c.credential_id = n.credential_id`.execute(trx)
  return changes.reduce((sum, { count }) => sum + count, 0)
}

/** Removes the staged holders from the current lists. Others are ignored. */
export async function removeHolders(trx: Kysely<DB>, now: Date): Promise<Counts> {
  const ids = await lockLists(trx)
  const { rows } = await sql<{ id: string; count: number }>`
    WITH removed AS (
      DELETE FROM credential_holders h
      USING (
        SELECT DISTINCT s.credential_id, c.generation, s.address
        FROM ${STAGED} s JOIN credentials c ON c.credential_id = s.credential_id
      ) AS former
      WHERE h.credential_id = former.credential_id AND h.generation = former.generation AND h.address = former.address
      RETURNING h.credential_id
    )
    SELECT credential_id::text AS id, count(*) AS count FROM removed GROUP BY credential_id`.execute(trx)
  return { added: 0, changed: await changeSizes(trx, ids, rows, -1, now) }
}

/** Adds the staged holders to the current lists. Existing holders are ignored. */
export async function addHolders(trx: Kysely<DB>, now: Date): Promise<Counts> {
  // The locks on the credentials exclude other additions. So no conflict can occur, and a plain INSERT is much faster.
  const ids = await lockLists(trx)
  const { rows } = await sql<{ id: string; count: number }>`
    WITH added AS (
      INSERT INTO credential_holders (credential_id, generation, address)
      SELECT credential_id, generation, ${withProgress('address')} FROM (
        SELECT DISTINCT ON (s.credential_id, c.generation, s.address) s.credential_id, c.generation, s.address, s.line
        FROM ${STAGED} s JOIN credentials c ON c.credential_id = s.credential_id
        WHERE NOT EXISTS (
          SELECT 1 FROM credential_holders h
          WHERE h.credential_id = s.credential_id AND h.generation = c.generation AND h.address = s.address)
        ORDER BY s.credential_id, c.generation, s.address
      ) AS sorted
      RETURNING credential_id
    )
    SELECT credential_id::text AS id, count(*) AS count FROM added GROUP BY credential_id`.execute(trx)
  return { added: await changeSizes(trx, ids, rows, 1, now), changed: 0 }
}

/** Counts the changes if the staged holders replaced the lists. */
export async function measureReplacement(trx: Kysely<DB>): Promise<Counts> {
  const { rows } = await sql<{ holders: number; kept: number }>`
    SELECT count(*) AS holders, count(*) FILTER (WHERE kept) AS kept FROM (
      SELECT DISTINCT ON (credential_id, address) ${holds} AS kept FROM ${STAGED} s
      ORDER BY credential_id, address
    ) AS listed`.execute(trx)
  const { holders = 0, kept = 0 } = rows[0] ?? {}
  const ids = await stagedValues(trx, 'credential_id')
  const sizes = await sql<{ former: number }>`
    SELECT coalesce(sum(item_count), 0)::bigint AS former FROM credentials
    WHERE credential_id = ANY(${ids}::bigint[])`.execute(trx)
  return { added: holders - kept, changed: 0, removed: Math.max((sizes.rows[0]?.former ?? 0) - kept, 0) }
}
