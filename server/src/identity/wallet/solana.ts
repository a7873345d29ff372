import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import { z } from 'zod'
import { canonicalSolanaAddress } from '../../addresses/addresses.ts'
import { identityError } from '../identity-error.ts'
import type { ChallengeKind } from '../challenge-kind.ts'
import { readHexOrBase64 } from './proof-bytes.ts'
import { fieldsShape, messageFields, signInInput, signInMessage } from './sign-in-message.ts'
import { solanaEnvelopes } from './solana-envelopes.ts'

const kindDataShape = z.object({ fields: fieldsShape, address: z.string().optional() })
const SIGNATURE_BYTES = 64

/**
 * Sign In With Solana: `solana:signIn`, where the wallet returns the address, or `signMessage` over the same text.
 * Ledger devices sign an off-chain envelope around the text.
 */
export const solanaAddress: ChallengeKind = {
  kind: 'SolanaAddress',
  label: 'Solana wallet',
  browser: { way: 'wallet', discovery: 'wallet-standard', needs: [] },
  async challenge(context, input) {
    const fields = messageFields(context, 'SolanaAddress', 'mainnet')
    const address = input.address === undefined ? undefined : readSolanaAddress(input.address)
    return {
      kindData: { fields, address },
      shown: {
        signIn: signInInput(fields, address),
        ...(address !== undefined && { message: signInMessage('Solana', { ...fields, address }) }),
      },
    }
  },
  async verify(_context, kindData, proof) {
    const { fields, address: asked } = kindDataShape.parse(kindData)
    const { address: named, signature } = proof as { address?: unknown; signature?: unknown }
    const address = named === undefined ? asked : readSolanaAddress(named)
    if (address === undefined) throw identityError('bad_request', 'address is required', 'address')
    if (asked !== undefined && asked !== address)
      throw identityError('address_mismatch', 'The challenge was made for another address', 'address')
    const bytes =
      typeof signature === 'string' && /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(signature)
        ? readBase58Signature(signature)
        : readHexOrBase64(signature, SIGNATURE_BYTES, 'signature')
    const text = signInMessage('Solana', { ...fields, address })
    if (!isSignedBy(base58.decode(address), bytes, text, fields.domain))
      throw identityError('bad_signature', 'The signature is not one of this address over the text of the challenge')
    return { identity: { subject: address, username: null } }
  },
}

/** Whether the key signed this text, plain or in a hardware wallet's envelope. */
export function isSignedBy(key: Uint8Array, signature: Uint8Array, text: string, domain: string): boolean {
  const message = new TextEncoder().encode(text)
  return [message, ...solanaEnvelopes(message, key, domain)].some((bytes) => verifyEd25519(signature, bytes, key))
}

/** Strict RFC 8032. ZIP-215 would accept a small-order key's signature for any message. */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, message, key, { zip215: false })
  } catch {
    return false // the library throws plain errors for invalid keys
  }
}

function readSolanaAddress(text: unknown): string {
  const address = typeof text === 'string' ? canonicalSolanaAddress(text) : undefined
  if (address === undefined)
    throw identityError('invalid_address', 'address must be base58 of a 32-byte key', 'address')
  return address
}

function readBase58Signature(text: string): Uint8Array {
  const bytes = base58.decode(text)
  if (bytes.length !== SIGNATURE_BYTES)
    throw identityError('bad_request', 'signature must be 64 bytes in base58, base64 or hex', 'signature')
  return bytes
}
