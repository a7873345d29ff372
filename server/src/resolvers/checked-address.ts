import { canonicalEvmAddress, canonicalHolder, isAddress } from '../addresses/addresses.ts'
import { addressNotProvided, invalidAddress } from '../errors.ts'

/**
 * Rejects text that cannot hold a credential of these types: neither the name of a holder, nor an address whose account
 * may have linked one. @throws Address not provided, Invalid address
 */
export function checkAddress(argument: string, text: string, credTypes: readonly string[]): void {
  if (text.trim() === '') throw addressNotProvided(argument)
  if (isAddress(text) || credTypes.some((type) => canonicalHolder(type, text) !== undefined)) return
  throw invalidAddress(
    argument,
    'an address of any chain, an e-mail address, or a name that a list of the type contains',
  )
}

/** @throws Address not provided, Invalid address */
export function checkedEvmAddress(argument: string, text: string): string {
  if (text.trim() === '') throw addressNotProvided(argument)
  const address = canonicalEvmAddress(text)
  if (address === undefined) throw invalidAddress(argument, '0x and 40 hex digits')
  return address
}
