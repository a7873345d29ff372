/** The forms of addresses, without checksums. The pages use them, too. */
export const EVM = /^(?:evm:)?0x[0-9a-f]{40}$/i
export const BECH32 = /^(?:inj|sei)1[02-9ac-hj-np-z]{38}$/i
export const MAIL = /^[^\s@]+@[^\s@]+$/

/** The long form may omit leading zeros. The short form is for the special addresses `0x0` to `0xf` (AIP-40). */
export const LONG_APTOS = /^(?:aptos:)?0x[0-9a-f]{60,64}$/i
export const SPECIAL_APTOS = /^(?:aptos:)?0x[0-9a-f]$/i

/** Without `0x`, only the check bits distinguish an address from a name of 16 hex digits. */
export const FLOW = /^0x[0-9a-f]{16}$/i

/** Case-sensitive: Base58 has no `0`, `I`, `O` and `l`. */
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

export const isSolana = (text: string): boolean => BASE58.test(withoutPrefix(text, 'solana:'))

/** @param prefix in lower case; the text can have it in upper case */
export function withoutPrefix(text: string, prefix: string): string {
  return text.slice(0, prefix.length).toLowerCase() === prefix ? text.slice(prefix.length) : text
}

/** Whether a text has the form of the address of a chain, or of a mail address. */
export const hasAddressForm = (text: string): boolean =>
  [EVM, BECH32, MAIL, LONG_APTOS, SPECIAL_APTOS, FLOW].some((form) => form.test(text)) || isSolana(text)
