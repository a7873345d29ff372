import { BECH32, EVM, hasAddressForm, isSolana, LONG_APTOS } from '../../../server/src/addresses/address-forms.ts'
import { looksLikeAddress } from '../../../server/src/addresses/looks-like-address.ts'

/** A shorter text without the prefix can be a handle. */
const MIN_BARE_SOLANA = 43

/** Whether a text has the form of the address of a wallet, which no name of a member has. */
export const isWallet = (text: string): boolean =>
  [EVM, BECH32, LONG_APTOS].some((form) => form.test(text)) ||
  (isSolana(text) && (text.includes(':') || text.length >= MIN_BARE_SOLANA))

/**
 * Whether a text looks like an address, but is incomplete or mistyped. The service refuses it as a new member. The service
 * also refuses addresses with a wrong checksum, which pages do not calculate.
 */
export function isPartOfAddress(text: string): boolean {
  const member = text.replace(/^@\s*/, '')
  return looksLikeAddress(member.toLowerCase()) && !hasAddressForm(member)
}

/** Stricter than the form of members, so that a typing error is found. */
const MAIL_ADDRESS = /^[^\s@]{1,64}@[^\s@]+\.[^\s@]+$/
const HANDLE_OR_ID = /^@?[\w.-]{1,50}$/

/** Whether a text can be an address or identity of any kind. */
export function canBeAddress(text: string): boolean {
  if (isPartOfAddress(text)) return false
  return MAIL_ADDRESS.test(text) || HANDLE_OR_ID.test(text) || (hasAddressForm(text) && !text.includes('@'))
}
