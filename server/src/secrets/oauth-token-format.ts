import { timingSafeEqual } from 'node:crypto'
import { formatToken, hashToken, isWellFormedToken } from './token-format.ts'
import type { Random } from '../random.ts'

/**
 * User access tokens, refresh tokens, codes and client secrets, in the format of token-format.ts. A code and its tokens
 * share their first 8 bytes, which are the family (see 20261121T1010_oauth.sql); the other 24 bytes are random for each
 * value.
 */
const prefixes = { access: 'qbu', refresh: 'qbr', code: 'qbc', secret: 'qbx' } as const

export type CredentialClass = keyof typeof prefixes

export interface IssuedCredential {
  /** The only copy of the value: shown once, never stored, never logged. */
  readonly value: string
  readonly hash: Buffer
  readonly family: Buffer
}

/** Whether a value is meant as an access token of a user, even if it is malformed. */
export const isAccessToken = (value: string): boolean => value.startsWith(`${prefixes.access}_`)

export type CredentialKey = Pick<IssuedCredential, 'hash' | 'family'>

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_BYTES = 32
const FAMILY_BYTES = 8
const CHECKSUM_LENGTH = 6

export const hashOf = hashToken

/** Creates a value in `family`, or in a new family. */
export function issueCredential(kind: CredentialClass, random: Random, family?: Buffer): IssuedCredential {
  const bytes = random.bytes(RANDOM_BYTES)
  family?.copy(bytes, 0, 0, FAMILY_BYTES)
  const value = formatToken(prefixes[kind], bytes)
  return { value, hash: hashOf(value), family: Buffer.from(bytes.subarray(0, FAMILY_BYTES)) }
}

/** Parses a value for a lookup. Returns undefined if the value is malformed or of another class. */
export function readCredential(kind: CredentialClass, value: string): CredentialKey | undefined {
  const prefix = prefixes[kind]
  if (!isWellFormedToken(prefix, value)) return undefined
  const number = fromBase62(value.slice(prefix.length + 1, -CHECKSUM_LENGTH))
  if (number >= 1n << BigInt(8 * RANDOM_BYTES)) return undefined
  const bytes = Buffer.from(number.toString(16).padStart(2 * RANDOM_BYTES, '0'), 'hex')
  return { hash: hashOf(value), family: bytes.subarray(0, FAMILY_BYTES) }
}

/** A map key for a credential key. */
export const nameOfKey = ({ hash }: CredentialKey): string => hash.toString('latin1')

export function equalHashes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

/** A public identifier or nonce of letters and digits. */
export function randomName(random: Random, length: number): string {
  // 2 extra bytes keep the bias of the remainder below 2^-16.
  let rest = BigInt(`0x${random.bytes(length + 2).toString('hex')}`)
  let text = ''
  for (; text.length < length; rest /= 62n) text += ALPHABET[Number(rest % 62n)] as string
  return text
}

// 62^8 fits a number, which avoids most bigint arithmetic.
const CHUNK = 8
const values = new Uint8Array(128)
for (const [value, character] of [...ALPHABET].entries()) values[character.charCodeAt(0)] = value

function fromBase62(text: string): bigint {
  let number = 0n
  for (let start = 0; start < text.length; start += CHUNK) {
    const end = Math.min(start + CHUNK, text.length)
    let chunk = 0
    for (let at = start; at < end; at++) chunk = chunk * 62 + (values[text.charCodeAt(at)] as number)
    number = number * BigInt(62 ** (end - start)) + BigInt(chunk)
  }
  return number
}
