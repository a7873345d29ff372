import { crc32 } from 'node:zlib'
import { BASE62, toBase62 } from './base62.ts'
import { hashOf } from './hashes.ts'

/**
 * The format of all tokens: a prefix for the class (which secret scanners detect), 32 random bytes, and a checksum, so
 * that mistyped or truncated tokens are rejected without a lookup.
 */

export type TokenPrefix = 'qbs' | 'qbp' | 'qbi' | 'qbu' | 'qbr' | 'qbc' | 'qbx' | 'qbo' | 'qbt'

const RANDOM_BYTES = 32
const SECRET_LENGTH = 43 // 32 bytes in base 62
const CHECKSUM_LENGTH = 6 // 32 bits in base 62

export const TOKEN_LENGTH = 3 + 1 + SECRET_LENGTH + CHECKSUM_LENGTH

/** @param bytes 32 random bytes */
export function formatToken(prefix: TokenPrefix, bytes: Uint8Array): string {
  if (bytes.length !== RANDOM_BYTES) throw new RangeError(`a token has ${RANDOM_BYTES} random bytes`)
  const secret = toBase62(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), SECRET_LENGTH)
  return `${prefix}_${secret}${checksum(`${prefix}_${secret}`)}`
}

/** Whether prefix, length, alphabet and checksum are valid. */
export function isWellFormedToken(prefix: TokenPrefix, text: string): boolean {
  if (text.length !== TOKEN_LENGTH || !text.startsWith(`${prefix}_`)) return false
  const body = text.slice(0, -CHECKSUM_LENGTH)
  return /^[0-9A-Za-z]+$/.test(text.slice(prefix.length + 1)) && text.endsWith(checksum(body))
}

/** The stored parts of a token: its hash, and its last characters for display. */
export interface StoredValue {
  hash: Buffer
  lastFour: string
}

export function storedValueOf(token: string): StoredValue {
  return { hash: hashOf(token), lastFour: token.slice(-4) }
}

// Every request with a token computes it, so the digits are those of a number, not of a bigint.
function checksum(body: string): string {
  let text = ''
  for (let rest = crc32(body); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62))
    text = (BASE62[rest % 62] as string) + text
  return text
}
