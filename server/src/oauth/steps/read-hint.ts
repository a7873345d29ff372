import { findLivingAccount } from '../../identity/account.queries.ts'
import type { SignIn } from '../../identity/sign-in.ts'
import type { App } from '../app.queries.ts'
import { invalidRequest } from '../errors.ts'
import { readOwnIdToken } from '../id-token.ts'
import type { Parameters } from '../parameters.ts'

/**
 * The account that the app's `id_token_hint` names (OpenID Connect Core 3.1.2.1). An expired id_token will do. One of an
 * account that was merged names the account that stays; one of an account that is gone names nobody. @throws OauthError
 */
export async function readHint(signIn: SignIn, app: App, query: Parameters): Promise<string | undefined> {
  const hint = query.get('id_token_hint')
  if (hint === undefined) return undefined
  const accountId = await readOwnIdToken(signIn, app.clientId, hint)
  if (accountId === undefined) throw invalidRequest('id_token_hint is not an id_token that this app was given here')
  return findLivingAccount(signIn.database.kysely, accountId)
}
