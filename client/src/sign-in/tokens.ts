import { OAuthError } from './oauth-error.ts'

/** The tokens of a user: plain data. Store them where only your server can read them. */
export interface Tokens {
  accessToken: string
  /** The granted scopes, separated by spaces. */
  scope: string
  /** The expiry of the access token in milliseconds since 1970; null if it does not expire. */
  expiresAt: number | null
  /** Only for apps with expiring tokens. It works once: a refresh replaces it. */
  refreshToken: string | null
  /** Present if the scope `openid` was granted. */
  idToken?: string
}

/** Reads a response of the token endpoint (RFC 6749 5.1). @throws OAuthError invalid_response */
export function readTokens(answer: Record<string, unknown>, receivedAt: number): Tokens {
  const { access_token, scope, expires_in, refresh_token, id_token } = answer
  if (typeof access_token !== 'string' || access_token === '')
    throw new OAuthError('invalid_response', 'The token endpoint returned no access_token')
  const lifetime = expires_in === undefined || expires_in === null ? NaN : Number(expires_in)
  return {
    accessToken: access_token,
    scope: typeof scope === 'string' ? scope : '',
    expiresAt: Number.isNaN(lifetime) ? null : receivedAt + lifetime * 1_000,
    refreshToken: typeof refresh_token === 'string' ? refresh_token : null,
    ...(typeof id_token === 'string' && { idToken: id_token }),
  }
}
