import { invalidRequest, OauthError } from '../errors.ts'
import type { Parameters } from '../parameters.ts'

/** Supports only codes in the query. Both parameters are optional. @throws OauthError */
export function checkResponse(query: Parameters): void {
  const type = query.get('response_type')
  if (type !== undefined && type !== 'code')
    throw new OauthError('unsupported_response_type', 'response_type must be code')
  const mode = query.get('response_mode')
  if (mode !== undefined && mode !== 'query') throw invalidRequest('response_mode must be query')
}
