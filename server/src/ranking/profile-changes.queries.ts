import { type Kysely, sql } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import { ACCOUNT_ADDRESS } from '../addresses/account-address.ts'
import { preparedWrite } from '../database/prepared-write.ts'
import type { DB } from '../database/tables.ts'
import { type Name, shortId, type OutdatedEntry } from './boards.queries.ts'

/**
 * The kinds whose subjects are addresses, by priority if several accounts name an address. Handles and mail addresses
 * are excluded, because they can change owners.
 */
const ADDRESS_KINDS = [
  'EVMAddress',
  'SolanaAddress',
  'SeiAddress',
  'AptosAddress',
  'InjectiveAddress',
  'FlowAddress',
  ACCOUNT_ADDRESS,
]
const ADDRESS_KINDS_SQL = sql.raw(`ARRAY['${ADDRESS_KINDS.join(`', '`)}']`)

/** Records all addresses of an account as changed, in the transaction of the change. Returns them. */
export async function noteAddressesOf(trx: Kysely<DB>, accountId: string): Promise<string[]> {
  // One statement per table, because the tables have different distribution keys.
  const subjects = await sql<{ address: string }>`
    SELECT subject AS address FROM identities WHERE account_id = ${accountId} AND kind = ANY(${ADDRESS_KINDS_SQL})
  `.execute(trx)
  const aliases = await sql<{ address: string }>`
    SELECT alias AS address FROM identity_aliases WHERE account_id = ${accountId} AND kind = ANY(${ADDRESS_KINDS_SQL})
  `.execute(trx)
  const linked = [...new Set([...subjects.rows, ...aliases.rows].map((row) => row.address))]
  if (linked.length === 0) return []
  const { rows: shown } = await sql`
    SELECT FROM account_profiles WHERE account_id = ${accountId} AND is_public`.execute(trx)
  const noted = shown.length > 0 ? linked : await namedByOwners(trx, linked)
  await noteAddresses(trx, noted)
  return noted
}

/** Records addresses as changed: the boards do not show their current name or ban yet. */
export async function noteAddresses(trx: Kysely<DB>, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return
  await sql`
    INSERT INTO profile_changes (address) SELECT address FROM unnest(${textArray(addresses)}::text[]) AS n (address)
    ORDER BY address ON CONFLICT (address) DO UPDATE SET barrier = NULL`.execute(trx)
}

/** The addresses whose names come from accounts. */
async function namedByOwners(trx: Kysely<DB>, addresses: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT address FROM profiles
    WHERE address = ANY(${textArray(addresses)}::text[]) AND own_username IS NOT NULL`.execute(trx)
  return rows.map((row) => row.address)
}

/** Assigns an ID to the transaction, so that the barriers of changes that commit before it wait for it. */
export async function takeTransactionId(trx: Kysely<DB>): Promise<void> {
  await sql`SELECT pg_current_xact_id()`.execute(trx)
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

const noted = preparedWrite<{ address: string }>(
  'profiles.noted',
  'SELECT address FROM profile_changes WHERE address = ANY($1::text[]) ORDER BY address LIMIT $2',
)

/** The recorded changes among `among`. */
export async function notedAddresses(
  kysely: Kysely<DB>,
  among: readonly string[] | 'all',
  limit: number,
): Promise<string[]> {
  const rows =
    among === 'all'
      ? await kysely.selectFrom('profile_changes').select('address').orderBy('address').limit(limit).execute()
      : await noted(kysely, [textArray(among), limit])
  return rows.map((row) => row.address)
}

/** Sets the barrier: transactions that begin later see the change; running ones must end first. */
export async function setBarrier(kysely: Kysely<DB>, addresses: readonly string[]): Promise<void> {
  await sql`
    UPDATE profile_changes SET barrier = pg_snapshot_xmax(pg_current_snapshot())::text::bigint
    WHERE address = ANY(${addresses}::text[])`.execute(kysely)
}

/** Deletes changes unless they were recorded again after they were read. */
export async function deleteChanges(kysely: Kysely<DB>, changes: readonly NotedChange[]): Promise<void> {
  await sql`
    DELETE FROM profile_changes c
    USING unnest(${changes.map((c) => c.address)}::text[], ${changes.map((c) => c.barrier)}::bigint[]) AS d (address, barrier)
    WHERE c.address = d.address COLLATE "C" AND c.barrier = d.barrier`.execute(kysely)
}

interface Owned {
  address: string
  kind: string
  account_id: string
}

/** The current public name and avatar of each address's account. Addresses without one are omitted. */
async function shownBy(trx: Kysely<DB>, addresses: readonly string[]): Promise<Map<string, Name>> {
  // One statement per table, because the tables have different distribution keys.
  const subjects = await sql<Owned>`
    SELECT subject AS address, kind, account_id FROM identity_subjects
    WHERE subject = ANY(${addresses}::text[]) AND kind = ANY(${ADDRESS_KINDS_SQL})`.execute(trx)
  const aliases = await sql<Owned>`
    SELECT alias AS address, kind, account_id FROM identity_aliases
    WHERE alias = ANY(${addresses}::text[]) AND kind = ANY(${ADDRESS_KINDS_SQL})`.execute(trx)
  const owned = [...subjects.rows, ...aliases.rows]
  const ids = [...new Set(owned.map((row) => row.account_id))]
  const accounts = await sql<Name & { account_id: string }>`
    SELECT a.account_id, left(a.name, 100) AS username, p.avatar
    FROM account_profiles p JOIN accounts a ON a.account_id = p.account_id
    WHERE p.account_id = ANY(${ids}::uuid[]) AND p.is_public`.execute(trx)
  const names = new Map(accounts.rows.map(({ account_id, username, avatar }) => [account_id, { username, avatar }]))
  const priority = (row: Owned) => ADDRESS_KINDS.indexOf(row.kind)
  const shown = new Map<string, Name>()
  for (const row of owned.toSorted((a, b) => priority(b) - priority(a))) {
    const name = names.get(row.account_id)
    if (name) shown.set(row.address, name)
  }
  return shown
}

/** Locks the profiles of the addresses and updates them from the accounts. Returns the number of changes. */
export async function storeOwnProfiles(trx: Kysely<DB>, addresses: readonly string[]): Promise<number> {
  const named = [...(await shownBy(trx, addresses)).keys()].sort()
  if (named.length > 0)
    await trx
      .insertInto('profiles')
      .values(named.map((address) => ({ address })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  await sql`SELECT lock_profiles(${addresses}::text[])`.execute(trx)
  const shown = await shownBy(trx, addresses)
  const values = (part: keyof Name) => addresses.map((address) => shown.get(address)?.[part] ?? null)
  const { numAffectedRows } = await sql`
    UPDATE profiles p SET own_username = s.username, own_avatar = s.avatar
    FROM unnest(${addresses}::text[], ${values('username')}::text[], ${values('avatar')}::text[])
      AS s (address, username, avatar)
    WHERE p.address = s.address COLLATE "C"
      AND (p.own_username, p.own_avatar) IS DISTINCT FROM (s.username, s.avatar)`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/** The entries that show another name or avatar than the profiles, on all boards or on those of `spaceIds`. */
export async function outdatedEntries(
  trx: Kysely<DB>,
  addresses: readonly string[],
  spaceIds?: readonly number[],
): Promise<OutdatedEntry[]> {
  const profiles = await sql<{ address: string; username: string | null; avatar: string | null }>`
    SELECT address, coalesce(own_username, username) AS username, coalesce(own_avatar, avatar) AS avatar FROM profiles
    WHERE address = ANY(${addresses}::text[])`.execute(trx)
  const names = new Map(profiles.rows.map((row) => [row.address, row]))
  const { rows } = await sql<Omit<OutdatedEntry, 'username' | 'avatar'> & { short_id: string }>`
    SELECT e.space_id, e.sprint_id, e.address, e.points, e.username AS old_username, e.avatar AS old_avatar, e.born,
           ${sql.raw(shortId('e.address'))} AS short_id
    FROM boards b JOIN board_entries e ON e.space_id = b.space_id AND e.sprint_id = b.sprint_id
    WHERE e.address = ANY(${addresses}::text[])
      ${spaceIds === undefined ? sql`` : sql`AND b.space_id = ANY(${spaceIds}::int[])`}
    ORDER BY e.space_id, e.sprint_id, e.address`.execute(trx)
  return rows
    .map(({ short_id, ...row }) => {
      const name = names.get(row.address)
      return { ...row, username: name?.username ?? short_id, avatar: name?.avatar ?? '' }
    })
    .filter((row) => row.username !== row.old_username || row.avatar !== row.old_avatar)
}
