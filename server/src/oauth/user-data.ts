import type { FastifyRequest } from 'fastify'
import type { Services } from '../services.ts'
import { subjectOf } from './access-log.ts'
import { refuseSecretsInUrl } from './client-credentials.ts'
import { findApp } from './app.queries.ts'
import { insufficientScope, invalidRequest, invalidToken } from './errors.ts'
import { queryOf } from './http.ts'
import type { LiveToken } from './live-token.queries.ts'
import { currentNames } from './names.queries.ts'
import { readQuery } from './parameters.ts'
import { findScope, hasName, isIdentityScope, OPENID, userDataKeys } from '../settings/scopes.ts'
import { readAccessToken, readPostedAccessToken } from './steps/read-access-token.ts'
import { requireLiveToken } from './steps/require-live-token.ts'
import { subjectFor } from './subject.ts'

/**
 * `GET /oauth/api/2/user` (docs/oauth.md, step 5): the shared identities as flat keys. Scopes that were not granted or
 * have no identity are omitted. Errors: invalid_request 400, invalid_token 401, insufficient_scope 403 if no requested
 * scope was granted.
 */
export async function answerUserData(services: Services, request: FastifyRequest): Promise<Record<string, string>> {
  refuseSecretsInUrl(queryOf(request))
  const asked = readAskedScopes(queryOf(request), services.config.identity.serviceIdAliases)
  const token = await requireLiveToken(services, readAccessToken(request), subjectOf(request))
  const { scopes } = token
  if (asked.length > 0 && !asked.some((scope) => scopes.includes(scope))) throw insufficientScope(asked)
  return userData(services, token, asked.length > 0 ? asked : scopes)
}

/** `GET` and `POST /oauth/userinfo` (OpenID Connect Core 5.3): user data, for tokens with the scope openid. */
export async function answerUserInfo(services: Services, request: FastifyRequest): Promise<Record<string, string>> {
  refuseSecretsInUrl(queryOf(request))
  const token = await requireLiveToken(services, await readPostedAccessToken(request), subjectOf(request))
  if (!token.scopes.includes(OPENID)) throw insufficientScope([OPENID])
  const app = await findApp(services.database, token.clientId)
  if (!app) throw invalidToken('the app was deleted')
  return { sub: await subjectFor(services, app, token.accountId), ...(await userData(services, token, token.scopes)) }
}

/** Keeps unknown names; they count as not granted. */
function readAskedScopes(query: string, aliases: readonly string[]): string[] {
  const asked = (readQuery(query).get('scope') ?? '').split(' ').filter((scope) => scope !== '')
  if (asked.some((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/.test(scope)))
    throw invalidRequest('scope must be scopes separated by spaces')
  return [...new Set(asked.map((name) => findScope(name, aliases) ?? name))]
}

/** Returns the identities that the user chose with their current usernames, because an old username may have a new owner. */
async function userData(
  services: Services,
  { accountId, scopes: granted, shared }: LiveToken,
  wanted: readonly string[],
): Promise<Record<string, string>> {
  const scopes = wanted.filter((scope) => granted.includes(scope)).filter(isIdentityScope)
  const names = scopes.some(hasName) ? await currentNames(services.database, accountId) : undefined
  const aliases = services.config.identity.serviceIdAliases
  const parts = scopes.map((scope) => {
    const identity = shared[scope]
    if (!identity) return {}
    return userDataKeys(scope, { ...identity, username: names?.of(scope, identity.subject) ?? null }, aliases)
  })
  return Object.assign({}, ...parts) as Record<string, string>
}
