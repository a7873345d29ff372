import { OauthError } from '../errors.ts'
import type { Parameters } from '../parameters.ts'

/** The server never fetches URLs for an authorization request (RFC 9101 10). @throws OauthError */
export function refuseRequestObjects(query: Parameters): void {
  if (query.has('request')) throw new OauthError('request_not_supported', 'The parameter request is not supported')
  if (query.has('request_uri'))
    throw new OauthError('request_uri_not_supported', 'The parameter request_uri is not supported')
}
