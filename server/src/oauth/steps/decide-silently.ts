import { listIdentities } from '../../accounts/account.queries.ts'
import type { SessionRecord } from '../../sessions/session.queries.ts'
import type { Services } from '../../services.ts'
import type { App } from '../app.queries.ts'
import type { Authorization } from '../authorization.queries.ts'
import { type Consent, findConsent } from '../consent.queries.ts'
import { OauthError } from '../errors.ts'
import { isOnDevice } from '../redirect-uri.ts'
import { isIdentityScope, scopesWithin } from '../../settings/scopes.ts'
import { needsNewSignIn } from '../fresh-sign-in.ts'

export interface SilentAnswer {
  session: SessionRecord
  scopes: string[]
}

export type SilentDecision = { ask: true } | ({ ask: false } & SilentAnswer)

/**
 * Decides whether the user must see a page. No page is needed for scopes that the user has already granted to this app. A
 * request without scopes means the scopes granted before. Without PKCE or without a secret, any program on the user's
 * device may act as the app at a loopback or private-use redirect URI, so a page is always shown (RFC 8252 8.6).
 * @throws OauthError login_required, consent_required for prompt=none
 */
export async function decideSilently(
  services: Services,
  app: App,
  authorization: Authorization,
  session: SessionRecord | undefined,
): Promise<SilentDecision> {
  const silent = authorization.prompt.includes('none')
  if (!session || needsNewSignIn(authorization, session)) {
    if (silent) throw new OauthError('login_required', 'The user is not signed in')
    return { ask: true }
  }
  const consent = await findConsent(services.database.kysely, session.accountId, authorization.clientId)
  const covered = consent !== undefined && authorization.scopes.every((scope) => consent.scopes.includes(scope))
  if (!covered) {
    if (silent) throw new OauthError('consent_required', 'The user has not granted these scopes to this app')
    return { ask: true }
  }
  if ((!app.s256Only || app.publicClient) && isOnDevice(authorization.redirectUri)) {
    if (silent)
      throw new OauthError('consent_required', 'This app needs the consent page at this redirect URI on the device')
    return { ask: true }
  }
  if (!silent && (await hasNewToShare(services, authorization, session, consent))) return { ask: true }
  if (authorization.prompt.some((prompt) => prompt === 'consent' || prompt === 'select_account')) return { ask: true }
  const scopes = authorization.scopes.length > 0 ? authorization.scopes : scopesWithin(consent.scopes, app.scopes)
  return { ask: false, session, scopes }
}

/** Whether the user has linked a requested identity since the last consent, so that the page offers a choice. */
async function hasNewToShare(
  services: Services,
  { scopes }: Authorization,
  session: SessionRecord,
  consent: Consent,
): Promise<boolean> {
  const unshared = scopes.filter((scope) => isIdentityScope(scope) && consent.shared[scope] === undefined)
  if (unshared.length === 0) return false
  const identities = await listIdentities(services.database.kysely, session.accountId)
  return identities.some((identity) => unshared.includes(identity.kind))
}
