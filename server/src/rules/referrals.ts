import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { lockSpace } from '../ranking/boards.queries.ts'
import {
  accountsOfAddresses,
  claimantsAmong,
  findReferrals,
  insertReferrals,
  type Referral,
} from './referrals.queries.ts'

/** A member and the member that brought it, in canonical form (addresses.ts). */
export interface NewReferral {
  address: string
  referrer: string
}

export type ReferralOutcome =
  { status: 'applied' | 'duplicate' } | { status: 'refused'; field: 'address' | 'referrer'; reason: string }

/**
 * Records referrals of a space in order. A member has one referrer at most, recorded before its first claim; the referrer
 * is another person, and the member did not refer the referrer. Holds the lock of the space, so that two members cannot
 * refer each other at the same time.
 * @returns undefined if the space does not exist
 */
export async function recordReferrals(
  trx: Kysely<DB>,
  clock: Clock,
  spaceId: number,
  referrals: readonly NewReferral[],
): Promise<ReferralOutcome[] | undefined> {
  if (!(await lockSpace(trx, spaceId, clock))) return undefined
  const recordedAt = new Date(clock.now())
  const named = [...new Set(referrals.flatMap(({ address, referrer }) => [address, referrer]))]
  const known = await findReferrals(trx, spaceId, named)
  const people = await readPeople(trx, named)
  const all = [...new Set([...named, ...people.addresses])]
  const claimed = await claimantsAmong(trx, spaceId, all)
  const added: Referral[] = []
  const outcomes = referrals.map(({ address, referrer }): ReferralOutcome => {
    const before = known.get(address)
    if (before?.referrer === referrer) return { status: 'duplicate' }
    if (before) return refused('address', 'already has a referrer')
    if (people.areOne(address, referrer)) return refused('referrer', 'must be another person than the address')
    if (known.get(referrer)?.referrer === address) return refused('referrer', 'was referred by the address')
    if (people.addressesOf(address).some((one) => claimed.has(one)))
      return refused('address', 'has already claimed a quest of the space')
    const referral = { address, referrer, recordedAt, firstClaim: null }
    known.set(address, referral)
    added.push(referral)
    return { status: 'applied' }
  })
  await insertReferrals(trx, spaceId, added)
  return outcomes
}

const refused = (field: 'address' | 'referrer', reason: string): ReferralOutcome => ({
  status: 'refused',
  field,
  reason,
})

/** Addresses of one account are one person. */
async function readPeople(trx: Kysely<DB>, addresses: readonly string[]) {
  const linked = await accountsOfAddresses(trx, addresses)
  const accountOf = new Map(linked.map(({ address, accountId }) => [address, accountId]))
  const byAccount = Map.groupBy(linked, ({ accountId }) => accountId)
  return {
    addresses: [...accountOf.keys()],
    areOne(one: string, other: string): boolean {
      const account = accountOf.get(one)
      return one === other || (account !== undefined && account === accountOf.get(other))
    },
    addressesOf(address: string): string[] {
      const account = accountOf.get(address)
      return account === undefined ? [address] : (byAccount.get(account) ?? []).map((one) => one.address)
    },
  }
}
