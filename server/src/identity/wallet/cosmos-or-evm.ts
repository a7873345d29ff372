import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bech32 } from '@scure/base'
import { z } from 'zod'
import { canonicalBech32Address } from '../../addresses/addresses.ts'
import { identityError } from '../identity-error.ts'
import type { ChallengeContext, ChallengeInput, ChallengeKind } from '../challenge-kind.ts'
import { verifyAdr036 } from './adr036.ts'
import { evmSignInMessage, readAddress } from './evm.ts'
import { addressOfKey, personalMessageHash, recoverPublicKey } from './evm-signature.ts'
import { messageFields, signInMessage } from './sign-in-message.ts'

const kindDataShape = z.object({ form: z.enum(['adr036', 'eip4361']), address: z.string(), message: z.string() })

/** A chain whose accounts have a bech32 and a 0x address of the same secp256k1 key. */
export interface DualAddressChain {
  kind: ChallengeKind['kind']
  /** The name of the chain's accounts in the sign-in text. */
  accountsOf: string
  prefix: string
  chainId: string
  evmChainId: number
  /** The hash of ADR-036 documents. */
  hash: (bytes: Uint8Array) => Uint8Array
  /** The 20 bytes of a key's bech32 address. */
  accountOf: (publicKey: Uint8Array) => Uint8Array
}

export interface ProvenKey {
  bech32: string
  /** Lower case. */
  evm: string
}

/** The challenge for the given address: ADR-036 for bech32, EIP-4361 for 0x. @throws ApiError */
export function createDualAddressChallenge(chain: DualAddressChain, context: ChallengeContext, input: ChallengeInput) {
  const text = input.address?.trim() ?? ''
  if (/^(?:evm:)?0x/i.test(text)) {
    const address = readAddress(text)
    const message = evmSignInMessage(context, chain.kind, address, chain.evmChainId)
    return { kindData: { form: 'eip4361', address, message }, shown: { message } }
  }
  const address = canonicalBech32Address(chain.prefix, text)
  if (address === undefined)
    throw identityError(
      'invalid_address',
      `address must be ${chain.prefix}1… of 20 bytes, or 0x and 40 hex digits`,
      'address',
    )
  const fields = messageFields(context, chain.kind, chain.chainId)
  const message = signInMessage(chain.accountsOf, { ...fields, address })
  return { kindData: { form: 'adr036', address, message }, shown: { message } }
}

/** Both addresses of the signing key; one of them is the challenge's address. @throws ApiError */
export function verifyDualAddress(chain: DualAddressChain, kindData: unknown, proof: unknown): ProvenKey {
  const { form, address, message } = kindDataShape.parse(kindData)
  const publicKey =
    form === 'adr036' ? verifyAdr036(proof, address, message, chain.hash) : recoverCompressed(message, proof)
  const uncompressed = secp256k1.Point.fromBytes(publicKey).toBytes(false)
  const key = {
    bech32: bech32.encode(chain.prefix, bech32.toWords(chain.accountOf(publicKey))),
    evm: addressOfKey(uncompressed),
  }
  if (address !== (form === 'adr036' ? key.bech32 : key.evm))
    throw identityError('address_mismatch', 'The signature was made by another address or over another text')
  return key
}

function recoverCompressed(message: string, proof: unknown): Uint8Array {
  const { signature } = proof as { signature?: unknown }
  if (typeof signature !== 'string') throw identityError('bad_request', 'signature must be a hex string', 'signature')
  const key = recoverPublicKey(personalMessageHash(message), signature)
  if (!key) throw identityError('bad_signature', 'The signature is not a valid 65-byte EVM signature', 'signature')
  return secp256k1.Point.fromBytes(key).toBytes(true)
}
