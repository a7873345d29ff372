import { invalidClient, invalidRequest, OauthError } from './errors.ts'
import type { Parameters } from './parameters.ts'

export interface ClientCredentials {
  clientId: string
  /** Missing for apps without a server. */
  secret: string | undefined
}

/**
 * Reads the app's credentials from the body or from HTTP Basic, never from both (RFC 6749 2.3.1). Basic may be
 * form-encoded, as the RFC requires, or raw, as many clients send it; ids and secrets contain only letters, digits and
 * `_`, so both are equal. @throws OauthError invalid_client, invalid_request
 */
export function readClientCredentials(authorization: string | undefined, body: Parameters): ClientCredentials {
  const bodyId = body.get('client_id')
  const bodySecret = body.get('client_secret')
  if (authorization === undefined) {
    if (bodyId === undefined) throw invalidRequest('client_id is missing')
    return { clientId: bodyId, secret: bodySecret }
  }
  const basic = readBasic(authorization)
  if (bodySecret !== undefined) throw invalidRequest('Send the client secret in the header or in the body, not in both')
  if (bodyId !== undefined && bodyId !== basic.clientId)
    throw invalidRequest('client_id differs from the one in the Authorization header')
  return { clientId: basic.clientId, secret: basic.secret === '' ? undefined : basic.secret }
}

/** @throws OauthError invalid_client if the header is malformed */
export function readBasic(authorization: string): { clientId: string; secret: string } {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1]
  if (encoded === undefined) throw invalidClient('not a Basic Authorization header')
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) throw invalidClient('Basic credentials without a colon')
  return { clientId: decoded(text.slice(0, colon)), secret: decoded(text.slice(colon + 1)) }
}

function decoded(text: string): string {
  try {
    const value = decodeURIComponent(text)
    if (/^[A-Za-z0-9_-]*$/.test(value)) return value
  } catch (error) {
    if (!(error instanceof URIError)) throw error
  }
  throw invalidClient('Basic credentials with characters that no id or secret has')
}

/** URLs end up in logs and histories (RFC 6749 2.3.1, RFC 6750 2.3). @throws OauthError invalid_request */
export function refuseSecretsInUrl(query: string): void {
  if (query === '') return
  const names = query.split('&').map((pair) => decodedName(pair.split('=')[0] ?? ''))
  const secrets = ['client_secret', 'code', 'code_verifier', 'refresh_token', 'access_token', 'token', 'client_id']
  const found = secrets.find((secret) => names.includes(secret))
  if (found !== undefined)
    throw new OauthError('invalid_request', `${found} is not allowed in the URL; send it in the body or in a header`)
}

function decodedName(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
