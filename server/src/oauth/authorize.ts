import type { FastifyReply, FastifyRequest } from 'fastify'
import { AUTHORIZATION_LIFETIME } from '../lifetimes.ts'
import { authorizationsByAddress, countAttempt, networkOf } from '../identity/attempts.ts'
import { lockAccount } from '../identity/account.queries.ts'
import { ensureBrowser } from '../identity/cookies.ts'
import { sessionOf } from '../identity/session.ts'
import { later, nowOf, type SignIn } from '../identity/sign-in.ts'
import type { App } from './app.queries.ts'
import { type Authorization, insertAuthorization } from './authorization.queries.ts'
import { findConsent } from './consent.queries.ts'
import { OauthError } from './errors.ts'
import { queryOf } from './http.ts'
import { issueCode } from './issue-code.ts'
import { RequestPageError } from './page-error.ts'
import { type Parameters, readQuery } from './parameters.ts'
import { answerUrl } from './redirect-uri.ts'
import { checkRedirectUri } from './steps/check-redirect-uri.ts'
import { checkResponse } from './steps/check-response.ts'
import { decideSilently, type SilentAnswer } from './steps/decide-silently.ts'
import { findApprovedApp } from './steps/find-approved-app.ts'
import { readChallenge } from './steps/read-challenge.ts'
import { readPrompts } from './steps/read-prompts.ts'
import { readRequestedScopes } from './steps/read-requested-scopes.ts'
import { refuseRequestObjects } from './steps/refuse-request-objects.ts'
import { requireState } from './steps/require-state.ts'
import { hashOf, randomName } from './token-format.ts'

const ID_LENGTH = 32

/**
 * `GET /oauth` (contract 4, step 1; RFC 6749 4.1.1). Answers where to send the browser.
 * A page, never a redirect, for: bad parameters, unknown or unapproved app, unregistered redirect_uri, too many requests.
 * A redirect to the app, with state and iss, for: unsupported_response_type, invalid_request, request_not_supported,
 * request_uri_not_supported, invalid_scope, login_required, consent_required. @throws RequestPageError
 */
export async function authorize(signIn: SignIn, request: FastifyRequest, reply: FastifyReply): Promise<string> {
  const count = await countAttempt(signIn, authorizationsByAddress, networkOf(request.ip))
  if (count.exceeded) throw new RequestPageError('Too many sign-in requests from this network; try again later.', 429)
  const query = readQueryForPage(queryOf(request))
  const app = await findApprovedApp(signIn, query)
  const redirectUri = checkRedirectUri(app, query)
  try {
    const authorization = checkRequest(signIn, app, redirectUri, query)
    return await proceed(signIn, request, reply, authorization)
  } catch (error) {
    if (!(error instanceof OauthError)) throw error
    return refusalUrl(signIn, redirectUri, query.get('state'), error)
  }
}

/** The error as the app receives it (RFC 6749 4.1.2.1, RFC 9207 2). */
export function refusalUrl(signIn: SignIn, redirectUri: string, state: string | undefined, error: OauthError): string {
  return answerUrl(redirectUri, { ...error.body, ...(state !== undefined && { state }), iss: signIn.site.issuer })
}

function checkRequest(signIn: SignIn, app: App, redirectUri: string, query: Parameters): Authorization {
  checkResponse(query)
  refuseRequestObjects(query)
  const state = requireState(query)
  const scopes = readRequestedScopes(app, query)
  const challenge = readChallenge(app, query)
  const prompts = readPrompts(query)
  const createdAt = nowOf(signIn)
  return {
    authorizationId: randomName(signIn.random, ID_LENGTH),
    clientId: app.clientId,
    redirectUri,
    scopes,
    state,
    challenge,
    ...prompts,
    createdAt,
    expiresAt: later(createdAt, AUTHORIZATION_LIFETIME),
  }
}

async function proceed(
  signIn: SignIn,
  request: FastifyRequest,
  reply: FastifyReply,
  authorization: Authorization,
): Promise<string> {
  const session = await sessionOf(signIn, request)
  const decision = await decideSilently(signIn, authorization, session)
  const answer = decision.ask ? undefined : await answerSilently(signIn, authorization, decision)
  if (answer !== undefined) return answer
  if (authorization.prompt.includes('none')) throw new OauthError('consent_required', 'The user took the consent back')
  const browser = ensureBrowser(signIn, request, reply)
  await insertAuthorization(signIn.database.kysely, authorization, hashOf(browser))
  return `${signIn.site.issuer}/authorize/${authorization.authorizationId}`
}

/** The answer without a page; undefined when the consent was taken back, or an identity unlinked, since it was looked at. */
async function answerSilently(
  signIn: SignIn,
  authorization: Authorization,
  { session, scopes }: SilentAnswer,
): Promise<string | undefined> {
  return signIn.database.kysely.transaction().execute(async (transaction) => {
    if (!(await lockAccount(transaction, session.accountId))) return undefined
    const consent = await findConsent(transaction, session.accountId, authorization.clientId)
    if (!consent || !scopes.every((scope) => consent.scopes.includes(scope))) return undefined
    return issueCode(signIn, transaction, authorization, session, { scopes, shared: consent.shared })
  })
}

function readQueryForPage(text: string): Parameters {
  try {
    return readQuery(text)
  } catch (error) {
    if (error instanceof OauthError) throw new RequestPageError(`${error.message}.`)
    throw error
  }
}
