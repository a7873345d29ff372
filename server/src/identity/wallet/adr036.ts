import { secp256k1 } from '@noble/curves/secp256k1.js'
import { identityError } from '../identity-error.ts'
import { readBase64 } from './proof-bytes.ts'

/**
 * The bytes that a Cosmos wallet's `signArbitrary` signs (ADR-036): an amino document with one MsgSignData, its members
 * sorted, without spaces. `signer` is bech32 and `text` goes in as base64, so nothing in it needs escaping.
 */
export function adr036Document(signer: string, text: string): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify({
      account_number: '0',
      chain_id: '',
      fee: { amount: [], gas: '0' },
      memo: '',
      msgs: [{ type: 'sign/MsgSignData', value: { data: Buffer.from(text).toString('base64'), signer } }],
      sequence: '0',
    }),
  )
}

/**
 * The compressed public key that signed the text for this signer. That the key is the signer's is for the caller to check.
 * @throws ApiError bad_request, bad_signature
 */
export function verifyAdr036(
  proof: unknown,
  signer: string,
  text: string,
  hash: (bytes: Uint8Array) => Uint8Array,
): Uint8Array {
  const given = proof as { publicKey?: unknown; signature?: unknown }
  const publicKey = readBase64(given.publicKey, 33, 'publicKey')
  const signature = readBase64(given.signature, 64, 'signature')
  if (!verifySecp256k1(signature, hash(adr036Document(signer, text)), publicKey))
    throw identityError('bad_signature', 'The signature is not one of this key over the text of the challenge')
  return publicKey
}

/** Of a 64-byte signature with low s over a hash. */
export function verifySecp256k1(signature: Uint8Array, hash: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return secp256k1.verify(signature, hash, publicKey, { prehash: false, lowS: true })
  } catch {
    return false // the library throws plain errors for what is no point or no number of the field
  }
}
