import type { FastifyRequest } from 'fastify'
import { audit } from '../audit/audit.ts'
import { nowOf, type Services } from '../services.ts'
import { grantId, subjectOf } from './access-log.ts'
import { invalidRequest } from './errors.ts'
import { revokeAccessToken, revokeByRefreshToken } from './grant.queries.ts'
import type { ClientRequest } from './token.ts'
import { readCredential } from '../secrets/oauth-token-format.ts'

/**
 * `POST /oauth/revoke` (RFC 7009): revokes one access token, or the whole grant of a refresh token. Unknown tokens and
 * tokens of other apps return the same `{}`. Errors are those of the token endpoint.
 */
export async function answerRevocation(
  services: Services,
  request: FastifyRequest,
  { app, parameters }: ClientRequest,
): Promise<Record<string, never>> {
  const value = parameters.get('token')
  if (value === undefined) throw invalidRequest('token is missing')
  const access = readCredential('access', value)
  if (access) await revokeAccessToken(services.database, access, app.clientId)
  const refresh = readCredential('refresh', value)
  const key = access ?? refresh
  if (key) subjectOf(request).grant_id = grantId(key.family)
  if (refresh) {
    const { clientId } = app
    const { network } = request
    await revokeByRefreshToken(services.database, refresh, clientId, nowOf(services), (transaction, accountId) =>
      audit(services, { accountId, event: 'grant.revoked-by-app', clientId, network }, transaction),
    )
  }
  return {}
}
