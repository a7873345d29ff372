import { findLivingAccount } from '../../accounts/account.queries.ts'
import type { Services } from '../../services.ts'
import type { App } from '../app.queries.ts'
import { invalidRequest, OauthError } from '../errors.ts'
import { KEY_NOT_PUBLISHED, readOwnIdToken } from '../id-token.ts'
import type { Parameters } from '../parameters.ts'
import type { Prompts } from './read-prompts.ts'

/**
 * Returns the account of `id_token_hint` (OpenID Connect Core 3.1.2.1); expired id_tokens are accepted. The id of a
 * merged account resolves to the remaining account. The hint of a deleted account is ignored. Without prompt=none, a hint
 * whose key is not published is ignored, too. @throws OauthError
 */
export async function readHint(
  services: Services,
  app: App,
  query: Parameters,
  { prompt }: Pick<Prompts, 'prompt'>,
): Promise<string | undefined> {
  const hint = query.get('id_token_hint')
  if (hint === undefined) return undefined
  const accountId = await readOwnIdToken(services, app, hint)
  if (accountId === KEY_NOT_PUBLISHED) {
    if (!prompt.includes('none')) return undefined
    throw new OauthError('login_required', 'The key of the id_token_hint is not published; the user has to sign in')
  }
  if (accountId === undefined) throw invalidRequest('id_token_hint is not an id_token of this app')
  return findLivingAccount(services.database.kysely, accountId)
}
