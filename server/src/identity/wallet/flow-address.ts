import { canonicalFlowAddress } from '../../addresses/addresses.ts'
import { type FlowNetwork, isFlowAddressOf } from '../../addresses/flow-addresses.ts'
import { identityError } from '../identity-error.ts'

/** @throws ApiError invalid_address */
export function readFlowAddress(network: FlowNetwork, text: string): string {
  const address = canonicalFlowAddress(text)
  if (address === undefined || !isFlowAddressOf(network, address))
    throw identityError('invalid_address', `address must be 16 hex digits of Flow's ${network}`, 'address')
  return address
}
