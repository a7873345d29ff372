import { OAuthError } from '../sign-in/oauth-error.ts'
import { isSignedBy } from './algorithms.ts'
import { findKey, withoutSlash } from './issuer-keys.ts'
import { isObject, parseJwt } from './jwt.ts'
import { decideLogout, type LogoutSettings, type LogoutTokenOptions } from './options.ts'

/** The claims of a valid logout token. */
export interface LogoutToken {
  /** Unique (`jti`). Questboard sends each attempt with a new one. */
  tokenId: string
  /** The user (`sub`); null if the account was deleted. */
  subject: string | null
  /** The session (`sid`) of the id_token; null if all sessions of the user have ended. */
  sessionId: string | null
  claims: Record<string, unknown>
}

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * Verifies the `logout_token` that the service posts to the back-channel logout URI of your app (OpenID Connect
 * Back-Channel Logout 1.0, 2.6). Reads the keys of the issuer about once an hour; all calls share them.
 * @throws OAuthError invalid_logout_token: respond with 400; network_error, timeout, invalid_response if the keys cannot
 *   be read: respond with 503, and the service tries again
 * @throws TypeError if an option is invalid
 */
export async function verifyLogoutToken(token: string, options: LogoutTokenOptions): Promise<LogoutToken> {
  const settings = decideLogout(options)
  const jwt = parseJwt(token)
  if (!jwt) throw refused('it is no signed JWT')
  const { header, claims } = jwt
  const algorithm = settings.algorithms.find((name) => name === header.alg)
  if (!algorithm) throw refused(`its algorithm is none of ${settings.algorithms.join(', ')}`)
  if (header.crit !== undefined) throw refused('it has critical extensions')
  if (header.typ !== undefined && !isLogoutType(header.typ)) throw refused('its type is another')
  if (typeof header.kid !== 'string') throw refused('it names no key')
  // This check runs before the keys are read, so that forged tokens cause no requests.
  const verified = checkClaims(claims, settings)
  const key = await findKey(settings, header.kid, algorithm)
  if (!key) throw refused('its issuer does not publish its key')
  if (!(await isSignedBy(key, algorithm, jwt))) throw refused('its signature is not of its issuer')
  return verified
}

const isLogoutType = (typ: unknown) => typeof typ === 'string' && /^(application\/)?logout\+jwt$/i.test(typ)

function checkClaims(
  claims: Record<string, unknown>,
  { issuer, clientId, clock, toleranceMs }: LogoutSettings,
): LogoutToken {
  const { iss, aud, iat, exp, jti, events } = claims
  if (typeof iss !== 'string' || withoutSlash(iss) !== issuer) throw refused(`its issuer is not ${issuer}`)
  // As with id_tokens, a further audience is an app that this one does not trust.
  if (aud !== clientId && !(Array.isArray(aud) && aud.length === 1 && aud[0] === clientId))
    throw refused('it is for another app')
  if (typeof iat !== 'number' || typeof exp !== 'number') throw refused('it has no times')
  if (clock.now() >= exp * 1_000 + toleranceMs) throw refused('it has expired')
  if (iat * 1_000 > clock.now() + toleranceMs) throw refused('it is of the future')
  if (!isObject(events) || !isObject(events[LOGOUT_EVENT])) throw refused('it has no logout event')
  if ('nonce' in claims) throw refused('it has a nonce')
  if (typeof jti !== 'string' || jti === '') throw refused('it has no ID')
  const [subject, sessionId] = [textOf(claims, 'sub'), textOf(claims, 'sid')]
  if (subject === null && sessionId === null) throw refused('it names neither a user nor a session')
  return { tokenId: jti, subject, sessionId, claims }
}

function textOf(claims: Record<string, unknown>, name: string): string | null {
  const value = claims[name] ?? null
  if (value === null || (typeof value === 'string' && value !== '')) return value
  throw refused(`its ${name} is no text`)
}

const refused = (reason: string) => new OAuthError('invalid_logout_token', `The logout token is not valid: ${reason}`)
