import type { Unlisted } from '../schema.ts'

/**
 * The codes of the service (RFC 6749 4.1.2.1 and 5.2, RFC 6750 3.1) and of this client (invalid callback, invalid
 * response, invalid logout token).
 */
export type OAuthErrorCode =
  | ('access_denied' | 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unauthorized_client')
  | ('invalid_scope' | 'invalid_token' | 'insufficient_scope' | 'server_error' | 'temporarily_unavailable')
  | ('state_mismatch' | 'issuer_mismatch' | 'missing_code' | 'network_error' | 'timeout' | 'invalid_response')
  | 'invalid_logout_token'
  | Unlisted

interface OAuthFacts {
  httpStatus?: number | undefined
  requestId?: string | undefined
  cause?: unknown
}

/** A failed sign-in, or a failed request with a user's access token. */
export class OAuthError extends Error {
  override name = 'OAuthError'
  readonly code: OAuthErrorCode
  /** Undefined without a response, and for errors of the callback. */
  readonly httpStatus: number | undefined
  /** The id of the request in the service's log, if known. */
  readonly requestId: string | undefined

  constructor(code: OAuthErrorCode, message: string, { httpStatus, requestId, cause }: OAuthFacts = {}) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.httpStatus = httpStatus
    this.requestId = requestId
  }
}
