import type { Kysely } from 'kysely'
import { namesOfIdentity } from '../accounts/linked-names.ts'
import { ACCOUNT_ADDRESS } from '../addresses/account-address.ts'
import { canonicalMember } from '../addresses/addresses.ts'
import { type AllowedAddresses, isAddressKind, isAllowed, readOwnIdentities } from '../claims/own-addresses.ts'
import type { DB } from '../database/tables.ts'
import { conflict, invalidField } from '../errors.ts'
import { kindOfHolders } from '../resolvers/holders.ts'
import { abilityOf } from '../sync/source.ts'
import type { VerifiableRow } from './verifiable.queries.ts'
import { fault } from '../texts/faults.ts'

/** Accounts of one platform that one verification checks. */
const MAX_ACCOUNTS = 3

export interface OwnHolders {
  kind: string
  /** In the form of the list of the credential. */
  holders: [string, ...string[]]
}

/** The kind of identities that the source of a credential checks. */
export const kindOfSource = ({ cred_type: credType, kind: source }: VerifiableRow): string =>
  abilityOf(source ?? '').identityKind ?? kindOfHolders(credType) ?? credType

/**
 * The names of an account at the source of a credential: one address, or its accounts on a platform. A quiz and a visit
 * prove the account, so without an address of the kind, its own address counts.
 * @throws ApiError 409 identity_missing; 400 for an address that the caller may not specify
 */
export async function ownHolders(
  kysely: Kysely<DB>,
  accountId: string,
  credential: VerifiableRow,
  { address, allowedAddresses }: { address?: string | undefined; allowedAddresses: AllowedAddresses },
): Promise<OwnHolders> {
  const { identityKind, lists, act } = abilityOf(credential.kind ?? '')
  const kind = kindOfSource(credential)
  const { identities, addresses } = await readOwnIdentities(kysely, accountId)
  const own = identities.filter((one) => one.kind === kind)
  if (isAddressKind(kind)) {
    const accounts = act ? addresses.filter((one) => one.kind === ACCOUNT_ADDRESS) : []
    const usable = [...usableOf(own), ...accounts.map((one) => one.address)]
    const holder = chooseOwn(kind, usable, address, allowedAddresses)
    return { kind: accounts.some((one) => one.address === holder) ? ACCOUNT_ADDRESS : kind, holders: [holder] }
  }
  if (address !== undefined)
    throw invalidField(
      'address',
      `is not used here, because the source checks linked identities of the kind ${kind}`,
      fault('not_allowed'),
    )
  const [first, ...more] = own
    .filter(({ useForEligibility }) => useForEligibility === true)
    .slice(0, MAX_ACCOUNTS)
    // A list contains the immutable ids only.
    .flatMap((one) => (lists || act || identityKind ? [one.subject] : namesOfIdentity(one, []).map(({ name }) => name)))
  if (first === undefined) throw missing(kind)
  return { kind, holders: [first, ...more] }
}

/** The address of a contract wallet may have another owner on another chain. */
const usableOf = (own: readonly { subject: string; useForEligibility: boolean | null }[]): string[] =>
  own.filter(({ useForEligibility }) => useForEligibility !== null).map(({ subject }) => subject)

/** Like a claim: an app may specify the default address, or an address that the user shares with it. */
function chooseOwn(
  kind: string,
  usable: readonly string[],
  named: string | undefined,
  allowed: AllowedAddresses,
): string {
  const byDefault = usable.find((subject) => isAllowed(subject, allowed)) ?? usable[0]
  if (byDefault === undefined) throw missing(kind)
  if (named === undefined) return byDefault
  const wanted = canonicalMember(named)
  const found = usable.find((subject) => subject === wanted)
  if (found === undefined || (found !== byDefault && !isAllowed(found, allowed)))
    throw invalidField('address', `must be a linked identity of the kind ${kind}`, fault('not_linked'))
  return found
}

const missing = (kind: string) =>
  conflict('identity_missing', `Link an identity of the kind ${kind} that counts for eligibility first`)
