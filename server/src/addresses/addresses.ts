import { base58, bech32 } from '@scure/base'
import { isFlowAddress } from './flow-addresses.ts'

/**
 * The canonical form of every identifier that stands in a holder list or on a board: one spelling for storage and look-up.
 * Each function answers undefined when the text cannot be such an address; surrounding white space is ignored.
 */

const MAX_LENGTH = 320

/** `0x` and 40 hex digits in any case, with or without the prefix `EVM:`; canonical is lower case. */
export function canonicalEvmAddress(text: string): string | undefined {
  const bare = withoutPrefix(text, 'evm:')
  return /^0x[0-9a-f]{40}$/i.test(bare) ? bare.toLowerCase() : undefined
}

/** Base58 of exactly 32 bytes, with or without the prefix `SOLANA:`; case matters. */
export function canonicalSolanaAddress(text: string): string | undefined {
  const bare = withoutPrefix(text, 'solana:')
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(bare)) return undefined
  return base58.decode(bare).length === 32 ? bare : undefined
}

/** `0x` and 1 to 64 hex digits (AIP-40); canonical is lower case, padded to 64. */
export function canonicalAptosAddress(text: string): string | undefined {
  const bare = withoutPrefix(text, 'aptos:')
  return /^0x[0-9a-f]{1,64}$/i.test(bare) ? `0x${bare.slice(2).toLowerCase().padStart(64, '0')}` : undefined
}

/** A 20-byte bech32 address with the given prefix (`inj`, `sei`) in one case; canonical is lower case. */
export function canonicalBech32Address(prefix: string, text: string): string | undefined {
  const bare = text.trim()
  const decoded = bech32.decodeUnsafe(bare)
  if (!decoded || decoded.prefix !== prefix) return undefined
  const bytes = bech32.fromWordsUnsafe(decoded.words)
  return bytes instanceof Uint8Array && bytes.length === 20 ? bare.toLowerCase() : undefined
}

/** 16 hex digits, `0x` optional; canonical is lower case with `0x`. */
export function canonicalFlowAddress(text: string): string | undefined {
  const match = /^(?:0x)?([0-9a-f]{16})$/i.exec(text.trim())
  return match?.[1] ? `0x${match[1].toLowerCase()}` : undefined
}

/**
 * The canonical form where the chain is not known (boards, quest groups): the chain is told from the shape,
 * and what has no chain's shape (a handle, a mail address) is folded to lower case without a leading `@`.
 * Answers undefined for an empty or over-long text.
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
    trimmed.replace(/^@/, '').toLowerCase()
  )
}

/**
 * AIP-40: the short form is for the special addresses `0x0` to `0xf`, the long one is written without its first zeros,
 * too. Anything between is a name (`0xfee`) or an EVM address with a digit too few or too many.
 */
const APTOS = /^0x(?:[0-9a-f]|[0-9a-f]{60,64})$/i

/** Without `0x` it has to be an address by its check bits: 16 hex digits alone can be a name or an id. */
function flowAddressIn(text: string): string | undefined {
  const address = canonicalFlowAddress(text)
  return address !== undefined && (/^0x/i.test(text) || isFlowAddress(address)) ? address : undefined
}

/** The canonical form of a holder of a credential of the given type (spec 2.3, CredType). */
export function canonicalHolder(credType: string, text: string): string | undefined {
  if (credType === 'EVM_ADDRESS') return canonicalEvmAddress(text)
  if (credType === 'SOLANA_ADDRESS') return canonicalSolanaAddress(text)
  return canonicalMember(text)
}

/** Whether a text can be an identity of some kind. One that begins as an address does, and is of no chain, is misspelled. */
export function isIdentity(text: string): boolean {
  const member = canonicalMember(text)
  if (member === undefined) return false
  return !/^(0x|evm:|solana:)/.test(member) || /^0x([0-9a-f]{16}|[0-9a-f]{40}|[0-9a-f]{64})$/.test(member)
}

function withoutPrefix(text: string, prefix: string): string {
  const trimmed = text.trim()
  return trimmed.slice(0, prefix.length).toLowerCase() === prefix ? trimmed.slice(prefix.length) : trimmed
}

function hasControl(text: string): boolean {
  return /[\u0000-\u001f\u007f]/.test(text)
}
