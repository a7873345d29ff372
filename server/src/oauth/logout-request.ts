import { decodeJwt, errors } from 'jose'
import { findLivingAccount } from '../accounts/account.queries.ts'
import type { Services } from '../services.ts'
import { type App, findApp } from './app.queries.ts'
import { invalidRequest } from './errors.ts'
import { KEY_NOT_PUBLISHED, readOwnIdToken } from './id-token.ts'
import type { Parameters } from './parameters.ts'
import { answerUrl, isPostLogoutUri } from './redirect-uri.ts'

export interface LogoutRequest {
  app: App | undefined
  /** The account of the `id_token_hint`. */
  hintedAccountId: string | undefined
  /** The registered address to which the user returns, with `state`. */
  redirect: string | undefined
}

/**
 * Checks a request to sign out (OpenID Connect RP-Initiated Logout 1.0, 2 and 3). The user returns only to a registered
 * address of an approved app, which `client_id` or the audience of the hint names. @throws OauthError invalid_request
 */
export async function readLogoutRequest(services: Services, query: Parameters): Promise<LogoutRequest> {
  const hint = query.get('id_token_hint')
  const clientId = query.get('client_id') ?? (hint === undefined ? undefined : audienceOf(hint))
  const app = clientId === undefined ? undefined : await findApp(services.database, clientId)
  if (clientId !== undefined && app?.status !== 'approved')
    throw invalidRequest('No approved app is registered under this client_id')
  const hintedAccountId = hint === undefined || !app ? undefined : await accountOf(services, app, hint)
  return { app, hintedAccountId, redirect: redirectOf(app, query) }
}

/** The audience only selects the app. The signature is verified later. */
function audienceOf(hint: string): string {
  try {
    const { aud } = decodeJwt(hint)
    if (typeof aud === 'string') return aud
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error
  }
  throw invalidRequest('id_token_hint is not an id_token of this service')
}

/** A hint whose key is not published is ignored, so that the user is asked. */
async function accountOf(services: Services, app: App, hint: string): Promise<string | undefined> {
  const accountId = await readOwnIdToken(services, app, hint)
  if (accountId === KEY_NOT_PUBLISHED) return undefined
  if (accountId === undefined) throw invalidRequest('id_token_hint is not an id_token of this app')
  return findLivingAccount(services.database.kysely, accountId)
}

function redirectOf(app: App | undefined, query: Parameters): string | undefined {
  const uri = query.get('post_logout_redirect_uri')
  if (uri === undefined) return undefined
  if (!app) throw invalidRequest('post_logout_redirect_uri needs client_id or id_token_hint')
  if (!isPostLogoutUri(app, uri))
    throw invalidRequest(
      'The post_logout_redirect_uri is not registered for this app, or its origin is not that of an approved redirect URI',
    )
  const state = query.get('state')
  return state === undefined ? uri : answerUrl(uri, { state })
}
