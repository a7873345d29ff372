import { type OauthCode, oauthCodes } from '../error-codes.ts'

interface Extras {
  /** Only logged. */
  detail?: string
  /** For `invalid_request`, if another status describes the error better. */
  status?: number
  headers?: Record<string, string>
  /** The rule and the conditions of a refused claim, for the client. */
  refusal?: Record<string, unknown>
}

/** The client receives the code and the description. */
export class OauthError extends Error {
  readonly code: OauthCode
  readonly status: number
  readonly headers: Record<string, string>
  readonly detail: string | undefined
  readonly refusal: Record<string, unknown> | undefined

  constructor(code: OauthCode, description: string, extras: Extras = {}) {
    super(description)
    this.name = 'OauthError'
    this.code = code
    this.status = extras.status ?? oauthCodes[code]
    this.headers = extras.headers ?? {}
    this.detail = extras.detail
    this.refusal = extras.refusal
  }

  get body(): { error: string; error_description: string; refusal?: Record<string, unknown> } {
    const { code, message, refusal } = this
    return { error: code, error_description: asciiDescription(message), ...(refusal && { refusal }) }
  }
}

/** RFC 6749 5.2: %x20-21 / %x23-5B / %x5D-7E. */
function asciiDescription(text: string): string {
  return text.replace(/"/g, "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')
}

export const invalidRequest = (description: string, extras?: Extras) =>
  new OauthError('invalid_request', description, extras)

/** The same body for unknown apps and wrong secrets, so that clients cannot distinguish them (RFC 6749 5.2). */
export const invalidClient = (detail: string, description = 'The client ID or the client secret is not valid') =>
  new OauthError('invalid_client', description, {
    detail,
    headers: { 'www-authenticate': 'Basic realm="oauth", charset="UTF-8"' },
  })

/** The same body for each invalid code or refresh token. */
export const invalidGrant = (what: 'code' | 'refresh_token', detail: string) =>
  new OauthError('invalid_grant', `The ${what} is not valid, expired, used, or does not belong to this request`, {
    detail,
  })

export const invalidScope = (description: string) => new OauthError('invalid_scope', description)

export const tokenMissing = () =>
  new OauthError('invalid_token', 'Send the access token in the header Authorization: Bearer or access_token', {
    headers: { 'www-authenticate': 'Bearer realm="oauth"' },
  })

export const invalidToken = (detail: string) =>
  new OauthError('invalid_token', 'The access token is not valid, expired or revoked', {
    detail,
    headers: { 'www-authenticate': 'Bearer realm="oauth", error="invalid_token"' },
  })

export const insufficientScope = (scopes: readonly string[]) =>
  new OauthError('insufficient_scope', `The access token covers none of the requested scopes: ${scopes.join(' ')}`, {
    headers: { 'www-authenticate': `Bearer realm="oauth", error="insufficient_scope", scope="${scopes.join(' ')}"` },
  })

export const tooManyAttempts = (seconds: number) =>
  new OauthError('invalid_request', 'Too many failed attempts; try again later', {
    status: 429,
    headers: { 'retry-after': String(seconds) },
  })

export const tooManyRequests = (seconds: number) =>
  new OauthError('invalid_request', 'Too many requests for this user; try again later', {
    status: 429,
    headers: { 'retry-after': String(seconds) },
  })

/** Admission control rejected the request; it was not processed. */
export const overloaded = () =>
  new OauthError('temporarily_unavailable', 'The service is overloaded; retry later', {
    headers: { 'retry-after': '1' },
  })

export const methodNotAllowed = (allow: string) =>
  new OauthError('invalid_request', `This endpoint takes ${allow} only`, { status: 405, headers: { allow } })
