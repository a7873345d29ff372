import type { FastifyRequest } from 'fastify'
import type { Services } from '../services.ts'
import { claimedId, subjectOf } from './access-log.ts'
import type { App } from './app.queries.ts'
import { invalidClient } from './errors.ts'
import { readClientCredentials, refuseSecretsInUrl } from './client-credentials.ts'
import { storedClientId } from './client-metadata/client-url.ts'
import { bodyOf, queryOf } from './http.ts'
import { type Parameters, readBody } from './parameters.ts'
import { authenticateClient, type ClientRules } from './steps/authenticate-client.ts'
import { failSlowly } from './steps/fail-slowly.ts'
import { readGrantType } from './steps/read-grant-type.ts'
import { redeem } from './steps/redeem.ts'
import { refresh } from './steps/refresh.ts'
import type { TokenResponse } from './token-response.ts'

/** `POST /oauth/auth/2/token` (docs/oauth.md, steps 2 and 3; RFC 6749 3.2). */
export async function answerTokenRequest(
  services: Services,
  request: FastifyRequest,
  { app, parameters }: ClientRequest,
): Promise<TokenResponse> {
  const grantType = readGrantType(parameters)
  const from = { network: request.network, subject: subjectOf(request) }
  const grant = grantType === 'refresh_token' ? refresh : redeem
  return failSlowly(services.clock, () => grant(services, app, parameters, from))
}

export interface ClientRequest {
  app: App
  parameters: Parameters
}

/** The common steps of all endpoints for apps: body, credentials, app. @throws OauthError */
export async function readClientRequest(
  services: Services,
  request: FastifyRequest,
  rules: ClientRules,
): Promise<ClientRequest> {
  refuseSecretsInUrl(queryOf(request))
  const parameters = await readBody(request.headers['content-type'], bodyOf(request))
  const given = readClientCredentials(request.headers.authorization, parameters)
  const credentials = { ...given, clientId: storedClientId(given.clientId) }
  const subject = subjectOf(request)
  const claimed = claimedId(credentials.clientId)
  if (claimed !== undefined) subject.client_id = claimed
  return failSlowly(services.clock, async () => {
    const app = await authenticateClient(services, credentials, request.network, rules)
    if (app.metadataUrl !== null && app.metadataUrl !== given.clientId) throw invalidClient('the id of a copy')
    return { app, parameters }
  })
}
