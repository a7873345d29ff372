import { invalidRequest } from '../errors.ts'
import type { Parameters } from '../parameters.ts'

/** The state is required, and returned byte for byte. @throws OauthError */
export function requireState(query: Parameters): string {
  const state = query.get('state')
  if (state === undefined) throw invalidRequest('state is missing: an unguessable string that your callback compares')
  return state
}
