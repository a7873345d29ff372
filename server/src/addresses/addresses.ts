import { base58, bech32 } from '@scure/base'
import { isAccountAddress } from './account-address.ts'
import { EVM, isSolana, LONG_APTOS, MAIL, SPECIAL_APTOS, withoutPrefix } from './address-forms.ts'
import { isFlowAddress } from './flow-addresses.ts'
import { looksLikeAddress } from './looks-like-address.ts'

/**
 * Canonical forms of identifiers in holder lists and on boards, for storage and look-ups. Each function returns
 * undefined for invalid text; surrounding white space is ignored.
 */

const MAX_LENGTH = 320

/** `0x` and 40 hex digits in upper or lower case, with optional prefix `EVM:`. Canonical: lower case. */
export function canonicalEvmAddress(text: string): string | undefined {
  const trimmed = text.trim()
  return EVM.test(trimmed) ? withoutPrefix(trimmed, 'evm:').toLowerCase() : undefined
}

/** Base58 of exactly 32 bytes, with optional prefix `SOLANA:`; case-sensitive. */
export function canonicalSolanaAddress(text: string): string | undefined {
  const trimmed = text.trim()
  if (!isSolana(trimmed)) return undefined
  const bare = withoutPrefix(trimmed, 'solana:')
  return base58.decode(bare).length === 32 ? bare : undefined
}

/** `0x` and 1 to 64 hex digits (AIP-40), with optional prefix `APTOS:`. Canonical: lower case, padded to 64. */
export function canonicalAptosAddress(text: string): string | undefined {
  const bare = withoutPrefix(text.trim(), 'aptos:')
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
 * handle, a mail address) is lower-cased. A leading `@` is ignored. Returns undefined for empty or too long text.
 */
export function canonicalMember(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > MAX_LENGTH || hasControl(trimmed)) return undefined
  const bare = trimmed.replace(/^@\s*/, '')
  return (
    canonicalEvmAddress(bare) ??
    canonicalBech32Address('inj', bare) ??
    canonicalBech32Address('sei', bare) ??
    flowAddressIn(bare) ??
    aptosAddressIn(bare) ??
    canonicalSolanaAddress(bare) ??
    (bare.toLowerCase() || undefined)
  )
}

/** Lengths between are names (`0xfee`) or EVM addresses with a wrong number of digits. */
const aptosAddressIn = (text: string) =>
  LONG_APTOS.test(text) || SPECIAL_APTOS.test(text) ? canonicalAptosAddress(text) : undefined

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
    MAIL.test(member) ||
    ['inj', 'sei'].some((prefix) => canonicalBech32Address(prefix, member) !== undefined) ||
    canonicalSolanaAddress(member) !== undefined
  )
}

/**
 * Whether the canonical form of a member looks like an address, but is not valid: it is shortened, mistyped, or has a wrong
 * number of digits or checksum.
 */
export const isPartOfAddress = (member: string): boolean =>
  looksLikeAddress(member) && !(isAddress(member) && canonicalMember(member) === member)

/** What fields accept that refuse parts of addresses. */
export const WHOLE_ADDRESS = 'a whole wallet address (after 0x: 40, 64 or 16 hex digits), a mail address or a handle'

/**
 * Whether pages for search engines may show the address of a member: an address of a chain, but no mail address, handle
 * or own address of an account.
 */
export const mayBePublic = (member: string): boolean =>
  isAddress(member) && !member.includes('@') && !isAccountAddress(member)

function hasControl(text: string): boolean {
  return /[\u0000-\u001f\u007f]/.test(text)
}
