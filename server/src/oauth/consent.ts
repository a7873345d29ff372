import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { DB } from '../database/tables.ts'
import { type Identity, listIdentities } from '../accounts/account.queries.ts'
import { ApiError, conflict, invalidField, signInRequired } from '../errors.ts'
import type { AnyCaller } from '../api/route.ts'
import { audit } from '../audit/audit.ts'
import { browserHashesOf } from '../sessions/cookies.ts'
import { sessionOf } from '../sessions/session.ts'
import { linkWays } from '../identity/kinds-view.ts'
import { viewAccount } from '../sessions/session-view.ts'
import type { SessionRecord } from '../sessions/session.queries.ts'
import { nowOf, type Services } from '../services.ts'
import { withSession } from '../sessions/with-account.ts'
import { type App, findApp } from './app.queries.ts'
import { refusalUrl } from './authorize.ts'
import { type Authorization, closeAuthorization, findAuthorization } from './authorization.queries.ts'
import { findConsent, holdConsent, saveConsent, type SharedIdentities } from './consent.queries.ts'
import { OauthError } from './errors.ts'
import { isOtherExpected, needsNewSignIn } from './fresh-sign-in.ts'
import { isHostAllowed, mayReturnTo, publisherOf } from './client-metadata/client-url.ts'
import { isRegistered } from './redirect-uri.ts'
import { issueCode } from './issue-code.ts'
import { isIdentityScope, scopesWithin } from '../settings/scopes.ts'
import { fault } from '../texts/faults.ts'

export const decisionShape = z.object({
  decision: z.enum(['allow', 'deny']),
  account: z
    .guid()
    .optional()
    .describe('Id of the account that the page showed; if another account is signed in, the request fails'),
  /** For each scope, the subject of the identity that the user shares. */
  identities: z.record(z.string().max(40), z.string().max(200)).default({}),
})

const gone = () =>
  new ApiError(
    'authorization_gone',
    'This request was decided, has expired, or was made in another browser; start again from the app',
  )

/** `GET /api/authorizations/{id}`: the content of the consent page. @throws ApiError */
export async function viewAuthorization(
  services: Services,
  request: FastifyRequest,
  { authorization, app }: PendingAuthorization,
): Promise<Record<string, unknown>> {
  const session = await sessionOf(services, request)
  const signedIn = session && !needsNewSignIn(authorization, session) ? session : undefined
  const identities = signedIn ? await offeredIdentities(services.database.kysely, signedIn) : []
  const consent = signedIn && (await findConsent(services.database.kysely, signedIn.accountId, app.clientId))
  const scopes = requestedScopes(authorization, app, consent?.scopes)
  return {
    app: {
      clientId: app.clientId,
      name: app.name,
      homepage: app.homepage,
      logo: app.hasLogo ? `/app-logos/${app.clientId}` : null,
      returnsTo: new URL(authorization.redirectUri).host || new URL(authorization.redirectUri).protocol,
      publisher: publisherOf(app),
    },
    scopes: scopes.map((scope) => {
      const own = identities.filter((identity) => identity.kind === scope)
      const missing = isIdentityScope(scope) && own.length === 0
      return {
        scope,
        identities: own.map(({ subject, username }) => ({ subject, username })),
        picked: pickedBefore(consent?.shared, scope, own),
        missing,
        link: missing ? linkWays(services, scope, `/authorize/${authorization.authorizationId}`) : [],
      }
    }),
    otherAccountExpected: session !== undefined && isOtherExpected(authorization, session),
    account: signedIn ? await viewAccount(services, signedIn.accountId) : null,
    chooseAccount: authorization.prompt.includes('select_account'),
    expiresAt: authorization.expiresAt.toISOString(),
  }
}

/** `POST /api/authorizations/{id}`: stores the user's decision. Returns the URL to navigate to. @throws ApiError */
export async function decideAuthorization(
  { services, request, authenticate }: AnyCaller & { services: Services; request: FastifyRequest },
  { authorization, app }: PendingAuthorization,
  body: z.infer<typeof decisionShape>,
): Promise<{ redirect: string }> {
  if (body.decision === 'deny') return deny(services, authorization)
  const session = await authenticate()
  if (needsNewSignIn(authorization, session)) throw signInRequired()
  if (body.account !== undefined && body.account.toLowerCase() !== session.accountId)
    throw conflict(
      'account_changed',
      'Another account has signed in to this browser; check the account, and decide again',
    )
  const now = nowOf(services)
  // The transaction locks the account, so that concurrent requests cannot delete the account or unlink a shared
  // identity.
  return withSession(services, session, async (transaction) => {
    if (!(await closeAuthorization(transaction, authorization.authorizationId, now))) throw gone()
    const before = await holdConsent(transaction, session.accountId, authorization.clientId)
    const scopes = requestedScopes(authorization, app, before?.scopes)
    const offered = await offeredIdentities(transaction, session)
    const shared = pickIdentities(scopes, offered, body.identities)
    await saveConsent(transaction, session.accountId, authorization.clientId, { scopes, shared }, now)
    const redirect = await issueCode(services, transaction, app, authorization, session, { scopes, shared })
    await audit(
      services,
      {
        accountId: session.accountId,
        event: 'consent.granted',
        clientId: authorization.clientId,
        network: request.network,
        details: { scopes: scopes.join(' '), ...(app.metadataUrl !== null && { url: app.metadataUrl }) },
      },
      transaction,
    )
    return { redirect }
  })
}

async function deny(services: Services, authorization: Authorization): Promise<{ redirect: string }> {
  const closed = await services.database.kysely
    .transaction()
    .execute((transaction) => closeAuthorization(transaction, authorization.authorizationId, nowOf(services)))
  if (!closed) throw gone()
  const refusal = new OauthError('access_denied', 'The user refused')
  return { redirect: refusalUrl(services, authorization.redirectUri, authorization.state, refusal) }
}

interface PendingAuthorization {
  authorization: Authorization
  app: App
}

type AuthorizationCaller = { services: Services; request: FastifyRequest; params: { id: string } }

/** The pending request of the path, for the browser that made it. @throws ApiError if it is gone or its app is not approved */
export async function pendingAuthorization({
  services,
  request,
  params: { id },
}: AuthorizationCaller): Promise<PendingAuthorization> {
  const hashes = browserHashesOf(services, request, id)
  const authorization =
    hashes.length > 0 ? await findAuthorization(services.database.kysely, id, hashes, nowOf(services)) : undefined
  const app = authorization && (await findApp(services.database, authorization.clientId))
  if (!authorization || app?.status !== 'approved') throw gone()
  // While the consent page was open, the owner may have removed the redirect URI, or the operator the host of the app.
  if (!isRegistered(app, authorization.redirectUri)) throw gone()
  if (!isHostAllowed(services, app) || !mayReturnTo(services, app, authorization.redirectUri)) throw gone()
  return { authorization, app }
}

/** If the app requested no scopes, returns the scopes that the user granted earlier. */
function requestedScopes(authorization: Authorization, app: App, before: string[] | undefined): string[] {
  return scopesWithin(authorization.scopes.length > 0 ? authorization.scopes : (before ?? []), app.scopes)
}

type Offered = Pick<Identity, 'kind' | 'subject' | 'username'>

/** Returns the linked identities in the order of linking, followed by the ServiceID of the account. */
async function offeredIdentities(kysely: Kysely<DB>, session: SessionRecord): Promise<Offered[]> {
  const linked = await listIdentities(kysely, session.accountId)
  return [...linked, { kind: 'ServiceID', subject: session.accountId, username: session.username }]
}

function pickedBefore(shared: SharedIdentities | undefined, scope: string, own: Offered[]): string | null {
  const before = isIdentityScope(scope) ? shared?.[scope]?.subject : undefined
  return own.find((identity) => identity.subject === before)?.subject ?? own[0]?.subject ?? null
}

function pickIdentities(scopes: string[], own: Offered[], picks: Record<string, string>): SharedIdentities {
  const shared: SharedIdentities = {}
  for (const name of Object.keys(picks))
    if (!scopes.includes(name))
      throw invalidField(`identities.${name}`, 'was not requested by the app', fault('not_allowed'))
  for (const scope of scopes.filter(isIdentityScope)) {
    const candidates = own.filter((identity) => identity.kind === scope)
    const pick = Object.hasOwn(picks, scope) ? picks[scope] : candidates[0]?.subject
    if (pick === undefined) continue
    const identity = candidates.find((candidate) => candidate.subject === pick)
    if (!identity)
      throw invalidField(
        `identities.${scope}`,
        'must be an identity that is linked to your account',
        fault('not_linked'),
      )
    shared[scope] = { subject: identity.subject, username: identity.username }
  }
  return shared
}
