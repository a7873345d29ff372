import { type Kysely, sql } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { type LedgerSource, monthOf } from './ledger.ts'

// Any fixed number: one partition is created at a time.
const MONTHS_LOCK = 7_305_118_021

/** Creates the partition of a month unless it exists. The space may be locked already. */
export async function openMonth(trx: Kysely<DB>, time: Date): Promise<void> {
  const { partition, from, to } = monthOf(time)
  const missing = sql<{ missing: boolean }>`SELECT to_regclass(${partition}) IS NULL AS missing`
  if (!(await missing.execute(trx)).rows[0]?.missing) return
  await sql`SELECT pg_advisory_xact_lock(${MONTHS_LOCK})`.execute(trx)
  if (!(await missing.execute(trx)).rows[0]?.missing) return
  // Attaching, unlike creating as a partition, does not block concurrent awards.
  await sql`CREATE TABLE ${sql.table(partition)} (LIKE ledger_entries INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`.execute(
    trx,
  )
  await sql`
    ALTER TABLE ledger_entries ATTACH PARTITION ${sql.table(partition)}
    FOR VALUES FROM (${sql.lit(from.toISOString())}) TO (${sql.lit(to.toISOString())})`.execute(trx)
}

/** The time of the entries that the transaction stores next. Creates the partition of its month unless it exists. */
export async function timeOfEntries(trx: Kysely<DB>, clock: Clock): Promise<Date> {
  const now = new Date(clock.now())
  await openMonth(trx, now)
  return now
}

/**
 * Enters the removal of all members of a sprint's board, and of its banned members. The caller has locked the space and
 * created its next version.
 */
export async function enterSprintRemoval(trx: Kysely<DB>, spaceId: number, sprintId: number, now: Date): Promise<void> {
  await openMonth(trx, now)
  await sql`
    INSERT INTO ledger_entries (space_id, sprint_id, version, entered_at, position, sprint_before, source, address)
    SELECT e.space_id, e.sprint_id, v.version, ${now}::timestamptz, row_number() OVER (ORDER BY e.address), e.points,
           ${'removal' satisfies LedgerSource}, e.address
    FROM (
      SELECT space_id, sprint_id, address, points FROM board_entries
      WHERE space_id = ${spaceId} AND sprint_id = ${sprintId}
      UNION ALL
      SELECT space_id, sprint_id, address, points FROM banned_entries
      WHERE space_id = ${spaceId} AND sprint_id = ${sprintId}
    ) AS e JOIN space_versions v ON v.space_id = e.space_id
    WHERE v.space_id = ${spaceId}`.execute(trx)
  // Awards with times still change the overall board.
  await sql`
    UPDATE timed_awards SET sprint_id = 0 WHERE space_id = ${spaceId} AND sprint_id = ${sprintId}`.execute(trx)
}

/** The spaces with entries of a member, in lock order. */
export async function spacesOfEntries(kysely: Kysely<DB>, address: string): Promise<number[]> {
  const { rows } = await sql<{ spaceId: number }>`
    SELECT DISTINCT e.space_id AS "spaceId" FROM spaces s JOIN ledger_entries e ON e.space_id = s.space_id
    WHERE e.address = ${address} ORDER BY 1`.execute(kysely)
  return rows.map(({ spaceId }) => spaceId)
}

/** Deletes the salt of a member. @returns the salt; undefined if no entry of the member is sealed */
export async function takeSalt(trx: Kysely<DB>, spaceId: number, address: string): Promise<Buffer | undefined> {
  const { rows } = await sql<{ salt: Buffer }>`
    DELETE FROM ledger_salts WHERE space_id = ${spaceId} AND address = ${address} RETURNING salt`.execute(trx)
  return rows[0]?.salt
}

/** Replaces an erased address in the entries of a space. Sums, balances and keys do not change. */
export async function pseudonymize(trx: Kysely<DB>, spaceId: number, address: string, name: string): Promise<void> {
  await sql`
    UPDATE ledger_entries SET address = ${name} WHERE space_id = ${spaceId} AND address = ${address}`.execute(trx)
}

/** Replaces an erased address in the keys from before the ledger. */
export async function pseudonymizeKeys(trx: Kysely<DB>, address: string, name: string): Promise<void> {
  await sql`UPDATE award_keys SET address = ${name} WHERE address = ${address}`.execute(trx)
}
