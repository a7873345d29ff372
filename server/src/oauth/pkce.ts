import { createHash } from 'node:crypto'
import { equalHashes, hashOf } from '../secrets/hashes.ts'

export type ChallengeMethod = 'plain' | 'S256'

export interface Challenge {
  value: string
  method: ChallengeMethod
}

/** RFC 7636 4.1, 4.2: 43 to 128 unreserved characters. */
const verifierShape = /^[A-Za-z0-9._~-]{43,128}$/
const s256Shape = /^[A-Za-z0-9_-]{43}$/

/** Returns the problem with a challenge, or undefined. A missing method means `plain` (RFC 7636 4.3). */
export function challengeFault(value: string | undefined, method: string | undefined): string | undefined {
  if (value === undefined) return method === undefined ? undefined : 'code_challenge_method without code_challenge'
  if (method !== undefined && method !== 'plain' && method !== 'S256')
    return 'code_challenge_method must be S256 or plain'
  if (method === 'S256' && !s256Shape.test(value))
    return 'code_challenge of the method S256 must be 43 base64url characters'
  if (!verifierShape.test(value)) return 'code_challenge must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~'
  return undefined
}

/** A verifier without a challenge does not match (RFC 9700 2.1.1). */
export function verifierMatches(challenge: Challenge | undefined, verifier: string | undefined): boolean {
  if (!challenge) return verifier === undefined
  if (verifier === undefined || !verifierShape.test(verifier)) return false
  const shown = challenge.method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url')
  return equalHashes(hashOf(shown), hashOf(challenge.value))
}
