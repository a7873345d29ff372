import { canonicalEvmAddress, canonicalHolder, isIdentity } from '../addresses/addresses.ts'
import { addressNotProvided, invalidAddress } from '../errors.ts'

/**
 * Rejects text that is neither an address for one of these credential types nor an identity of another kind. Such an
 * identity holds nothing, but is valid. @throws Address not provided, Invalid address
 */
export function checkAddress(argument: string, text: string, credTypes: readonly string[]): void {
  if (text.trim() === '') throw addressNotProvided(argument)
  if (isIdentity(text) || credTypes.some((type) => canonicalHolder(type, text) !== undefined)) return
  throw invalidAddress(argument, `an identity${credTypes.length > 0 ? ` of the type ${credTypes.join(' or ')}` : ''}`)
}

/** @throws Address not provided, Invalid address */
export function checkedEvmAddress(argument: string, text: string): string {
  if (text.trim() === '') throw addressNotProvided(argument)
  const address = canonicalEvmAddress(text)
  if (address === undefined) throw invalidAddress(argument, '0x and 40 hex digits')
  return address
}
