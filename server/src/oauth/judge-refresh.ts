import { REFRESH_GRACE } from '../lifetimes.ts'

/** The fields of a refresh token and its grant that decide about a refresh. */
export interface RefreshFacts {
  clientId: string
  grantScopes: readonly string[]
  grantResource: string | null
  grantRevokedAt: Date | null
  expiresAt: Date
  rotatedAt: Date | null
}

export interface Refresh {
  clientId: string
  appHasExpiringTokens: boolean
  scopes: readonly string[] | undefined
  resource: string | undefined
  now: Date
}

/**
 * rotate: issue a new pair. refuse: nothing changes. widen: refuse, because of scopes. retarget: refuse, because of
 * the resource. revoke: revoke the grant (RFC 9700 4.14.2).
 */
export type RefreshVerdict = { act: 'rotate' } | { act: 'refuse' | 'widen' | 'retarget' | 'revoke'; reason: string }

export function judgeRefresh(token: RefreshFacts | undefined, refresh: Refresh): RefreshVerdict {
  if (!token) return { act: 'refuse', reason: 'no such refresh token' }
  if (token.clientId !== refresh.clientId) return { act: 'refuse', reason: 'refresh token of another app' }
  if (token.grantRevokedAt) return { act: 'refuse', reason: 'grant revoked' }
  if (token.rotatedAt) {
    const age = refresh.now.getTime() - token.rotatedAt.getTime()
    return age <= REFRESH_GRACE
      ? { act: 'refuse', reason: 'refresh token used within the grace period' }
      : { act: 'revoke', reason: 'refresh token used before' }
  }
  if (!refresh.appHasExpiringTokens) return { act: 'refuse', reason: 'the app has no expiring tokens' }
  if (token.expiresAt <= refresh.now) return { act: 'refuse', reason: 'refresh token expired' }
  const wider = refresh.scopes?.find((scope) => !token.grantScopes.includes(scope))
  if (wider !== undefined) return { act: 'widen', reason: wider }
  if (refresh.resource !== undefined && refresh.resource !== token.grantResource)
    return { act: 'retarget', reason: 'the grant is for another resource' }
  return { act: 'rotate' }
}
