import { base58, bech32 } from '@scure/base'
import { isAccountAddress } from './account-address.ts'
import { isFlowAddress } from './flow-addresses.ts'
import { looksLikeAddress } from './looks-like-address.ts'

/**
 * Canonical forms of identifiers in holder lists and on boards, for storage and look-ups. Each function returns
 * undefined for invalid text; surrounding white space is ignored.
 */

const MAX_LENGTH = 320

/** `0x` and 40 hex digits in upper or lower case, with optional prefix `EVM:`. Canonical: lower case. */
export function canonicalEvmAddress(text: string): string | undefined {
  const bare = withoutPrefix(text, 'evm:')
  return /^0x[0-9a-f]{40}$/i.test(bare) ? bare.toLowerCase() : undefined
}

/** Base58 of exactly 32 bytes, with optional prefix `SOLANA:`; case-sensitive. */
export function canonicalSolanaAddress(text: string): string | undefined {
  const bare = withoutPrefix(text, 'solana:')
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(bare)) return undefined
  return base58.decode(bare).length === 32 ? bare : undefined
}

/** `0x` and 1 to 64 hex digits (AIP-40). Canonical: lower case, padded to 64. */
export function canonicalAptosAddress(text: string): string | undefined {
  const bare = withoutPrefix(text, 'aptos:')
  return /^0x[0-9a-f]{1,64}$/i.test(bare) ? `0x${bare.slice(2).toLowerCase().padStart(64, '0')}` : undefined
}

/** A 20-byte bech32 address with the given prefix (`inj`, `sei`) in one case. Canonical: lower case. */
export function canonicalBech32Address(prefix: string, text: string): string | undefined {
  const bare = text.trim()
  const decoded = bech32.decodeUnsafe(bare)
  if (!decoded || decoded.prefix !== prefix) return undefined
  const bytes = bech32.fromWordsUnsafe(decoded.words)
  return bytes instanceof Uint8Array && bytes.length === 20 ? bare.toLowerCase() : undefined
}

/** 16 hex digits with optional `0x`. Canonical: lower case with `0x`. */
export function canonicalFlowAddress(text: string): string | undefined {
  const match = /^(?:0x)?([0-9a-f]{16})$/i.exec(text.trim())
  return match?.[1] ? `0x${match[1].toLowerCase()}` : undefined
}

/**
 * The canonical form if the chain is unknown (boards, quest groups): the format determines the chain; other text (a
 * handle, a mail address) is lower-cased without a leading `@`. Returns undefined for empty or too long text.
 */
export function canonicalMember(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > MAX_LENGTH || hasControl(trimmed)) return undefined
  return (
    canonicalEvmAddress(trimmed) ??
    canonicalBech32Address('inj', trimmed) ??
    canonicalBech32Address('sei', trimmed) ??
    flowAddressIn(trimmed) ??
    (APTOS.test(trimmed) ? canonicalAptosAddress(trimmed) : undefined) ??
    canonicalSolanaAddress(trimmed) ??
    nameIn(trimmed)
  )
}

/** A handle or a mail address; undefined if nothing follows the `@`. */
const nameIn = (text: string) => text.replace(/^@\s*/, '').toLowerCase() || undefined

/**
 * AIP-40: the short form is for the special addresses `0x0` to `0xf`; the long form may omit leading zeros. Lengths
 * between are names (`0xfee`) or EVM addresses with a wrong number of digits.
 */
const APTOS = /^0x(?:[0-9a-f]|[0-9a-f]{60,64})$/i

/** Without `0x`, the check bits must match, because 16 hex digits can also be a name or an id. */
function flowAddressIn(text: string): string | undefined {
  const address = canonicalFlowAddress(text)
  return address !== undefined && (/^0x/i.test(text) || isFlowAddress(address)) ? address : undefined
}

/** The canonical form of a holder for a credential type (`CredType` in the schema). */
export function canonicalHolder(credType: string, text: string): string | undefined {
  if (credType === 'EVM_ADDRESS') return canonicalEvmAddress(text)
  if (credType === 'SOLANA_ADDRESS') return canonicalSolanaAddress(text)
  return canonicalMember(text)
}

/** Like `canonicalHolder`; also accepts own addresses, because quizzes and visits of every type can list them. */
export const canonicalListedHolder = (credType: string, text: string): string | undefined =>
  isAccountAddress(text) ? canonicalMember(text) : canonicalHolder(credType, text)

/** Whether a text is an address of a known chain, an e-mail address, or the own address of an account. */
export function isAddress(text: string): boolean {
  const member = canonicalMember(text)
  if (member === undefined) return false
  return (
    isAccountAddress(member) ||
    /^0x(?:[0-9a-f]{16}|[0-9a-f]{40}|[0-9a-f]{64})$/.test(member) ||
    /^[^\s@]+@[^\s@]+$/.test(member) ||
    ['inj', 'sei'].some((prefix) => canonicalBech32Address(prefix, member) !== undefined) ||
    canonicalSolanaAddress(text) !== undefined
  )
}

/**
 * Whether the canonical form of a member looks like an address, but is none: it is shortened, mistyped, or has a wrong
 * number of digits. Texts that begin with `0x`, `evm:` or `solana:` look like addresses, except handles such as `0xmaki`.
 */
export const isPartOfAddress = (member: string): boolean => looksLikeAddress(member) && !isAddress(member)

/** What fields accept that refuse parts of addresses. */
export const WHOLE_ADDRESS = 'a whole wallet address (after 0x: 40, 64 or 16 hex digits), a mail address or a handle'

/**
 * Whether pages for search engines may show the address of a member: an address of a chain, but no mail address, handle
 * or own address of an account.
 */
export const mayBePublic = (member: string): boolean =>
  isAddress(member) && !member.includes('@') && !isAccountAddress(member)

function withoutPrefix(text: string, prefix: string): string {
  const trimmed = text.trim()
  return trimmed.slice(0, prefix.length).toLowerCase() === prefix ? trimmed.slice(prefix.length) : trimmed
}

function hasControl(text: string): boolean {
  return /[\u0000-\u001f\u007f]/.test(text)
}
