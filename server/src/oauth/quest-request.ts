import type { FastifyRequest } from 'fastify'
import type { Services } from '../services.ts'
import { CLAIM_QUESTS } from '../settings/scopes.ts'
import { subjectOf } from './access-log.ts'
import { refuseSecretsInUrl } from './client-credentials.ts'
import { insufficientScope, invalidRequest } from './errors.ts'
import { bodyOf, queryOf } from './http.ts'
import type { LiveToken } from './live-token.queries.ts'
import { type Parameters, readBody } from './parameters.ts'
import { readAccessToken } from './steps/read-access-token.ts'
import { requireLiveToken } from './steps/require-live-token.ts'

/**
 * Reads a request on a quest of the user of an access token with the scope quests:claim.
 * @throws OauthError invalid_request, invalid_token, insufficient_scope
 */
export async function readQuestRequest(
  services: Services,
  request: FastifyRequest,
  allowed: readonly string[],
): Promise<{ token: LiveToken; parameters: Parameters }> {
  refuseSecretsInUrl(queryOf(request))
  const token = await requireLiveToken(services, readAccessToken(request), subjectOf(request))
  if (!token.scopes.includes(CLAIM_QUESTS)) throw insufficientScope([CLAIM_QUESTS])
  const parameters = await readBody(request.headers['content-type'], bodyOf(request))
  const unknown = [...parameters.keys()].find((name) => !allowed.includes(name))
  if (unknown !== undefined) throw invalidRequest(`${unknown} is not a parameter; allowed: ${allowed.join(', ')}`)
  return { token, parameters }
}

/** The addresses that the user shares with the app. */
export function sharedAddresses({ scopes, shared }: LiveToken): string[] {
  return Object.entries(shared).flatMap(([kind, identity]) =>
    kind.endsWith('Address') && scopes.includes(kind) ? [identity.subject] : [],
  )
}
