import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { CODE_LIFETIME } from '../lifetimes.ts'
import type { SessionRecord } from '../sessions/session.queries.ts'
import { later, nowOf, type Services } from '../services.ts'
import type { Authorization } from './authorization.queries.ts'
import type { SharedIdentities } from './consent.queries.ts'
import { insertCode } from './code.queries.ts'
import { answerUrl } from './redirect-uri.ts'
import { issueCredential } from '../secrets/oauth-token-format.ts'

/** Issues a code and returns the redirect to the app (RFC 6749 4.1.2, RFC 9207). */
export async function issueCode(
  services: Services,
  transaction: Transaction<DB>,
  authorization: Authorization,
  session: SessionRecord,
  granted: { scopes: string[]; shared: SharedIdentities },
): Promise<string> {
  const code = issueCredential('code', services.random)
  const shared = Object.fromEntries(Object.entries(granted.shared).filter(([scope]) => granted.scopes.includes(scope)))
  await insertCode(transaction, {
    key: code,
    clientId: authorization.clientId,
    accountId: session.accountId,
    redirectUri: authorization.redirectUri,
    scopes: granted.scopes,
    scopeNames: authorization.scopeNames,
    shared,
    challenge: authorization.challenge,
    nonce: authorization.nonce,
    resource: authorization.resource,
    authenticatedAt: session.authenticatedAt,
    expiresAt: later(nowOf(services), CODE_LIFETIME),
  })
  return answerUrl(authorization.redirectUri, {
    code: code.value,
    state: authorization.state,
    iss: services.site.issuer,
  })
}
