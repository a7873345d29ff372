import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * How every secret looks that this service hands out: a prefix that tells its class (and lets secret scanners find a
 * leaked one), 32 random bytes, and a checksum, so that a mistyped or truncated one is refused without a look-up.
 */

export type TokenPrefix = 'qbs' | 'qbi' | 'qbu' | 'qbr' | 'qbc' | 'qbx'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_BYTES = 32
const SECRET_LENGTH = 43 // 32 bytes in base 62
const CHECKSUM_LENGTH = 6 // 32 bits in base 62

/** Characters of every token, prefix and all. */
export const TOKEN_LENGTH = 3 + 1 + SECRET_LENGTH + CHECKSUM_LENGTH

/** A token of the class; `bytes` are 32 random bytes. */
export function formatToken(prefix: TokenPrefix, bytes: Uint8Array): string {
  if (bytes.length !== RANDOM_BYTES) throw new RangeError(`a token has ${RANDOM_BYTES} random bytes`)
  const secret = base62(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), SECRET_LENGTH)
  return `${prefix}_${secret}${checksum(`${prefix}_${secret}`)}`
}

/** Whether a text can be a token of the class at all: right prefix, length, alphabet and checksum. */
export function isWellFormedToken(prefix: TokenPrefix, text: string): boolean {
  if (text.length !== TOKEN_LENGTH || !text.startsWith(`${prefix}_`)) return false
  const body = text.slice(0, -CHECKSUM_LENGTH)
  return /^[0-9A-Za-z]+$/.test(text.slice(prefix.length + 1)) && text.endsWith(checksum(body))
}

/** What is stored and looked up instead of the token. 256 random bits need no salt and no slow hash. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** What is stored of a token: its hash, and the last characters, by which its owner recognizes it. */
export interface StoredValue {
  hash: Buffer
  lastFour: string
}

export function storedValueOf(token: string): StoredValue {
  return { hash: hashToken(token), lastFour: token.slice(-4) }
}

function checksum(body: string): string {
  let text = ''
  for (let rest = crc32(body); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62))
    text = (ALPHABET[rest % 62] as string) + text
  return text
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = (ALPHABET[Number(rest % 62n)] as string) + text
  return text
}
