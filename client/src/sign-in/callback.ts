import { OAuthError } from './oauth-error.ts'

/** Store this in the user's session until the callback, never in a URL. Plain data. */
export interface Attempt {
  state: string
  codeVerifier: string
}

/**
 * Validates a callback and returns its code.
 * @param issuer the expected issuer; null accepts any
 * @throws OAuthError state_mismatch, issuer_mismatch, an error of the service (access_denied, …), missing_code
 */
export function readCallback(
  callback: string | URL | URLSearchParams,
  attempt: Pick<Attempt, 'state'> | null | undefined,
  issuer: string | null,
): string {
  const parameters = parametersOf(callback)
  // Checked first, because the callback may belong to another user's sign-in (RFC 6749 10.12).
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
  // A URL, a path, or a query string.
  return new URLSearchParams(callback.slice(callback.indexOf('?') + 1).replace(/#.*$/, ''))
}
