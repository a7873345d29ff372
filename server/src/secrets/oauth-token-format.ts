import type { Random } from '../random.ts'
import { fromBase62 } from './base62.ts'
import { hashOf } from './hashes.ts'
import { formatToken, isWellFormedToken } from './token-format.ts'

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

const RANDOM_BYTES = 32
const FAMILY_BYTES = 8
const CHECKSUM_LENGTH = 6

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
