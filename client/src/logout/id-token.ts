import { OAuthError } from '../sign-in/oauth-error.ts'
import type { Tokens } from '../sign-in/tokens.ts'
import { parseJwt } from './jwt.ts'

/** The names that a later logout token contains. Store them with the session in your app. */
export interface IdTokenNames {
  /** The user (`sub`). */
  subject: string
  /** The session at the service (`sid`), if it has one. */
  sessionId: string | null
}

/**
 * Reads the id_token of `finish` or `refresh`. It came from the service directly, so its signature is not verified
 * (OpenID Connect Core 3.1.3.7). Never use this for an id_token that a browser sent.
 * @throws OAuthError invalid_response if the sign-in has no id_token
 */
export function readIdToken({ idToken }: Pick<Tokens, 'idToken'>): IdTokenNames {
  const { sub, sid } = parseJwt(idToken ?? '')?.claims ?? {}
  if (typeof sub !== 'string')
    throw new OAuthError('invalid_response', 'The sign-in has no id_token with a subject: request the scope openid')
  return { subject: sub, sessionId: typeof sid === 'string' ? sid : null }
}
