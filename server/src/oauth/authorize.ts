import type { FastifyReply, FastifyRequest } from 'fastify'
import { AUTHORIZATION_LIFETIME } from '../lifetimes.ts'
import { type RateLimit, authorizationsByNetwork, longAuthorizationsByNetwork } from '../rate-limits/limits.ts'
import { countAttempt } from '../rate-limits/fixed-window.ts'
import { lockAccount } from '../accounts/account.queries.ts'
import { ensureBrowser } from '../sessions/cookies.ts'
import { sessionOf } from '../sessions/session.ts'
import { holdSession } from '../sessions/session.queries.ts'
import { later, nowOf, type Services } from '../services.ts'
import type { App } from './app.queries.ts'
import { type Authorization, insertAuthorization } from './authorization.queries.ts'
import { holdConsent } from './consent.queries.ts'
import { OauthError } from './errors.ts'
import { bodyOf, queryOf } from './http.ts'
import { issueCode } from './issue-code.ts'
import { RequestPageError } from './page-error.ts'
import { type Parameters, readBody, readQuery } from './parameters.ts'
import { answerUrl } from './redirect-uri.ts'
import { readResource, requireResource } from './resources.ts'
import { MCP } from '../settings/scopes.ts'
import { checkRedirectUri } from './steps/check-redirect-uri.ts'
import { checkResponse } from './steps/check-response.ts'
import { decideSilently, type SilentAnswer } from './steps/decide-silently.ts'
import { findApprovedApp } from './steps/find-approved-app.ts'
import { readChallenge } from './steps/read-challenge.ts'
import { readHint } from './steps/read-hint.ts'
import { readPrompts } from './steps/read-prompts.ts'
import { readRequestedScopes } from './steps/read-requested-scopes.ts'
import { refuseRequestObjects } from './steps/refuse-request-objects.ts'
import { requireState } from './steps/require-state.ts'
import { hashOf } from '../secrets/hashes.ts'
import { randomName } from '../secrets/random-name.ts'

const ID_LENGTH = 32
/**
 * A state with more characters is long. It is allowed, because some libraries (ASP.NET Core) put the return URL and the
 * PKCE verifier into it. A network has a separate, lower limit for stored requests with a long state.
 */
const LONG_STATE = 1500

/**
 * `GET /oauth` (docs/oauth.md, step 1; RFC 6749 4.1.1). Returns the URL to redirect to. An OauthError redirects
 * to the app, with `error`, `state` and `iss`.
 * @throws RequestPageError if the query string cannot be read, the app is not approved, the redirect_uri is not
 * registered, or the network sent too many requests
 */
export async function authorize(services: Services, request: FastifyRequest, reply: FastifyReply): Promise<string> {
  await limitRequests(services, request, authorizationsByNetwork)
  const query = readQueryForPage(queryOf(request))
  const app = await findApprovedApp(services, query, request.network)
  const redirectUri = checkRedirectUri(services, app, query)
  try {
    const authorization = await checkRequest(services, app, redirectUri, query)
    return await proceed(services, request, reply, app, authorization)
  } catch (error) {
    if (!(error instanceof OauthError)) throw error
    return refusalUrl(services, redirectUri, query.get('state'), error)
  }
}

export async function limitRequests(services: Services, request: FastifyRequest, limit: RateLimit): Promise<void> {
  const count = await countAttempt(services, limit, request.network)
  if (count.exceeded) throw new RequestPageError('tooManyRequests', { status: 429 })
}

const MAX_QUERY_LENGTH = 8000

/**
 * Handles `POST` to the authorization or logout endpoint. Returns the URL of the same request as a GET: the parameters of
 * the form become the query. Browsers send no cookies with a form of another site (SameSite=Lax), but send them after the
 * redirect. Without the redirect, the service would set a new cookie, and sign-in pages in other tabs would fail.
 * @throws RequestPageError 415 for another media type, 413 if the query would be too long
 */
export async function sameRequestByGet(services: Services, request: FastifyRequest, path: string): Promise<string> {
  const form = await readFormForPage(request)
  const query = readQueryForPage(queryOf(request))
  const twice = [...form.keys()].find((name) => query.has(name))
  if (twice !== undefined)
    throw new RequestPageError('invalid', { detail: `${pageLabel(twice)} occurs more than once.` })
  const text = new URLSearchParams([...query, ...form]).toString()
  if (text.length > MAX_QUERY_LENGTH) throw new RequestPageError('tooLong', { status: 413 })
  return `${services.site.issuer}${path}?${text}`
}

/** The redirect with an error (RFC 6749 4.1.2.1, RFC 9207 2). */
export function refusalUrl(
  services: Services,
  redirectUri: string,
  state: string | undefined,
  error: OauthError,
): string {
  const { error: code, error_description } = error.body
  const answer = { error: code, error_description, ...(state !== undefined && { state }) }
  return answerUrl(redirectUri, { ...answer, iss: services.site.issuer })
}

async function checkRequest(
  services: Services,
  app: App,
  redirectUri: string,
  query: Parameters,
): Promise<Authorization> {
  checkResponse(query)
  refuseRequestObjects(query)
  const state = requireState(query)
  const resource = readResource(services.site, query)
  // MCP clients may omit the scope. The MCP resource has only one, so this scope is used.
  const wanted = resource !== undefined && !query.has('scope') ? new Map([...query, ['scope', MCP]]) : query
  const { scopes, names } = readRequestedScopes(app, wanted, services.config.identity.serviceIdAliases)
  requireResource(services.site, scopes, resource)
  const challenge = readChallenge(app, query)
  const prompts = readPrompts(query)
  const hintedAccountId = await readHint(services, app, query, prompts)
  const createdAt = nowOf(services)
  return {
    authorizationId: randomName(services.random, ID_LENGTH),
    clientId: app.clientId,
    redirectUri,
    scopes,
    scopeNames: names,
    state,
    challenge,
    ...prompts,
    resource,
    hintedAccountId,
    createdAt,
    expiresAt: later(createdAt, AUTHORIZATION_LIFETIME),
  }
}

async function proceed(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  app: App,
  authorization: Authorization,
): Promise<string> {
  const session = await sessionOf(services, request)
  const decision = await decideSilently(services, app, authorization, session)
  const answer = decision.ask ? undefined : await answerSilently(services, app, authorization, decision)
  if (answer !== undefined) return answer
  if (authorization.prompt.includes('none'))
    throw new OauthError('consent_required', 'The session or the consent has ended')
  if (authorization.state.length > LONG_STATE) await limitRequests(services, request, longAuthorizationsByNetwork)
  const browser = ensureBrowser(services, request, reply, authorization.authorizationId)
  await insertAuthorization(services.database.kysely, authorization, hashOf(browser))
  return `${services.site.issuer}/authorize/${authorization.authorizationId}`
}

/**
 * Issues a code and returns the redirect to the app. Returns undefined if, since decideSilently, the account or the session
 * was deleted, or the consent no longer has all scopes.
 */
async function answerSilently(
  services: Services,
  app: App,
  authorization: Authorization,
  { session, scopes }: SilentAnswer,
): Promise<string | undefined> {
  return services.database.kysely.transaction().execute(async (transaction) => {
    if (!(await lockAccount(transaction, session.accountId)) || !(await holdSession(transaction, session)))
      return undefined
    const consent = await holdConsent(transaction, session.accountId, authorization.clientId)
    if (!consent || !scopes.every((scope) => consent.scopes.includes(scope))) return undefined
    return issueCode(services, transaction, app, authorization, session, { scopes, shared: consent.shared })
  })
}

/** Standard parameters of both endpoints (RFC 6749, 7636, 8707; OpenID Connect Core and RP-Initiated Logout). */
const STANDARD_PARAMETERS = new Set([
  ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'resource', 'nonce', 'prompt'],
  ...['code_challenge', 'code_challenge_method', 'max_age', 'acr_values', 'claims', 'claims_locales', 'display'],
  ...['id_token_hint', 'login_hint', 'ui_locales', 'request', 'request_uri', 'registration'],
  ...['post_logout_redirect_uri', 'logout_hint'],
])

/** An error page names only standard parameters, because a link can have any text as the name of a parameter. */
const pageLabel = (name: string): string => (STANDARD_PARAMETERS.has(name) ? `The parameter ${name}` : 'A parameter')

export function readQueryForPage(text: string): Parameters {
  try {
    return readQuery(text, pageLabel)
  } catch (error) {
    throw asPageError(error)
  }
}

async function readFormForPage(request: FastifyRequest): Promise<Parameters> {
  const mediaType = request.headers['content-type']
  if (mediaType?.split(';')[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    throw new RequestPageError('mediaType', { status: 415 })
  return readBody(mediaType, bodyOf(request), pageLabel).catch((error: unknown) => {
    throw asPageError(error)
  })
}

export const asPageError = (error: unknown) =>
  error instanceof OauthError
    ? new RequestPageError('invalid', { status: error.status, detail: `${error.message}.` })
    : error
