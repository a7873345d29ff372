import { OAuthError } from './oauth-error.ts'

/** What has to be remembered between leaving and coming back: in the user's session, never in a URL. Plain data. */
export interface Attempt {
  state: string
  codeVerifier: string
}

/**
 * The code in a callback, once it is known that the callback answers this attempt.
 * @param issuer that the callback may name; null takes any
 * @throws OAuthError state_mismatch, issuer_mismatch, what the service says (access_denied, …), missing_code
 */
export function readCallback(
  callback: string | URL | URLSearchParams,
  attempt: Pick<Attempt, 'state'> | null | undefined,
  issuer: string | null,
): string {
  const parameters = parametersOf(callback)
  // Before anything else is believed: this callback may be somebody else's (specification 5.2.3).
  if (!attempt?.state || parameters.get('state') !== attempt.state)
    throw new OAuthError('state_mismatch', 'The callback does not belong to this sign-in: its state is another')
  const iss = parameters.get('iss')
  if (iss !== null && issuer !== null && iss.replace(/\/+$/, '') !== issuer.replace(/\/+$/, ''))
    throw new OAuthError('issuer_mismatch', `The callback comes from ${iss}, not from ${issuer}`)
  const error = parameters.get('error')
  if (error !== null) throw new OAuthError(error, parameters.get('error_description') ?? error)
  const code = parameters.get('code')
  if (!code) throw new OAuthError('missing_code', 'The callback has no code')
  return code
}

function parametersOf(callback: string | URL | URLSearchParams): URLSearchParams {
  if (callback instanceof URLSearchParams) return callback
  if (callback instanceof URL) return callback.searchParams
  // A whole URL, a path, or a query string alone.
  return new URLSearchParams(callback.slice(callback.indexOf('?') + 1).replace(/#.*$/, ''))
}
