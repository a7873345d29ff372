import { randomBytes } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { checksummed } from '../../src/addresses/evm-checksum.ts'
import { personalMessageHash } from '../../src/identity/wallet/evm-signature.ts'

export interface TestWallet {
  address: string
  sign(message: string): string
  /** The compact signature and its recovery bit, for tests that build wrong encodings. */
  signRaw(message: string): { r: string; s: string; recovery: number }
}

/** An externally owned account with a random key that signs with personal_sign. */
export function testWallet(privateKey: Uint8Array = randomBytes(32)): TestWallet {
  const publicKey = secp256k1.getPublicKey(privateKey, false)
  const address = checksummed(`0x${Buffer.from(keccak_256(publicKey.subarray(1)).subarray(12)).toString('hex')}`)
  const signRaw = (message: string) => {
    const bytes = secp256k1.sign(personalMessageHash(message), privateKey, { prehash: false, format: 'recovered' })
    const hex = Buffer.from(bytes).toString('hex')
    return { recovery: bytes[0] as number, r: hex.slice(2, 66), s: hex.slice(66) }
  }
  return {
    address,
    signRaw,
    sign(message) {
      const { r, s, recovery } = signRaw(message)
      return `0x${r}${s}${(27 + recovery).toString(16)}`
    },
  }
}
