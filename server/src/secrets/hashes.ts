import { hash, timingSafeEqual } from 'node:crypto'

/** SHA-256. Tokens have 256 random bits, so their stored hashes need no salt and no slow hash. */
export function hashOf(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

export function equalHashes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
