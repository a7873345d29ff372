import { type Challenge, verifierMatches } from './pkce.ts'

/** The fields of a stored code that decide about its redemption. */
export interface CodeFacts {
  clientId: string
  redirectUri: string
  challenge: Challenge | undefined
  resource: string | undefined
  expiresAt: Date
  spentAt: Date | null
}

export interface Redemption {
  clientId: string
  redirectUri: string | undefined
  verifier: string | undefined
  resource: string | undefined
  /** Whether the app has no secret, so that only PKCE with S256 proves that the code is its own. */
  needsS256: boolean
  now: Date
}

/**
 * issue: tokens may be issued. refuse: nothing changes. burn: the code is spent without tokens.
 * revoke: the code was used before, so its whole grant is revoked (RFC 6749 4.1.2, 10.5).
 */
export type CodeVerdict = { act: 'issue' } | { act: 'refuse' | 'burn' | 'revoke'; reason: string }

export const OTHER_RESOURCE = 'the resource differs from that of the authorization request'

export function judgeCode(code: CodeFacts, redemption: Redemption): CodeVerdict {
  if (code.clientId !== redemption.clientId) return { act: 'refuse', reason: 'code of another app' }
  if (code.spentAt) return { act: 'revoke', reason: 'code used before' }
  if (code.expiresAt <= redemption.now) return { act: 'refuse', reason: 'code expired' }
  if (redemption.redirectUri !== undefined && redemption.redirectUri !== code.redirectUri)
    return { act: 'burn', reason: 'redirect_uri differs from that of the authorization request' }
  if (!verifierMatches(code.challenge, redemption.verifier))
    return { act: 'burn', reason: 'code_verifier does not match the code_challenge' }
  if (redemption.needsS256 && code.challenge?.method !== 'S256')
    return { act: 'burn', reason: 'no S256 challenge for an app without a server' }
  if (redemption.resource !== undefined && redemption.resource !== code.resource)
    return { act: 'burn', reason: OTHER_RESOURCE }
  return { act: 'issue' }
}
