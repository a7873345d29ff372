import { type Kysely, sql } from 'kysely'
import { bytesArray, textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import { ERASED, type Month } from '../ranking/ledger.ts'
import type { EntryRow, EntryPosition } from './entry.ts'

export interface Seal {
  /** Such as `2026-11`. */
  month: string
  entryCount: number
  digest: Buffer
}

/** The months for which the ledger has a partition, oldest first. Every month with entries has one. */
export async function listMonths(kysely: Kysely<DB>): Promise<string[]> {
  const { rows } = await sql<{ month: string }>`
    SELECT replace(right(c.relname, 7), '_', '-') AS month FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'ledger_entries'::regclass AND c.relname ~ '^entries_[0-9]{4}_[0-9]{2}$' ORDER BY 1`.execute(
    kysely,
  )
  return rows.map(({ month }) => month)
}

const within = ({ from, to }: Month) => sql`entered_at >= ${from}::timestamptz AND entered_at < ${to}::timestamptz`

/** The spaces that have entries in the month but no seal for the month. */
export async function unsealedSpaces(kysely: Kysely<DB>, month: Month): Promise<number[]> {
  const { rows } = await sql<{ spaceId: number }>`
    SELECT v.space_id AS "spaceId" FROM space_versions v
    WHERE EXISTS (SELECT FROM ledger_entries e WHERE e.space_id = v.space_id AND ${within(month)})
      AND NOT EXISTS (SELECT FROM ledger_seals s WHERE s.space_id = v.space_id AND s.month = ${month.from}::date)
    ORDER BY 1`.execute(kysely)
  return rows.map(({ spaceId }) => spaceId)
}

/** The members with entries in the month but no salt, ordered by address, after `after`. Erased members need no salt. */
export async function membersWithoutSalt(
  trx: Kysely<DB>,
  spaceId: number,
  month: Month,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT DISTINCT e.address FROM ledger_entries e
    WHERE e.space_id = ${spaceId} AND ${within(month)} AND e.address > ${after} AND NOT starts_with(e.address, ${ERASED})
      AND NOT EXISTS (SELECT FROM ledger_salts s WHERE s.space_id = ${spaceId} AND s.address = e.address)
    ORDER BY e.address LIMIT ${limit}`.execute(trx)
  return rows.map(({ address }) => address)
}

export async function storeSalts(
  trx: Kysely<DB>,
  spaceId: number,
  addresses: readonly string[],
  salts: readonly Buffer[],
): Promise<void> {
  await sql`
    INSERT INTO ledger_salts (space_id, address, salt)
    SELECT ${spaceId}::int, address, salt
    FROM unnest(${textArray(addresses)}::text[], ${bytesArray(salts)}::bytea[]) AS s (address, salt)`.execute(trx)
}

/** The fields of an entry that the digest of its month contains, and the member's salt. Times are microseconds since 1970. */
export interface DigestEntry extends Omit<EntryRow, 'enteredAt' | 'availableAt' | 'expiresAt'> {
  time: number
  availableAt: number | null
  expiresAt: number | null
  salt: Buffer | null
}

const microseconds = (column: string) => sql`(extract(epoch FROM ${sql.ref(column)}) * 1000000)::bigint`

/** The next entries of a space in a month. Do not change the order of the columns: the digest hashes them in this order. */
export async function entriesOfMonth(
  trx: Kysely<DB>,
  spaceId: number,
  month: Month,
  after: EntryPosition,
  limit: number,
): Promise<DigestEntry[]> {
  const { rows } = await sql<DigestEntry>`
    SELECT e.version, e.position, ${microseconds('e.entered_at')} AS time, e.sprint_id AS "sprintId", e.address,
           e.points_before AS "pointsBefore", e.points_after AS "pointsAfter", e.sprint_before AS "sprintBefore",
           e.sprint_after AS "sprintAfter", e.source, e.key, e.reason, e.actor, e.reverses, e.award, e.pending,
           ${microseconds('e.available_at')} AS "availableAt", ${microseconds('e.expires_at')} AS "expiresAt", s.salt
    FROM ledger_entries e LEFT JOIN ledger_salts s ON s.space_id = e.space_id AND s.address = e.address
    WHERE e.space_id = ${spaceId} AND ${within(month)}
      AND (e.version, e.position) > (${after.version}::bigint, ${after.position}::int)
    ORDER BY e.version, e.position LIMIT ${limit}`.execute(trx)
  return rows
}

/** The seals of a space, oldest first. */
export async function listSeals(trx: Kysely<DB>, spaceId: number): Promise<Seal[]> {
  const { rows } = await sql<Seal>`
    SELECT to_char(month, 'YYYY-MM') AS month, entries AS "entryCount", digest FROM ledger_seals WHERE space_id = ${spaceId}
    ORDER BY ledger_seals.month`.execute(trx)
  return rows
}

/** Stores a seal. Does nothing if another instance has already stored it. */
export async function storeSeal(
  kysely: Kysely<DB>,
  spaceId: number,
  month: Month,
  { entryCount, digest, sealedAt }: { entryCount: number; digest: Buffer; sealedAt: Date },
): Promise<void> {
  await sql`
    INSERT INTO ledger_seals (space_id, month, entries, digest, sealed_at)
    VALUES (${spaceId}, ${month.from}::date, ${entryCount}, ${digest}, ${sealedAt}) ON CONFLICT DO NOTHING`.execute(
    kysely,
  )
}
