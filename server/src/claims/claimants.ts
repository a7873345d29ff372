import type { Kysely } from 'kysely'
import { bannedIn } from '../bans/banned.queries.ts'
import type { DB } from '../database/tables.ts'
import { accountsOf } from './claims.queries.ts'

/** The accounts of the addresses of claims, and the bans of both in a space. */
export interface Claimants {
  accountOf: (address: string) => string | undefined
  addressesOf: (accountId: string) => readonly string[]
  isBanned: (address: string, accountId: string | undefined) => boolean
}

export async function readClaimants(
  trx: Kysely<DB>,
  spaceId: number,
  claims: readonly { address: string; accountId?: string | undefined }[],
): Promise<Claimants> {
  const addresses = [...new Set(claims.map(({ address }) => address))]
  const callers = [...new Set(claims.flatMap(({ accountId }) => accountId ?? []))]
  const linked = await accountsOf(trx, addresses, callers)
  const accountByAddress = new Map(linked.map(({ name, account_id }) => [name, account_id]))
  const byAccount = Map.groupBy(linked, ({ account_id }) => account_id)
  const accountIds = [...new Set([...callers, ...byAccount.keys()])]
  const banned = await bannedIn(trx, spaceId, { addresses, accountIds })
  return {
    accountOf: (address) => accountByAddress.get(address),
    addressesOf: (accountId) => byAccount.get(accountId)?.map(({ name }) => name) ?? [],
    isBanned: (address, accountId) => banned.has(address) || (accountId !== undefined && banned.has(accountId)),
  }
}
