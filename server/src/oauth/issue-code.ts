import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { CODE_LIFETIME } from '../lifetimes.ts'
import type { SessionRecord } from '../sessions/session.queries.ts'
import { later, nowOf, type Services } from '../services.ts'
import { OPENID } from '../settings/scopes.ts'
import type { App } from './app.queries.ts'
import type { Authorization } from './authorization.queries.ts'
import type { SharedIdentities } from './consent.queries.ts'
import { insertCode } from './code.queries.ts'
import { noteSessionApp } from './back-channel/session-apps.queries.ts'
import { answerUrl } from './redirect-uri.ts'
import { issueCredential } from '../secrets/oauth-token-format.ts'

/** Issues a code and returns the redirect to the app (RFC 6749 4.1.2, RFC 9207). */
export async function issueCode(
  services: Services,
  transaction: Transaction<DB>,
  app: Pick<App, 'clientId' | 'backchannelLogoutUri'>,
  authorization: Authorization,
  session: SessionRecord,
  granted: { scopes: string[]; shared: SharedIdentities },
): Promise<string> {
  const code = issueCredential('code', services.random)
  const shared = Object.fromEntries(Object.entries(granted.shared).filter(([scope]) => granted.scopes.includes(scope)))
  await insertCode(transaction, {
    key: code,
    clientId: app.clientId,
    accountId: session.accountId,
    redirectUri: authorization.redirectUri,
    scopes: granted.scopes,
    scopeNames: authorization.scopeNames,
    shared,
    challenge: authorization.challenge,
    nonce: authorization.nonce,
    resource: authorization.resource,
    authenticatedAt: session.authenticatedAt,
    sessionId: session.sessionId,
    expiresAt: later(nowOf(services), CODE_LIFETIME),
  })
  if (app.backchannelLogoutUri !== null && granted.scopes.includes(OPENID))
    await noteSessionApp(transaction, session.sessionId, app.clientId)
  return answerUrl(authorization.redirectUri, {
    code: code.value,
    state: authorization.state,
    iss: services.site.issuer,
  })
}
