import { type Kysely, sql } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import type { Standing } from './boards.queries.ts'

/**
 * The kinds whose subjects are addresses, by priority if several accounts name an address. Handles and mail addresses
 * are excluded, because they can change owners.
 */
const ADDRESS_KINDS = sql.raw(
  `ARRAY['EVMAddress', 'SolanaAddress', 'SeiAddress', 'AptosAddress', 'InjectiveAddress', 'FlowAddress']`,
)

/** Records all addresses of an account as changed, in the transaction of the change. Returns them. */
export async function noteAddressesOf(trx: Kysely<DB>, accountId: string): Promise<string[]> {
  // One statement per table, because the tables have different distribution keys.
  const subjects = await sql<{ address: string }>`
    SELECT subject AS address FROM identities WHERE account_id = ${accountId} AND kind = ANY(${ADDRESS_KINDS})
  `.execute(trx)
  const aliases = await sql<{ address: string }>`
    SELECT alias AS address FROM identity_aliases WHERE account_id = ${accountId} AND kind = ANY(${ADDRESS_KINDS})
  `.execute(trx)
  const linked = [...new Set([...subjects.rows, ...aliases.rows].map((row) => row.address))]
  if (linked.length === 0) return []
  const { rows: shown } = await sql`
    SELECT FROM account_profiles WHERE account_id = ${accountId} AND is_public`.execute(trx)
  const noted = shown.length > 0 ? linked : await namedByOwners(trx, linked)
  if (noted.length === 0) return []
  await sql`
    INSERT INTO profile_changes (address) SELECT address FROM unnest(${textArray(noted)}::text[]) AS n (address)
    ORDER BY address ON CONFLICT (address) DO UPDATE SET barrier = NULL`.execute(trx)
  return noted
}

/** The addresses whose names come from accounts. */
async function namedByOwners(trx: Kysely<DB>, addresses: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT address FROM profiles
    WHERE address = ANY(${textArray(addresses)}::text[]) AND own_username IS NOT NULL`.execute(trx)
  return rows.map((row) => row.address)
}

export interface NotedChange {
  address: string
  barrier: number | null
}

/** Changes that are new, and changes whose barrier all running transactions have passed. */
export async function dueChanges(kysely: Kysely<DB>, limit: number): Promise<NotedChange[]> {
  const { rows } = await sql<NotedChange>`
    SELECT address, barrier FROM profile_changes
    WHERE barrier IS NULL OR barrier <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    ORDER BY address LIMIT ${limit}`.execute(kysely)
  return rows
}

/** The recorded changes among `among`. */
export async function notedAddresses(
  kysely: Kysely<DB>,
  among: readonly string[] | 'all',
  limit: number,
): Promise<string[]> {
  const chosen = among === 'all' ? sql`true` : sql`address = ANY(${textArray(among)}::text[])`
  const { rows } = await sql<{ address: string }>`
    SELECT address FROM profile_changes WHERE ${chosen} ORDER BY address LIMIT ${limit}`.execute(kysely)
  return rows.map((row) => row.address)
}

/** Sets the barrier: transactions that begin later see the change; running ones must end first. */
export async function setBarrier(kysely: Kysely<DB>, addresses: readonly string[]): Promise<void> {
  await sql`
    UPDATE profile_changes SET barrier = pg_snapshot_xmax(pg_current_snapshot())::text::bigint
    WHERE address = ANY(${addresses}::text[])`.execute(kysely)
}

/** Deletes changes unless they were recorded again after they were read. */
export async function forgetChanges(kysely: Kysely<DB>, changes: readonly NotedChange[]): Promise<void> {
  await sql`
    DELETE FROM profile_changes c
    USING unnest(${changes.map((c) => c.address)}::text[], ${changes.map((c) => c.barrier)}::bigint[]) AS d (address, barrier)
    WHERE c.address = d.address COLLATE "C" AND c.barrier = d.barrier`.execute(kysely)
}

/** The current public names and avatars of the addresses' accounts. */
const shown = (addresses: readonly string[]) => sql`
  SELECT a.address, o.username, o.avatar
  FROM unnest(${addresses}::text[]) AS a (address) LEFT JOIN LATERAL (
    SELECT left(acc.name, 100) AS username, p.avatar
    FROM (
      SELECT kind, account_id FROM identity_subjects WHERE subject = a.address
      UNION ALL
      SELECT kind, account_id FROM identity_aliases WHERE alias = a.address
    ) AS owner
    JOIN account_profiles p ON p.account_id = owner.account_id AND p.is_public
    JOIN accounts acc ON acc.account_id = owner.account_id
    WHERE owner.kind = ANY(${ADDRESS_KINDS})
    ORDER BY array_position(${ADDRESS_KINDS}, owner.kind) LIMIT 1
  ) AS o ON true`

/** Locks the profiles of the addresses and updates them from the accounts. Returns the number of changes. */
export async function storeOwnProfiles(trx: Kysely<DB>, addresses: readonly string[]): Promise<number> {
  await sql`
    INSERT INTO profiles (address)
    SELECT s.address FROM (${shown(addresses)}) AS s WHERE s.username IS NOT NULL ORDER BY s.address
    ON CONFLICT DO NOTHING`.execute(trx)
  await sql`
    SELECT FROM profiles WHERE address = ANY(${addresses}::text[]) ORDER BY address FOR NO KEY UPDATE`.execute(trx)
  const { numAffectedRows } = await sql`
    UPDATE profiles p SET own_username = s.username, own_avatar = s.avatar
    FROM (${shown(addresses)}) AS s
    WHERE p.address = s.address COLLATE "C"
      AND (p.own_username, p.own_avatar) IS DISTINCT FROM (s.username, s.avatar)`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/**
 * The current entries of the addresses on all boards, or on those of `spaceIds`: one index lookup per board and
 * address.
 */
const livingEntries = (addresses: readonly string[], spaceIds?: readonly number[]) => sql`(
  SELECT e.* FROM unnest(${addresses}::text[]) AS a (address) CROSS JOIN boards b CROSS JOIN LATERAL (
    SELECT space_id, sprint_id, address, points, username, avatar FROM board_entries e
    WHERE e.space_id = b.space_id AND e.sprint_id = b.sprint_id AND e.address = a.address COLLATE "C"
    LIMIT 1
  ) AS e ${spaceIds === undefined ? sql`` : sql`WHERE b.space_id = ANY(${spaceIds}::int[])`})`

/** The entries that show another name or avatar than the profiles. */
export async function staleStandings(
  trx: Kysely<DB>,
  addresses: readonly string[],
  spaceIds?: readonly number[],
): Promise<Standing[]> {
  const { rows } = await sql<Standing>`
    SELECT * FROM (
      SELECT e.space_id, e.sprint_id, e.address, e.points, e.username AS old_username, e.avatar AS old_avatar,
             coalesce(p.own_username, p.username, substr(md5(e.address), 1, 10)) AS username,
             coalesce(p.own_avatar, p.avatar, '') AS avatar
      FROM ${livingEntries(addresses, spaceIds)} AS e LEFT JOIN profiles p ON p.address = e.address
    ) AS stand
    WHERE (username, avatar) IS DISTINCT FROM (old_username, old_avatar)
    ORDER BY space_id, sprint_id, address`.execute(trx)
  return rows
}

/** Sets the lock timeout of this transaction. */
export async function limitLockWait(trx: Kysely<DB>, milliseconds: number): Promise<void> {
  await sql`SELECT set_config('lock_timeout', ${String(milliseconds)}, true)`.execute(trx)
}
