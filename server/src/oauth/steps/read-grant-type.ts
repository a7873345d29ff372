import { invalidRequest, OauthError } from '../errors.ts'
import type { Parameters } from '../parameters.ts'

/** A request with a code may omit grant_type. @throws OauthError */
export function readGrantType(parameters: Parameters): 'authorization_code' | 'refresh_token' {
  const asked = parameters.get('grant_type') ?? (parameters.has('code') ? 'authorization_code' : undefined)
  if (asked === undefined) throw invalidRequest('grant_type is missing: authorization_code or refresh_token')
  if (asked !== 'authorization_code' && asked !== 'refresh_token')
    throw new OauthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token')
  return asked
}
