import { z } from 'zod'
import { canonicalEvmAddress } from '../../addresses.ts'
import { identityError } from '../identity-error.ts'
import type { ChallengeContext, ChallengeKind } from '../kinds.ts'
import { checksummed, personalMessageHash, recoverAddress } from './evm-signature.ts'
import { signInMessage } from './sign-in-message.ts'

const ETHEREUM_MAINNET = 1

const storedShape = z.object({ address: z.string(), message: z.string() })
const proofShape = z.object({ signature: z.string().max(20_000) })

/** EIP-4361 over personal_sign, by externally owned accounts. */
export const evmAddress: ChallengeKind = {
  kind: 'EVMAddress',
  label: 'EVM wallet',
  browser: { way: 'wallet', discovery: 'eip6963', needs: ['address'] },
  async challenge(context, input) {
    const address = readAddress(input.address)
    const message = evmSignInMessage(context, 'EVMAddress', address, input.chainId ?? ETHEREUM_MAINNET)
    return { stored: { address, message }, shown: { message } }
  },
  async verify(_context, stored, proof) {
    const { address, message } = storedShape.parse(stored)
    const parsed = proofShape.safeParse(proof)
    if (!parsed.success) throw identityError('bad_request', 'signature must be a hex string', 'signature')
    const signer = recoverAddress(personalMessageHash(message), parsed.data.signature)
    if (signer === undefined)
      throw identityError('bad_signature', 'The signature is not a valid 65-byte EVM signature', 'signature')
    if (signer !== address)
      throw identityError('address_mismatch', 'The signature was made by another address or over another text')
    return { identity: { subject: address, username: null } }
  },
}

/** The text for one kind whose wallets speak EIP-4361; kind and chain stand in it, so that no other kind takes its signature. */
export function evmSignInMessage(context: ChallengeContext, kind: string, address: string, chainId: number): string {
  return signInMessage('Ethereum', {
    domain: context.site.domain,
    address: checksummed(address),
    statement: context.statement(kind),
    uri: context.site.issuer,
    chainId: String(chainId),
    nonce: context.nonce,
    issuedAt: context.issuedAt.toISOString(),
    expiresAt: context.expiresAt.toISOString(),
  })
}

/** One case, or the right EIP-55 checksum. @throws ApiError invalid_address */
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
