import { canonicalEvmAddress, canonicalHolder, isIdentity } from '../addresses/addresses.ts'
import { addressNotProvided, invalidAddress } from '../errors.ts'

/**
 * Refuses a text that cannot be an address of a credential of one of these types, nor an identity of another kind: that one
 * holds nothing itself, but is well-formed. @throws Address not provided, Invalid address
 */
export function checkAddress(argument: string, text: string, credTypes: readonly string[]): void {
  if (text.trim() === '') throw addressNotProvided(argument)
  if (isIdentity(text) || credTypes.some((type) => canonicalHolder(type, text) !== undefined)) return
  throw invalidAddress(argument, `an identity${credTypes.length > 0 ? ` of the type ${credTypes.join(' or ')}` : ''}`)
}

/** The canonical form where only an EVM address is accepted. @throws Address not provided, Invalid address */
export function checkedEvmAddress(argument: string, text: string): string {
  if (text.trim() === '') throw addressNotProvided(argument)
  const address = canonicalEvmAddress(text)
  if (address === undefined) throw invalidAddress(argument, '0x and 40 hex digits')
  return address
}
