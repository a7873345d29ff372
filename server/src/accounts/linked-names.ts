import { canonicalEvmAddress, canonicalMember } from '../addresses/addresses.ts'

/** A name of an identity in holder lists. */
export interface LinkedName {
  name: string
  kind: string
}

export interface NamedIdentity {
  kind: string
  subject: string
  username: string | null
}

/** Platforms whose identities have an id and a handle. */
const PLATFORMS = ['Twitter', 'Discord', 'Github']

/** Whether an identity can count for the others of its account. */
export function canCount(kind: string, boundChainId: number | null): boolean {
  // On other chains, the address of a contract wallet may have another owner.
  if (boundChainId !== null) return false
  return kind === 'Email' || kind === 'Telegram' || kind.endsWith('Address') || PLATFORMS.includes(kind)
}

/** The names of an identity in holder lists, in canonical form. */
export function namesOfIdentity(identity: NamedIdentity, aliases: readonly string[]): LinkedName[] {
  const { kind, subject, username } = identity
  // The username of a Telegram account may have a new owner, and no list contains it.
  if (kind === 'Email' || kind === 'Telegram') return [{ name: subject, kind }]
  if (kind.endsWith('Address')) return [subject, ...aliases].map((name) => ({ name, kind: kindOfName(name, kind) }))
  if (!PLATFORMS.includes(kind)) return []
  const handle = canonicalMember(username ?? '')
  const named = handle !== undefined && !isNumber(handle)
  return [{ name: subject, kind }, ...(named ? [{ name: handle, kind }] : [])]
}

/** One key has equal addresses on several chains: Sei's subject is an EVM address. */
export const kindOfName = (name: string, kind: string): string =>
  kind.endsWith('Address') && canonicalEvmAddress(name) !== undefined ? 'EVMAddress' : kind

/** A numeric handle could equal another user's id. */
const isNumber = (handle: string) => /^\d+$/.test(handle)
