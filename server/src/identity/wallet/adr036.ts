import { secp256k1 } from '@noble/curves/secp256k1.js'
import { identityError } from '../identity-error.ts'
import { readBase64 } from './proof-bytes.ts'

/**
 * The bytes that `signArbitrary` of a Cosmos wallet signs (ADR-036): an amino document with one MsgSignData, keys
 * sorted, no spaces. `signer` is bech32 and `text` is base64, so nothing needs escaping.
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
 * Returns the compressed public key that signed the text. The caller checks that the key belongs to the signer.
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

/** Verifies a 64-byte signature with low s over a hash. */
export function verifySecp256k1(signature: Uint8Array, hash: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return secp256k1.verify(signature, hash, publicKey, { prehash: false, lowS: true })
  } catch {
    return false // the library throws plain errors for invalid points and scalars
  }
}
