import { canonicalHolder, canonicalMember } from '../addresses/addresses.ts'
import type { Context } from '../graphql/context.ts'
import type { Ground } from '../graphql/grounds.ts'
import { findLinkedNames, isOnList, type Sought } from './holders.queries.ts'

/** The kind of the identities that hold credentials of a type. */
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
  /** What can change the answer, apart from the credential's row; undefined if it must not be repeated. */
  grounds: Ground[] | undefined
}

/**
 * Whether an address, or an identity of the credential's kind that its account has linked, holds a credential. The
 * credential's API says so if it has one that is asked at answer time, its list otherwise.
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
  if (said !== undefined) return { held: said, grounds: undefined }
  const { held, grounds } = await isOnList(reader, sought)
  return { held, grounds: credSource === 'API' ? undefined : grounds }
}

/** Asks about the address itself first; undefined if the credential has no API. */
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
