import { keccak_256 } from '@noble/hashes/sha3.js'

const encoder = new TextEncoder()

/** EIP-55. */
export function checksummed(lowerCaseAddress: string): string {
  const hex = lowerCaseAddress.slice(2)
  const hash = Buffer.from(keccak_256(encoder.encode(hex))).toString('hex')
  const letters = [...hex].map((letter, n) =>
    Number.parseInt(hash[n] as string, 16) >= 8 ? letter.toUpperCase() : letter,
  )
  return `0x${letters.join('')}`
}
