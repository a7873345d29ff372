import { sha3_256 } from '@noble/hashes/sha3.js'
import { identityError } from '../identity-error.ts'
import { verifySecp256k1 } from './adr036.ts'
import { BcsReader, malformedBcs } from './bcs-reader.ts'
import { verifyEd25519 } from './solana.ts'

/** In the order of the scheme byte at the end of the authentication key's preimage. */
export const aptosSchemes = ['ed25519', 'multi_ed25519', 'single_key', 'multi_key'] as const
type Scheme = (typeof aptosSchemes)[number]

export interface AptosKey {
  /** `0x` and 64 lower-case hex digits: the account's address until the account rotates its key. */
  authenticationKey: string
  verify(signature: Uint8Array, message: Uint8Array): boolean
}

const ED25519_KEY = 32
const SIGNATURE = 64
const BITMAP = 4
const MAX_KEYS = 32

/** @throws ApiError bad_request, unsupported */
export function readAptosKey(scheme: Scheme, bytes: Uint8Array): AptosKey {
  const { verify, key } = readers[scheme](bytes)
  const preimage = Buffer.concat([key, Buffer.from([aptosSchemes.indexOf(scheme)])])
  return { authenticationKey: `0x${Buffer.from(sha3_256(preimage)).toString('hex')}`, verify }
}

interface ReadKey {
  verify: AptosKey['verify']
  /** The key's encoding in the preimage of the authentication key. */
  key: Uint8Array
}

const readers: Record<Scheme, (bytes: Uint8Array) => ReadKey> = {
  ed25519(key) {
    const bytes = bare(key, 'publicKey', (length) => length === ED25519_KEY)
    const verify: AptosKey['verify'] = (signature, message) =>
      verifyEd25519(
        bare(signature, 'signature', (length) => length === SIGNATURE),
        message,
        bytes,
      )
    return { key: bytes, verify }
  },
  multi_ed25519(key) {
    const bytes = bare(key, 'publicKey', (length) => length % ED25519_KEY === 1)
    const count = (bytes.length - 1) / ED25519_KEY
    const threshold = bytes.at(-1) ?? 0
    if (!Number.isInteger(count) || count < 1 || count > MAX_KEYS || threshold < 1 || threshold > count)
      throw malformed('publicKey')
    const verify: AptosKey['verify'] = (given, message) => {
      const signature = bare(given, 'signature', (length) => length % SIGNATURE === BITMAP)
      const signed = (signature.length - BITMAP) / SIGNATURE
      if (signed < threshold) return false
      const signers = bitsOf(signature.subarray(-BITMAP))
      return (
        signers.length === signed &&
        signers.every((signer, n) => {
          const one = signature.subarray(n * SIGNATURE, (n + 1) * SIGNATURE)
          const key = bytes.subarray(signer * ED25519_KEY, (signer + 1) * ED25519_KEY)
          return signer < count && verifyEd25519(one, message, key)
        })
      )
    }
    return { key: bytes, verify }
  },
  single_key(bytes) {
    const reader = new BcsReader(bytes, 'publicKey')
    const verifyOne = readAnyKey(reader)
    reader.end()
    const verify: AptosKey['verify'] = (signature, message) => {
      const signatures = new BcsReader(signature, 'signature')
      const valid = verifyOne(signatures, message)
      signatures.end()
      return valid
    }
    return { key: bytes, verify }
  },
  multi_key(bytes) {
    const reader = new BcsReader(bytes, 'publicKey')
    const count = reader.uleb()
    if (count < 1 || count > MAX_KEYS) throw malformed('publicKey')
    const keys = Array.from({ length: count }, () => readAnyKey(reader))
    const threshold = reader.byte()
    reader.end()
    if (threshold < 1 || threshold > count) throw malformed('publicKey')
    const verify: AptosKey['verify'] = (signature, message) => {
      const signatures = new BcsReader(signature, 'signature')
      const signed = signatures.uleb()
      // The bitmap of signers follows the signatures.
      const signers = bitsOf(signature.subarray(-BITMAP))
      if (signed < threshold || signers.length !== signed) return false
      const valid = signers.map((signer) => keys[signer]?.(signatures, message) ?? false)
      if (signatures.bytes().length !== BITMAP) throw malformed('signature')
      signatures.end()
      return valid.every(Boolean)
    }
    return { key: bytes, verify }
  },
}

/** Reads an AnyPublicKey. Returns a function that reads and verifies an AnySignature of that key. */
function readAnyKey(reader: BcsReader): (signatures: BcsReader, message: Uint8Array) => boolean {
  const variant = reader.uleb()
  const key = reader.bytes()
  const length = [ED25519_KEY, 65][variant]
  if (length === undefined)
    throw identityError(
      'unsupported',
      'Only Ed25519 and Secp256k1 keys can sign in; keyless and passkey accounts cannot yet',
      'publicKey',
    )
  if (key.length !== length) throw malformed('publicKey')
  return (signatures, message) => {
    if (signatures.uleb() !== variant) return false
    const signature = signatures.bytes()
    if (signature.length !== SIGNATURE) return false
    return variant === 0 ? verifyEd25519(signature, message, key) : verifySecp256k1(signature, sha3_256(message), key)
  }
}

/** Positions of set bits; the most significant bit of the first byte is 0. */
function bitsOf(bitmap: Uint8Array): number[] {
  return Array.from({ length: 8 * bitmap.length }, (_, n) => n).filter(
    (n) => ((bitmap[n >> 3] as number) & (0x80 >> (n & 7))) !== 0,
  )
}

/** SDKs send the older keys and signatures either bare or with a length prefix. */
function bare(bytes: Uint8Array, field: string, fits: (length: number) => boolean): Uint8Array {
  if (fits(bytes.length)) return bytes
  const reader = new BcsReader(bytes, field)
  const inner = reader.bytes()
  reader.end()
  if (!fits(inner.length)) throw malformed(field)
  return inner
}

const malformed = (field: string) => malformedBcs(field)
