import type { Kysely } from 'kysely'
import { ACCOUNT_ADDRESS } from '../addresses/account-address.ts'
import { canonicalMember } from '../addresses/addresses.ts'
import {
  addAccountAddress,
  type Identity,
  listAccountAddresses,
  listIdentities,
  lockAccount,
} from '../accounts/account.queries.ts'
import { extendBans } from '../bans/coverage.queries.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import type { Logger } from '../logging/log.ts'
import type { Random } from '../random.ts'
import { noteAddressesOf } from '../ranking/profile-changes.queries.ts'
import { tryToUpdateProfiles } from '../ranking/profile-changes.ts'
import { notLinked } from './decide-claims.ts'
import { type Refusal, refusal } from './refusals.ts'

/** An address of an account with which it can complete quests. */
export interface OwnAddress {
  kind: string
  address: string
}

export interface OwnIdentities {
  /** In the order of linking. */
  identities: Identity[]
  /** Wallets in the order of linking, then the own address of the account, if it has one. */
  addresses: OwnAddress[]
  /** The kinds of identities that the account has linked. */
  kinds: ReadonlySet<string>
}

export const isAddressKind = (kind: string): boolean => kind.endsWith('Address')

/** Reads the identities of an account. Contract wallets are not usable: on other chains they may have another owner. */
export async function readOwnIdentities(kysely: Kysely<DB>, accountId: string): Promise<OwnIdentities> {
  const identities = await listIdentities(kysely, accountId)
  const accounts = await listAccountAddresses(kysely, accountId)
  const wallets = identities
    .filter(({ kind, useForEligibility }) => isAddressKind(kind) && useForEligibility !== null)
    .map(({ kind, subject }) => ({ kind, address: subject }))
  const addresses = [...wallets, ...accounts.map((address) => ({ kind: ACCOUNT_ADDRESS, address }))]
  return { identities, addresses, kinds: new Set(identities.map(({ kind }) => kind)) }
}

interface AddressDependencies {
  database: Pick<Database, 'kysely' | 'reachAll'>
  clock: Clock
  log: Logger
  random: Random
}

/**
 * Reads the identities of an account that takes part in quests. An account without a usable wallet gets its own address,
 * so that every member can take part.
 * @param kind if it is a kind of wallet, one of this kind is needed; otherwise any wallet is enough
 */
export async function ensureOwnAddress(
  deps: AddressDependencies,
  accountId: string,
  kind?: string,
): Promise<OwnIdentities> {
  const { kysely } = deps.database
  deps.database.reachAll() // the aliases of an account can be on every node
  const own = await readOwnIdentities(kysely, accountId)
  const wanted = kind !== undefined && isAddressKind(kind) ? kind : undefined
  const isEnough = (one: OwnAddress) => wanted === undefined || [wanted, ACCOUNT_ADDRESS].includes(one.kind)
  if (own.addresses.some(isEnough)) return own
  const noted = await kysely.transaction().execute(async (trx) => {
    if (!(await lockAccount(trx, accountId))) return []
    await addAccountAddress(trx, accountId, deps.random.uuid())
    const banned = await extendBans(trx, accountId)
    return [...new Set([...(await noteAddressesOf(trx, accountId)), ...banned])]
  })
  await tryToUpdateProfiles(deps, noted)
  return readOwnIdentities(kysely, accountId)
}

/** Identity kinds by the chain of a quest, in lower case; every other chain uses EVM addresses. */
const KINDS = new Map([
  ['solana', 'SolanaAddress'],
  ['sei', 'SeiAddress'],
  ['aptos', 'AptosAddress'],
  ['injective', 'InjectiveAddress'],
  ['flow', 'FlowAddress'],
])
const EVM = 'EVMAddress'

/** The kind of addresses that complete a quest. */
export function kindOfQuest(chain: string | null): string {
  return KINDS.get(chain?.trim().toLowerCase() ?? '') ?? EVM
}

/** The addresses in the order in which they are used for a quest. A quest without a chain accepts all kinds. */
export function addressesFor(quest: { chain: string | null }, own: readonly OwnAddress[]): OwnAddress[] {
  const kind = kindOfQuest(quest.chain)
  const ofKind = own.filter((one) => one.kind === kind)
  return quest.chain === null ? [...ofKind, ...own.filter((one) => one.kind !== kind)] : ofKind
}

/**
 * The addresses that a request may specify, in addition to the default address: all if the member sends it, and those that
 * the member has shared with the app if an app sends it.
 */
export type AllowedAddresses = readonly string[] | 'all'

export const isAllowed = (address: string, allowed: AllowedAddresses): boolean =>
  allowed === 'all' || allowed.includes(address)

/**
 * Returns the address that completes a quest: the address in the request, or the default address. The default is the
 * first allowed address, or the first of all if the request may specify no address.
 */
export function chooseAddress(
  quest: { chain: string | null },
  own: readonly OwnAddress[],
  named: string | undefined,
  allowed: AllowedAddresses,
): string | Refusal {
  const usable = addressesFor(quest, own)
  const byDefault = usable.find(({ address }) => isAllowed(address, allowed)) ?? usable[0]
  if (named !== undefined) {
    const wanted = canonicalMember(named)
    const found = usable.find(({ address }) => address === wanted)
    return found && (found === byDefault || isAllowed(found.address, allowed)) ? found.address : notLinked()
  }
  if (byDefault) return byDefault.address
  const kind = kindOfQuest(quest.chain)
  return refusal('NO_ADDRESS', `The account has no linked address of the kind ${kind}; link one first`)
}
