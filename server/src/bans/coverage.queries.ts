import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { noteAddresses } from '../ranking/profile-changes.queries.ts'
import { addAddresses } from './bans.queries.ts'

/** All addresses of an account, in all their forms. */
export async function addressesOfAccount(trx: Kysely<DB>, accountId: string): Promise<string[]> {
  // One statement per table, because the tables have different distribution keys.
  const subjects = await sql<{ address: string }>`
    SELECT subject AS address FROM identities WHERE account_id = ${accountId} AND kind LIKE '%Address'`.execute(trx)
  const aliases = await sql<{ address: string }>`
    SELECT alias AS address FROM identity_aliases WHERE account_id = ${accountId} AND kind LIKE '%Address'`.execute(trx)
  return [...new Set([...subjects.rows, ...aliases.rows].map(({ address }) => address))]
}

/**
 * Extends the bans of an account to all its addresses, after it got one. The caller has locked the account. Addresses that
 * the account loses stay banned.
 * @returns the addresses whose boards change
 */
export async function extendBans(trx: Kysely<DB>, accountId: string): Promise<string[]> {
  // Locked, so that the ban does not end during the transaction.
  const bans = await trx
    .selectFrom('bans')
    .select(['ban_id', 'space_id'])
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .orderBy('ban_id')
    .forUpdate()
    .execute()
  if (bans.length === 0) return []
  const addresses = await addressesOfAccount(trx, accountId)
  const added = new Set<string>()
  for (const { ban_id, space_id } of bans)
    for (const address of await addAddresses(trx, ban_id, space_id, addresses)) added.add(address)
  await noteAddresses(trx, [...added])
  return [...added]
}

/** Moves the bans of an account that is merged into another. The caller has moved the identities. */
export async function moveBans(trx: Kysely<DB>, from: string, into: string): Promise<string[]> {
  await trx.updateTable('bans').set({ account_id: into }).where('account_id', '=', from).execute()
  return extendBans(trx, into)
}

/** Deletes the bans of an erased address. An account with other addresses stays banned. @returns the number of bans */
export async function forgetBannedAddress(trx: Kysely<DB>, address: string): Promise<number> {
  const covered = await trx.deleteFrom('ban_addresses').where('address', '=', address).returning('ban_id').execute()
  const own = await trx.deleteFrom('bans').where('address', '=', address).returning('ban_id').execute()
  return new Set([...covered, ...own].map(({ ban_id }) => ban_id)).size
}
