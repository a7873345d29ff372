import { z } from 'zod'
import { canonicalEvmAddress } from '../../addresses/addresses.ts'
import { identityError } from '../identity-error.ts'
import type { ChallengeContext, ChallengeKind } from '../challenge-kind.ts'
import { contractAccepts } from './evm-contract.ts'
import { checksummed } from '../../addresses/evm-checksum.ts'
import { personalMessageHash, recoverAddress } from './evm-signature.ts'
import { messageFields, signInMessage } from './sign-in-message.ts'

const ETHEREUM_MAINNET = 1

const kindDataShape = z.object({ address: z.string(), message: z.string(), chainId: z.number() })
const proofShape = z.object({ signature: z.string().max(20_000) })

/** EIP-4361 with personal_sign, for key wallets, and for contract wallets on chains with a configured node. */
export const evmAddress: ChallengeKind = {
  kind: 'EVMAddress',
  label: 'EVM wallet',
  browser: { way: 'wallet', discovery: 'eip6963', needs: ['address'] },
  async challenge(context, input) {
    const address = readAddress(input.address)
    const chainId = input.chainId ?? ETHEREUM_MAINNET
    const message = evmSignInMessage(context, 'EVMAddress', address, chainId)
    return { kindData: { address, message, chainId }, shown: { message } }
  },
  async verify({ services: services }, kindData, proof) {
    const { address, message, chainId } = kindDataShape.parse(kindData)
    const parsed = proofShape.safeParse(proof)
    if (!parsed.success) throw identityError('bad_request', 'signature must be a hex string', 'signature')
    const { signature } = parsed.data
    const hash = personalMessageHash(message)
    const signer = recoverAddress(hash, signature)
    if (signer === address) return { identity: { subject: address, username: null } }
    const node = services.config.identity.evmRpc.get(chainId)
    if (node !== undefined && (await contractAccepts(services, node, chainId, { address, hash, signature })))
      return { identity: { subject: address, username: null, boundChainId: chainId } }
    if (signer === undefined)
      throw identityError('bad_signature', 'The signature is not a valid 65-byte EVM signature', 'signature')
    throw identityError('address_mismatch', 'The signature was made by another address or over another text')
  },
}

/** The EIP-4361 text. It contains the kind and the chain, so that a signature for one kind is invalid for another. */
export function evmSignInMessage(context: ChallengeContext, kind: string, address: string, chainId: number): string {
  return signInMessage('Ethereum', { ...messageFields(context, kind, String(chainId)), address: checksummed(address) })
}

/** Accepts one case, or a correct EIP-55 checksum. @throws ApiError invalid_address */
export function readAddress(text: string | undefined): string {
  if (text === undefined) throw identityError('bad_request', 'address is required for this kind', 'address')
  const address = canonicalEvmAddress(text)
  const bare = text.trim().replace(/^evm:/i, '')
  const oneCase = bare.slice(2) === bare.slice(2).toLowerCase() || bare.slice(2) === bare.slice(2).toUpperCase()
  if (address === undefined || !(oneCase || bare === checksummed(address)))
    throw identityError(
      'invalid_address',
      'address must be 0x and 40 hex digits, in one case or with a right EIP-55 checksum',
      'address',
    )
  return address
}
