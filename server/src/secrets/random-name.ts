import type { Random } from '../random.ts'
import { toBase62 } from './base62.ts'

/** A public identifier or nonce of letters and digits. */
export function randomName(random: Random, length: number): string {
  // 2 extra bytes keep the bias of the remainder below 2^-16.
  return toBase62(BigInt(`0x${random.bytes(length + 2).toString('hex')}`), length)
}
