import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { CODE_LIFETIME } from '../lifetimes.ts'
import type { SessionRecord } from '../identity/session.queries.ts'
import { later, nowOf, type SignIn } from '../identity/sign-in.ts'
import type { Authorization } from './authorization.queries.ts'
import type { SharedIdentities } from './consent.queries.ts'
import { insertCode } from './code.queries.ts'
import { answerUrl } from './redirect-uri.ts'
import { issueCredential } from './token-format.ts'

/** Issues a code for what the user granted and answers the URL that carries it to the app (RFC 6749 4.1.2, RFC 9207). */
export async function issueCode(
  signIn: SignIn,
  transaction: Transaction<DB>,
  authorization: Authorization,
  session: SessionRecord,
  granted: { scopes: string[]; shared: SharedIdentities },
): Promise<string> {
  const code = issueCredential('code', signIn.random)
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
    authenticatedAt: session.authenticatedAt,
    expiresAt: later(nowOf(signIn), CODE_LIFETIME),
  })
  return answerUrl(authorization.redirectUri, {
    code: code.value,
    state: authorization.state,
    iss: signIn.site.issuer,
  })
}
