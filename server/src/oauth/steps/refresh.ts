import { audit } from '../../audit/audit.ts'
import { nowOf, type Services } from '../../services.ts'
import { grantId } from '../access-log.ts'
import type { App } from '../app.queries.ts'
import { invalidGrant, invalidRequest, invalidScope } from '../errors.ts'
import { rotateRefreshToken } from '../grant.queries.ts'
import type { Parameters } from '../parameters.ts'
import { judgeRefresh } from '../judge-refresh.ts'
import { invalidTarget, readResource } from '../resources.ts'
import { scopesWithin, spellScopes } from '../../settings/scopes.ts'
import { readScopes } from '../read-scopes.ts'
import type { TokenResponse } from '../token-response.ts'
import { readCredential } from '../../secrets/oauth-token-format.ts'
import { type TokenRequester, issuePair } from './redeem.ts'

/** grant_type=refresh_token (RFC 6749 6, RFC 9700 4.14). @throws OauthError */
export async function refresh(
  services: Services,
  app: App,
  parameters: Parameters,
  { network, subject }: TokenRequester,
): Promise<TokenResponse> {
  const resource = readResource(services.site, parameters)
  const value = parameters.get('refresh_token')
  if (value === undefined) throw invalidRequest('refresh_token is missing')
  const key = readCredential('refresh', value)
  if (!key) throw invalidGrant('refresh_token', 'not a refresh token')
  const { serviceIdAliases } = services.config.identity
  const asked = parameters.has('scope') ? readScopes(parameters.get('scope'), serviceIdAliases) : undefined
  const scopes = asked?.scopes
  subject.grant_id = grantId(key.family)
  const now = nowOf(services)
  const pair = issuePair(services, app, key.family, now, scopes)
  const { clientId, expiringTokens: appHasExpiringTokens } = app
  const { verdict, grant } = await rotateRefreshToken(
    services.database,
    key,
    pair.stored,
    (stored) => judgeRefresh(stored, { clientId, appHasExpiringTokens, scopes, resource, now }),
    (transaction, accountId) =>
      audit(services, { accountId, event: 'grant.refresh-token-replayed', clientId, network }, transaction),
  )
  if (verdict.act === 'widen') throw invalidScope(`The scope ${verdict.reason} was not granted`)
  if (verdict.act === 'retarget') throw invalidTarget('The refresh_token is for another resource')
  if (verdict.act !== 'rotate') throw invalidGrant('refresh_token', verdict.reason)
  const granted = scopesWithin(scopes ?? grant?.scopes ?? [], app.scopes)
  const names = asked ? asked.names : (grant?.scopeNames ?? null)
  return { ...pair.answer, scope: spellScopes(granted, names, serviceIdAliases) }
}
