import type { App } from '../app.queries.ts'
import { invalidRequest } from '../errors.ts'
import type { Parameters } from '../parameters.ts'
import { type Challenge, challengeFault, type ChallengeMethod } from '../pkce.ts'

/** RFC 7636 4.3 and 4.4.1, and the setting `s256Only`, which is on for apps without a server. @throws OauthError invalid_request */
export function readChallenge(app: App, query: Parameters): Challenge | undefined {
  const value = query.get('code_challenge')
  const method = query.get('code_challenge_method')
  const fault = challengeFault(value, method)
  if (fault !== undefined) throw invalidRequest(fault)
  if (app.s256Only && method !== 'S256')
    throw invalidRequest('This app requires PKCE: code_challenge with code_challenge_method=S256')
  return value === undefined ? undefined : { value, method: (method ?? 'plain') as ChallengeMethod }
}
