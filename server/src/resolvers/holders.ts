import { canonicalHolder, canonicalMember } from '../addresses/addresses.ts'
import type { Context } from '../graphql/context.ts'
import type { CacheValidator } from '../graphql/cache-validators.ts'
import { findLinkedNames, isOnList, type Sought } from './holders.queries.ts'

/** Identity kinds by credential type. */
const KINDS: Readonly<Record<string, string>> = {
  TWITTER: 'Twitter',
  DISCORD: 'Discord',
  GITHUB: 'Github',
  EMAIL: 'Email',
  EVM_ADDRESS: 'EVMAddress',
  SOLANA_ADDRESS: 'SolanaAddress',
}

/** The identity kind that can hold a credential of this type; undefined for unknown types. */
export const kindOfHolders = (credType: string): string | undefined => KINDS[credType]

export interface HeldCredential {
  id: string
  credSource: string
  credType: string
}

/** Whether a check of each address decides, because the source of the credential has no list. */
export const isDecidedLive = (credSource: string): boolean => credSource === 'API'

interface Holding {
  held: boolean
  /** Validators of the result, in addition to the row of the credential; undefined if the result must not be cached. */
  validators: CacheValidator[] | undefined
}

/**
 * Whether an address, or an identity of the credential's kind on the same account, holds a credential: according to its
 * source if the source has no list, otherwise by its list.
 * @throws UPSTREAM_UNAVAILABLE if the source does not respond
 */
export async function holds(
  deps: Pick<Context, 'reader' | 'checkLive'>,
  credential: HeldCredential,
  address: string,
): Promise<Holding> {
  const said = await holdsLive(deps, credential, address)
  if (said !== undefined) return { held: said, validators: undefined }
  const { held, validators } = await isOnList(deps.reader, soughtIn(credential, address))
  return { held, validators: isDecidedLive(credential.credSource) ? undefined : validators }
}

export function soughtIn({ id, credType }: HeldCredential, address: string): Sought {
  return {
    credentialId: id,
    holder: canonicalHolder(credType, address),
    member: canonicalMember(address),
    kind: KINDS[credType] ?? '',
  }
}

/**
 * Checks the holder at the source of a credential, first the address itself. Returns undefined if the source has a list.
 * @throws UPSTREAM_UNAVAILABLE if the source does not respond
 */
export async function holdsLive(
  { reader, checkLive }: Pick<Context, 'reader' | 'checkLive'>,
  credential: HeldCredential,
  address: string,
): Promise<boolean | undefined> {
  if (!isDecidedLive(credential.credSource)) return undefined
  const sought = soughtIn(credential, address)
  const { credentialId, holder } = sought
  const said = holder === undefined ? false : await checkLive(credentialId, holder)
  if (said !== false) return said
  for (const name of await findLinkedNames(reader, sought)) {
    const saidOfName = await checkLive(credentialId, name)
    if (saidOfName !== false) return saidOfName
  }
  return false
}
