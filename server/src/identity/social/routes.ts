import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CHALLENGE_LIFETIME } from '../../lifetimes.ts'
import { hashOf } from '../../secrets/hashes.ts'
import { randomName } from '../../secrets/random-name.ts'
import { ApiError, tooManyRequests } from '../../errors.ts'
import { route } from '../../api/route.ts'
import { challengesByNetwork } from '../../rate-limits/limits.ts'
import { countAttempt } from '../../rate-limits/fixed-window.ts'
import { requireSameSession, type SignInCall, useProof } from '../challenge.ts'
import { insertChallenge, type StoredChallenge, takeChallenge } from '../challenge.queries.ts'
import { browserHashOf, ensureBrowser } from '../../sessions/cookies.ts'
import { identityError } from '../identity-error.ts'
import { signInDescriptions } from '../route-descriptions.ts'
import { sessionOf } from '../../sessions/session.ts'
import type { SessionRecord } from '../../sessions/session.queries.ts'
import { later, nowOf, type Services } from '../../services.ts'
import type { CallbackQuery } from './callback-query.ts'
import { challengeOf, type RedirectKind } from './redirect-kind.ts'
import type { StartQuery } from './start-query.ts'

const STATE_LENGTH = 43
const VERIFIER_LENGTH = 64
const NONCE_LENGTH = 32

const kindDataShape = z.object({ verifier: z.string(), nonce: z.string(), returnTo: z.string() })

/** `GET /identity/{kind}/start` and `GET /identity/{kind}/callback`. */
export function registerProviderSignIn(scope: FastifyInstance, services: Services): void {
  route(scope, services, signInDescriptions.start, async (call) =>
    call.reply.redirect(await start(call, call.resource)),
  )
  route(scope, services, signInDescriptions.callback, async (call) =>
    call.reply.redirect(await finish(call, call.resource)),
  )
}

type StartCall = SignInCall & { query: StartQuery; isFromForeignPage: boolean }
type CallbackCall = Omit<SignInCall, 'authenticate'> & { query: CallbackQuery }

async function start(
  { services, request, reply, authenticate, query, isFromForeignPage }: StartCall,
  kind: RedirectKind,
): Promise<string> {
  const { purpose, returnTo, hasReturn } = query
  const count = await countAttempt(services, challengesByNetwork, request.network)
  if (count.exceeded) throw tooManyRequests(count.retryAfter)
  // A foreign page must not replace its visitor's session unnoticed: our sign-in page asks first.
  if (purpose === 'sign-in' && isFromForeignPage && (await sessionOf(services, request)))
    return withParameters(services, '/sign-in', { return: returnTo })
  let session: SessionRecord | undefined
  try {
    session = purpose === 'sign-in' ? undefined : await authenticate({ recentSignIn: true })
  } catch (error) {
    if (error instanceof ApiError && hasReturn) return failurePage(services, returnTo, kind, error)
    throw error
  }
  const attempt = {
    verifier: randomName(services.random, VERIFIER_LENGTH),
    nonce: randomName(services.random, NONCE_LENGTH),
  }
  const state = randomName(services.random, STATE_LENGTH)
  const { url, clientId, scope } = await kind.authorizeUrl(services)
  await insertChallenge(services.database.kysely, {
    challengeId: state,
    browserHash: hashOf(ensureBrowser(services, request, reply)),
    sessionHash: session?.sessionHash ?? null,
    accountId: session?.accountId ?? null,
    kind: redirectName(kind),
    purpose,
    kindData: { ...attempt, returnTo },
    expiresAt: later(nowOf(services), CHALLENGE_LIFETIME),
  })
  const target = new URL(url)
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: callbackOf(services, kind),
    state,
    code_challenge: challengeOf(attempt.verifier),
    code_challenge_method: 'S256',
    nonce: attempt.nonce,
    ...(scope !== '' && { scope }),
  }
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value)
  return target.href
}

/** Returns the URL to redirect to. If the attempt belongs to this browser, errors redirect to its `return` path. */
async function finish({ services, request, reply, query }: CallbackCall, kind: RedirectKind): Promise<string> {
  const attempt = await takeAttempt(services, request, query.state, kind)
  const { returnTo, ...secrets } = kindDataShape.parse(attempt.kindData)
  try {
    const code = readCode(services, query, kind)
    const session = attempt.purpose === 'sign-in' ? undefined : await requireSameSession(services, request, attempt)
    const answer = { code, redirectUri: callbackOf(services, kind), ...secrets }
    const verified = { identity: await kind.identify(services, answer) }
    const proof = { purpose: attempt.purpose, session, kind: kind.kind, verified }
    const { merge } = await useProof(services, request, reply, proof)
    return merge ? withParameters(services, returnTo, { merge: merge.id }) : returnTo
  } catch (error) {
    if (error instanceof ApiError) return failurePage(services, returnTo, kind, error)
    throw error
  }
}

function failurePage(services: Services, returnTo: string, { kind }: RedirectKind, { code }: ApiError): string {
  return withParameters(services, returnTo, { identity_error: code, identity_kind: kind })
}

function withParameters({ site }: Services, path: string, parameters: Record<string, string>): string {
  const page = new URL(path, site.origin)
  for (const [name, value] of Object.entries(parameters)) page.searchParams.set(name, value)
  return page.pathname + page.search
}

async function takeAttempt(
  services: Services,
  request: FastifyRequest,
  state: string | undefined,
  kind: RedirectKind,
): Promise<StoredChallenge> {
  const browserHash = browserHashOf(services, request)
  const attempt =
    state !== undefined && /^[0-9A-Za-z]{1,64}$/.test(state) && browserHash
      ? await takeChallenge(services.database.kysely, state, browserHash, nowOf(services))
      : undefined
  if (attempt?.kind !== redirectName(kind))
    throw new ApiError(
      'challenge_gone',
      'This sign-in was not started in this browser, was finished, or is over; start again',
      // Not 404, which would mean that the URL is wrong: a parameter is.
      { status: 400 },
    )
  return attempt
}

/** @throws ApiError access_denied, bad_request */
function readCode({ config }: Services, { issuer, error, code }: CallbackQuery, kind: RedirectKind): string {
  if (issuer !== undefined && issuer !== kind.issuer(config))
    throw identityError('bad_request', 'The response came from another site', 'iss')
  if (error !== undefined) throw new ApiError('access_denied', 'The sign-in was not allowed')
  if (code === undefined || code === '' || code.length > 2048)
    throw identityError('bad_request', 'code is missing', 'code')
  return code
}

const callbackOf = ({ site }: Services, { kind }: RedirectKind) => `${site.issuer}/identity/${kind}/callback`
/** Differs from the kind's name, so that POST /api/challenges/{id}/proof does not accept such an attempt. */
const redirectName = ({ kind }: RedirectKind) => `${kind}.redirect`
