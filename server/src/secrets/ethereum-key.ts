import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'

/** The address of a private key, in lower case. */
export function signerAddress(privateKey: Uint8Array): string {
  const publicKey = secp256k1.getPublicKey(privateKey, false)
  return `0x${Buffer.from(keccak_256(publicKey.subarray(1)).subarray(12)).toString('hex')}`
}

/** Whether a text is `0x` and 64 hexadecimal digits that are a private key. */
export function isPrivateKey(text: string): boolean {
  return /^0x[0-9a-fA-F]{64}$/.test(text) && secp256k1.utils.isValidSecretKey(Buffer.from(text.slice(2), 'hex'))
}
