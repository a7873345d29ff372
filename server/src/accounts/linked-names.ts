import { canonicalEvmAddress, canonicalMember } from '../addresses/addresses.ts'

/** One name of an identity in holder lists. */
export interface LinkedName {
  name: string
  kind: string
}

export interface NamedIdentity {
  kind: string
  subject: string
  username: string | null
}

/** The platforms that credentials ask for, where an identity has an id and a handle. */
const PLATFORMS = ['Twitter', 'Discord', 'Github']

/** Whether an identity can count for others: one of these kinds, and not a contract wallet of one chain. */
export function canCount(kind: string, boundChainId: number | null): boolean {
  // The address of a contract wallet may have another owner on other chains.
  return boundChainId === null && (kind === 'Email' || kind.endsWith('Address') || PLATFORMS.includes(kind))
}

/** The names by which holder lists know an identity, each in the canonical form of these lists. */
export function namesOfIdentity(identity: NamedIdentity, aliases: readonly string[]): LinkedName[] {
  const { kind, subject, username } = identity
  if (kind === 'Email') return [{ name: subject, kind }]
  if (kind.endsWith('Address')) return [subject, ...aliases].map((name) => ({ name, kind: kindOfAddress(name, kind) }))
  if (!PLATFORMS.includes(kind)) return []
  const handle = canonicalMember(username ?? '')
  const named = handle !== undefined && !isNumber(handle)
  return [{ name: subject, kind }, ...(named ? [{ name: handle, kind }] : [])]
}

/** One key has an address of the same form on several chains: Sei's subject is an EVM address. */
const kindOfAddress = (address: string, kind: string) =>
  canonicalEvmAddress(address) === undefined ? kind : 'EVMAddress'

/** A handle of digits alone could be another user's id. */
const isNumber = (handle: string) => /^\d+$/.test(handle)
