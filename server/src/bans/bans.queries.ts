import { type Kysely, sql } from 'kysely'
import { findAccountNames } from '../accounts/account.queries.ts'
import type { DB } from '../database/tables.ts'
import { namesOfSpaces } from './subject.queries.ts'

export interface Ban {
  id: string
  /** Null for a ban of an address. */
  account: { id: string; username: string | null } | null
  address: string | null
  /** The banned addresses; empty after the end. */
  addresses: string[]
  /** Null if the ban is valid in all spaces. */
  spaceId: number | null
  /** Null for all spaces, and for a space that was deleted. */
  spaceName: string | null
  reason: string
  createdAt: Date
  createdBy: string | null
  createdByUsername: string | null
  endsAt: Date | null
  endedAt: Date | null
  endedBy: string | null
  endCause: 'lifted' | 'expired' | null
}

export interface NewBan {
  id: string
  accountId: string | null
  address: string | null
  spaceId: number | null
  reason: string
  createdAt: Date
  createdBy: string | null
  endsAt: Date | null
}

export async function insertBan(trx: Kysely<DB>, ban: NewBan): Promise<void> {
  await trx
    .insertInto('bans')
    .values({
      ban_id: ban.id,
      account_id: ban.accountId,
      address: ban.address,
      space_id: ban.spaceId,
      reason: ban.reason,
      created_at: ban.createdAt,
      created_by: ban.createdBy,
      ends_at: ban.endsAt,
    })
    .execute()
}

/** Bans further addresses. @returns those that the ban did not have */
export async function addAddresses(
  trx: Kysely<DB>,
  banId: string,
  spaceId: number | null,
  addresses: readonly string[],
): Promise<string[]> {
  if (addresses.length === 0) return []
  const added = await trx
    .insertInto('ban_addresses')
    .values([...new Set(addresses)].map((address) => ({ space_id: spaceId ?? 0, address, ban_id: banId })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('address')
    .execute()
  return added.map(({ address }) => address)
}

/** Ends a ban. @returns its addresses; undefined if it does not exist or has ended */
export async function endBan(
  trx: Kysely<DB>,
  banId: string,
  end: { at: Date; by: string | null; cause: 'lifted' | 'expired' },
): Promise<{ addresses: string[]; spaceId: number | null } | undefined> {
  const ended = await trx
    .updateTable('bans')
    .set({ ended_at: end.at, ended_by: end.by, end_cause: end.cause })
    .where('ban_id', '=', banId)
    .where('ended_at', 'is', null)
    .returning('space_id')
    .executeTakeFirst()
  if (!ended) return undefined
  // Runs after the update, because the update waits for a transaction that adds addresses to the ban.
  const removed = await trx.deleteFrom('ban_addresses').where('ban_id', '=', banId).returning('address').execute()
  return { addresses: removed.map(({ address }) => address), spaceId: ended.space_id }
}

/** Some bans whose time has ended. */
export async function dueBans(kysely: Kysely<DB>, now: Date, limit: number): Promise<string[]> {
  const rows = await kysely
    .selectFrom('bans')
    .select('ban_id')
    .where('ended_at', 'is', null)
    .where('ends_at', '<=', now)
    .orderBy('ends_at')
    .limit(limit)
    .execute()
  return rows.map(({ ban_id }) => ban_id)
}

/** Serializes transactions that ban the same address. Bans of an account lock the row of the account instead. */
export async function lockAddress(trx: Kysely<DB>, address: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('ban ' || ${address}::text, 0))`.execute(trx)
}

/** The ban of the same account or address in the same space that has not ended. */
export async function findSameBan(
  trx: Kysely<DB>,
  { accountId, address, spaceId }: Pick<NewBan, 'accountId' | 'address' | 'spaceId'>,
): Promise<string | undefined> {
  const row = await trx
    .selectFrom('bans')
    .select('ban_id')
    .where('ended_at', 'is', null)
    .where('account_id', 'is not distinct from', accountId)
    .where('address', 'is not distinct from', address)
    .where('space_id', 'is not distinct from', spaceId)
    .executeTakeFirst()
  return row?.ban_id
}

export interface BanFilter {
  /** Bans of this space, and those of all spaces. */
  spaceId?: number | undefined
  accountId?: string | undefined
  /** Bans of this address, and those of accounts that have it. */
  address?: string | undefined
  state?: 'active' | 'ended' | undefined
}

const HELD = sql`ARRAY(SELECT a.address FROM ban_addresses a WHERE a.ban_id = b.ban_id ORDER BY a.address)`

/** Newest first. @param after the id of the last ban of the previous page */
export async function selectBans(
  kysely: Kysely<DB>,
  { spaceId, accountId, address, state }: BanFilter,
  { after, limit, id }: { after?: string | undefined; limit: number; id?: string },
): Promise<Ban[]> {
  const conditions = [
    ...(id === undefined ? [] : [sql`b.ban_id = ${id}`]),
    ...(spaceId === undefined ? [] : [sql`(b.space_id IS NULL OR b.space_id = ${spaceId})`]),
    ...(accountId === undefined ? [] : [sql`b.account_id = ${accountId}`]),
    ...(address === undefined
      ? []
      : [sql`(b.address = ${address} OR b.ban_id IN (SELECT ban_id FROM ban_addresses WHERE address = ${address}))`]),
    ...(state === undefined ? [] : [state === 'active' ? sql`b.ended_at IS NULL` : sql`b.ended_at IS NOT NULL`]),
    ...(after === undefined
      ? []
      : [sql`(b.created_at, b.ban_id) < (SELECT created_at, ban_id FROM bans WHERE ban_id = ${after})`]),
  ]
  const { rows } = await sql<Omit<Ban, 'account' | 'createdByUsername' | 'spaceName'> & { accountId: string | null }>`
    SELECT b.ban_id AS id, b.account_id AS "accountId", b.address, ${HELD} AS addresses, b.space_id AS "spaceId",
      b.reason, b.created_at AS "createdAt", b.created_by AS "createdBy", b.ends_at AS "endsAt",
      b.ended_at AS "endedAt", b.ended_by AS "endedBy", b.end_cause AS "endCause"
    FROM bans b WHERE ${conditions.length === 0 ? sql`true` : sql.join(conditions, sql` AND `)}
    ORDER BY b.created_at DESC, b.ban_id DESC LIMIT ${limit}`.execute(kysely)
  const names = await findAccountNames(
    kysely,
    rows.flatMap(({ accountId: of, createdBy }) => [of ?? [], createdBy ?? []].flat()),
  )
  const spaces = await namesOfSpaces(kysely, [...new Set(rows.flatMap(({ spaceId: id }) => id ?? []))])
  return rows.map(({ accountId: of, ...ban }) => ({
    ...ban,
    spaceName: ban.spaceId === null ? null : (spaces.get(ban.spaceId) ?? null),
    account: of === null ? null : { id: of, username: names.get(of) ?? null },
    createdByUsername: names.get(ban.createdBy ?? '') ?? null,
  }))
}

export async function spaceExists(trx: Kysely<DB>, spaceId: number): Promise<boolean> {
  const row = await trx
    .selectFrom('spaces')
    .select('space_id')
    .where('space_id', '=', spaceId)
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}
