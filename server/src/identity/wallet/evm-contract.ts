import { identityError } from '../identity-error.ts'
import type { Services } from '../../services.ts'
import { type CallResult, openEvmRpc } from './evm-rpc.ts'
import { counterfactualCheck, readWrapped } from './evm-counterfactual.ts'

/** bytes4(keccak256("isValidSignature(bytes32,bytes)")): the selector, and the value that means valid (EIP-1271). */
const MAGIC = '1626ba7e'
const YES = `0x${MAGIC}${'0'.repeat(56)}`
const MAX_SIGNATURE_BYTES = 8 * 1024

/**
 * Whether a contract wallet accepts this signature on this chain: by EIP-1271 if it is deployed, or by ERC-6492 if its
 * factory would deploy it. @throws ApiError unavailable, bad_signature
 */
export async function contractAccepts(
  services: Services,
  url: string,
  chainId: number,
  proof: { address: string; hash: Uint8Array; signature: string },
): Promise<boolean> {
  const { address, hash, signature } = proof
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(signature) || signature.length > 2 + 2 * MAX_SIGNATURE_BYTES)
    throw identityError(
      'bad_signature',
      `signature must be 0x and hex of at most ${MAX_SIGNATURE_BYTES} bytes`,
      'signature',
    )
  const rpc = await openEvmRpc(services, url, chainId)
  const wrapped = readWrapped(signature)
  const call = isValidSignatureCall(hash, wrapped?.signature ?? signature)
  const isDeployed = await rpc.hasCode(address)
  if (isDeployed) return isYes(await rpc.call({ to: address, data: call }))
  if (!wrapped) return false
  return isYes(await rpc.call({ data: counterfactualCheck(wrapped, address, call) }))
}

/** Revert data is not a valid result, even if it contains the magic value. */
function isYes(result: CallResult): boolean {
  return result.ok && result.data === YES
}

function isValidSignatureCall(hash: Uint8Array, signature: string): string {
  const bytes = signature.slice(2).toLowerCase()
  const length = bytes.length / 2
  const padded = bytes.padEnd(Math.ceil(length / 32) * 64, '0')
  return `0x${MAGIC}${Buffer.from(hash).toString('hex')}${word(64)}${word(length)}${padded}`
}

const word = (number: number) => number.toString(16).padStart(64, '0')
