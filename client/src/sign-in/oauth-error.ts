import type { Unlisted } from '../schema.ts'

/**
 * Why a sign-in failed. The first come from the service (RFC 6749 4.1.2.1 and 5.2, RFC 6750 3.1); the last ones from
 * this client: the callback is not the answer to this attempt, or the service did not answer as it should.
 */
export type OAuthErrorCode =
  | ('access_denied' | 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unauthorized_client')
  | ('invalid_scope' | 'invalid_token' | 'insufficient_scope' | 'server_error' | 'temporarily_unavailable')
  | ('state_mismatch' | 'issuer_mismatch' | 'missing_code' | 'network_error' | 'timeout' | 'invalid_response')
  | Unlisted

interface OAuthFacts {
  httpStatus?: number | undefined
  requestId?: string | undefined
  cause?: unknown
}

/** A sign-in, or a request with a user's access token, that failed. */
export class OAuthError extends Error {
  override name = 'OAuthError'
  readonly code: OAuthErrorCode
  /** Undefined when there was no answer, and for what the callback says. */
  readonly httpStatus: number | undefined
  /** Under which the service's log knows the request, where it says so. */
  readonly requestId: string | undefined

  constructor(code: OAuthErrorCode, message: string, { httpStatus, requestId, cause }: OAuthFacts = {}) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.httpStatus = httpStatus
    this.requestId = requestId
  }
}
