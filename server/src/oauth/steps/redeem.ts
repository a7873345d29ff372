import { ACCESS_TOKEN_LIFETIME, REFRESH_TOKEN_LIFETIME } from '../../lifetimes.ts'
import { audit } from '../../audit/audit.ts'
import { later, nowOf, type Services } from '../../services.ts'
import { grantId, type Subject } from '../access-log.ts'
import type { App } from '../app.queries.ts'
import { redeemCode } from '../code.queries.ts'
import { judgeCode, OTHER_RESOURCE } from '../judge-code.ts'
import { invalidGrant, invalidRequest } from '../errors.ts'
import type { GrantFacts, NewTokens } from '../grant.queries.ts'
import { createIdToken } from '../id-token.ts'
import type { Parameters } from '../parameters.ts'
import { invalidTarget, readResource } from '../resources.ts'
import { OPENID, scopesWithin, spellScopes } from '../../settings/scopes.ts'
import { type IssuedCredential, issueCredential, readCredential } from '../../secrets/oauth-token-format.ts'
import type { TokenResponse } from '../token-response.ts'

/** The sender of a request to the token endpoint. */
export interface TokenRequester {
  network: string
  subject: Subject
}

/** grant_type=authorization_code (RFC 6749 4.1.3, RFC 7636 4.6). @throws OauthError */
export async function redeem(
  services: Services,
  app: App,
  parameters: Parameters,
  { network, subject }: TokenRequester,
): Promise<TokenResponse> {
  const resource = readResource(services.site, parameters)
  const code = parameters.get('code')
  if (code === undefined) throw invalidRequest('code is missing')
  const key = readCredential('code', code)
  if (!key) throw invalidGrant('code', 'not a code')
  subject.grant_id = grantId(key.family)
  const now = nowOf(services)
  const pair = issuePair(services, app, key.family, now)
  const facts = {
    clientId: app.clientId,
    redirectUri: parameters.get('redirect_uri'),
    verifier: parameters.get('code_verifier'),
    resource,
    needsS256: app.publicClient,
    now,
  }
  const outcome = await redeemCode(
    services.database,
    key,
    pair.stored,
    (stored) => judgeCode(stored, facts),
    (granted) => prepareResponse(services, app, granted, pair),
    (transaction, accountId) =>
      audit(services, { accountId, event: 'grant.code-replayed', clientId: app.clientId, network }, transaction),
  )
  if (!('refused' in outcome)) return outcome.prepared
  if (outcome.refused === OTHER_RESOURCE) throw invalidTarget(`The code is for another resource: ${OTHER_RESOURCE}`)
  throw invalidGrant('code', outcome.refused)
}

async function prepareResponse(
  services: Services,
  app: App,
  grant: GrantFacts,
  pair: IssuedPair,
): Promise<TokenResponse> {
  const scopes = scopesWithin(grant.scopes, app.scopes)
  const { serviceIdAliases } = services.config.identity
  const answer = { ...pair.answer, scope: spellScopes(scopes, grant.scopeNames, serviceIdAliases) }
  if (!scopes.includes(OPENID)) return answer
  const idToken = await createIdToken(services, {
    app,
    accountId: grant.accountId,
    nonce: grant.nonce,
    authenticatedAt: grant.authenticatedAt ?? pair.stored.now,
    sessionId: grant.sessionId,
    accessToken: pair.access.value,
  })
  return { ...answer, id_token: idToken }
}

export interface IssuedPair {
  access: IssuedCredential
  stored: NewTokens
  answer: Omit<TokenResponse, 'scope'>
}

/** New tokens of a family. Only apps with expiring tokens get a refresh token and an expiry. */
export function issuePair(services: Services, app: App, family: Buffer, now: Date, scopes?: string[]): IssuedPair {
  const access = issueCredential('access', services.random, family)
  const refresh = app.expiringTokens ? issueCredential('refresh', services.random, family) : undefined
  const expiresAt = app.expiringTokens ? later(now, ACCESS_TOKEN_LIFETIME) : null
  return {
    access,
    stored: {
      now,
      access: { ...access, expiresAt, scopes },
      refresh: refresh && { ...refresh, expiresAt: later(now, REFRESH_TOKEN_LIFETIME) },
    },
    answer: {
      access_token: access.value,
      token_type: 'Bearer',
      ...(refresh && { expires_in: ACCESS_TOKEN_LIFETIME / 1000, refresh_token: refresh.value }),
    },
  }
}
