import type { FastifyRequest } from 'fastify'
import { nowOf, type Services } from '../services.ts'
import { grantId, subjectOf } from './access-log.ts'
import { invalidRequest } from './errors.ts'
import { findLiveToken } from './live-token.queries.ts'
import { namesAccount, spellScopes } from '../settings/scopes.ts'
import { subjectFor } from './subject.ts'
import { readClientRequest } from './token.ts'
import { readCredential } from '../secrets/oauth-token-format.ts'

/**
 * `POST /oauth/introspect` (RFC 7662). Tokens of other apps return `{"active":false}`. `sub` is included only if the
 * scopes show the account. Apps without a server are refused, because anyone can send their client_id (RFC 7662 2.1);
 * they read the token detail instead. Errors are those of the token endpoint.
 */
export async function answerIntrospection(
  services: Services,
  request: FastifyRequest,
): Promise<Record<string, unknown>> {
  const { app, parameters } = await readClientRequest(services, request, { publicClients: false })
  const value = parameters.get('token')
  if (value === undefined) throw invalidRequest('token is missing')
  for (const kind of ['access', 'refresh'] as const) {
    const key = readCredential(kind, value)
    const token = key && (await findLiveToken(services.database, kind, key, nowOf(services)))
    if (token?.clientId !== app.clientId) continue
    if (key) subjectOf(request).grant_id = grantId(key.family)
    return {
      active: true,
      client_id: token.clientId,
      ...(namesAccount(token.scopes) && { sub: await subjectFor(services, app, token.accountId) }),
      scope: spellScopes(token.scopes, token.scopeNames, services.config.identity.serviceIdAliases),
      token_type: kind === 'access' ? 'Bearer' : 'refresh_token',
      ...(token.resource !== null && { aud: token.resource }),
      iss: services.site.issuer,
      iat: Math.floor(token.createdAt.getTime() / 1000),
      ...(token.expiresAt && { exp: Math.floor(token.expiresAt.getTime() / 1000) }),
    }
  }
  return { active: false }
}
