import { canonicalMember, mayBePublic } from '../../addresses/addresses.ts'
import { addressNotProvided, invalidAddress } from '../../errors.ts'
import type { Context } from '../../graphql/context.ts'

const MAX_ADDRESS_BYTES = 90

/** The canonical form of a member. @throws Address not provided, Invalid address */
export function checkedMember(argument: string, text: string): string {
  if (text.trim() === '') throw addressNotProvided(argument)
  const address = canonicalMember(text)
  if (!address || Buffer.byteLength(address) > MAX_ADDRESS_BYTES)
    throw invalidAddress(argument, `an address or name of 1 to ${MAX_ADDRESS_BYTES} bytes`)
  return address
}

/** Whether the token of a page must not learn that this mail address, handle or own address of an account is a member. */
export const isHidden = ({ spacesOfToken }: Pick<Context, 'spacesOfToken'>, address: string): boolean =>
  spacesOfToken !== undefined && !mayBePublic(address)
