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

interface Holding {
  held: boolean
  /** What can change the result in addition to the credential's row; undefined if the result must not be cached. */
  validators: CacheValidator[] | undefined
}

/**
 * Whether an address, or an identity of the credential's kind on the same account, holds a credential: according to its
 * API if it has a live one, else according to its list.
 * @throws UPSTREAM_UNAVAILABLE if the API does not respond
 */
export async function holds(
  { reader, askApi }: Pick<Context, 'reader' | 'askApi'>,
  credential: { id: string; credSource: string; credType: string },
  address: string,
): Promise<Holding> {
  const { id, credSource, credType } = credential
  const sought: Sought = {
    credentialId: id,
    holder: canonicalHolder(credType, address),
    member: canonicalMember(address),
    kind: KINDS[credType] ?? '',
  }
  const said = credSource === 'API' ? await askApiAbout({ reader, askApi }, sought) : undefined
  if (said !== undefined) return { held: said, validators: undefined }
  const { held, validators } = await isOnList(reader, sought)
  return { held, validators: credSource === 'API' ? undefined : validators }
}

/** Queries the API, first with the address itself. Returns undefined if the credential has no API. */
async function askApiAbout(
  { reader, askApi }: Pick<Context, 'reader' | 'askApi'>,
  sought: Sought,
): Promise<boolean | undefined> {
  const { credentialId, holder } = sought
  const said = holder === undefined ? false : await askApi(credentialId, holder)
  if (said !== false) return said
  for (const name of await findLinkedNames(reader, sought)) {
    const saidOfName = await askApi(credentialId, name)
    if (saidOfName !== false) return saidOfName
  }
  return false
}
