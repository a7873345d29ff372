import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'

const encoder = new TextEncoder()

/** EIP-191 version 0x45 (personal_sign). */
export function personalMessageHash(message: string): Uint8Array {
  const bytes = encoder.encode(message)
  const prefix = encoder.encode(`\u0019Ethereum Signed Message:\n${bytes.length}`)
  return keccak_256(Buffer.concat([prefix, bytes]))
}

/**
 * Recovers the uncompressed public key (65 bytes). The signature is 65 bytes r, s, v with low s (EIP-2) and v 27, 28,
 * or, as hardware wallets return it, 0, 1. Returns undefined if the signature is invalid.
 */
export function recoverPublicKey(hash: Uint8Array, signature: string): Uint8Array | undefined {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) return undefined
  const bytes = Buffer.from(signature.slice(2), 'hex')
  const v = bytes[64] as number
  const recovery = v >= 27 ? v - 27 : v
  if (recovery !== 0 && recovery !== 1) return undefined
  try {
    const parsed = secp256k1.Signature.fromBytes(bytes.subarray(0, 64), 'compact')
    if (parsed.hasHighS()) return undefined
    return parsed.addRecoveryBit(recovery).recoverPublicKey(hash).toBytes(false)
  } catch {
    // The library throws plain errors for r or s out of range and for points that do not exist.
    return undefined
  }
}

/** Recovers the lower-case address of the signing key. Returns undefined if the signature is invalid. */
export function recoverAddress(hash: Uint8Array, signature: string): string | undefined {
  const key = recoverPublicKey(hash, signature)
  return key && addressOfKey(key)
}

/** The lower-case address of an uncompressed public key. */
export function addressOfKey(publicKey: Uint8Array): string {
  return `0x${Buffer.from(keccak_256(publicKey.subarray(1)).subarray(12)).toString('hex')}`
}
