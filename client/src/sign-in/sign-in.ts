import { type Attempt, readCallback } from './callback.ts'
import { OAuthError } from './oauth-error.ts'
import { decideSignIn, type SignInOptions } from './options.ts'
import { challengeOf, unguessable } from './pkce.ts'
import { getWithToken, postForm } from './requests.ts'
import { type Scope, scopeText, type UserData } from './scopes.ts'
import { openSession, type UserSession } from './session.ts'
import { readTokens, type Tokens } from './tokens.ts'

/** The details of an access token: its app, its scopes and its expiry. */
export interface TokenDetail {
  clientId: string
  scope: string
  /** RFC 3339, or null for a token that does not expire. */
  expiresAt: string | null
}

/** "Sign in with Questboard": OAuth 2.0 authorization code with PKCE. All methods fail with OAuthError. */
export interface SignIn {
  /** Step 1: returns the URL for the browser, and the attempt to store in the user's session. */
  begin(options?: { scope?: readonly Scope[] }): Promise<{ url: string; attempt: Attempt }>
  /**
   * Step 2: validates the callback and redeems its code. Delete the attempt before the call, because it works once.
   * @param callback the URL, path or query of the callback
   * @throws OAuthError state_mismatch before anything is sent; access_denied if the user refused
   */
  finish(
    callback: string | URL | URLSearchParams,
    attempt: Attempt | null | undefined,
    options?: { signal?: AbortSignal },
  ): Promise<Tokens>
  /** Step 3: exchanges tokens for new ones; the old ones become invalid. */
  refresh(tokens: Pick<Tokens, 'refreshToken'>, options?: { signal?: AbortSignal }): Promise<Tokens>
  /** Step 4. */
  tokenDetail(accessToken: string, options?: { signal?: AbortSignal }): Promise<TokenDetail>
  /** Step 5: the identities of the given scopes. Default: all scopes of the token. */
  userData(accessToken: string, options?: { scope?: readonly Scope[]; signal?: AbortSignal }): Promise<UserData>
  /**
   * Keeps tokens valid by refreshing them before they expire.
   * @param onTokens stores new tokens; awaited, because the old ones are no longer valid
   */
  session(tokens: Tokens, onTokens?: (tokens: Tokens) => void | Promise<void>): UserSession
}

/** @throws TypeError if an option is invalid */
export function createSignIn(options: SignInOptions): SignIn {
  const settings = decideSignIn(options)
  const { clientId, clientSecret, redirectUri, endpoints, clock } = settings

  async function requestTokens(parameters: Record<string, string | undefined>, signal: AbortSignal | undefined) {
    const app = { client_id: clientId, client_secret: clientSecret }
    return readTokens(await postForm(settings, { ...app, ...parameters }, signal), clock.now())
  }

  async function refresh({ refreshToken }: Pick<Tokens, 'refreshToken'>, { signal }: { signal?: AbortSignal } = {}) {
    if (refreshToken === null)
      throw new OAuthError('invalid_grant', 'The sign-in has no refresh token: tokens of this app do not expire')
    return requestTokens({ grant_type: 'refresh_token', refresh_token: refreshToken }, signal)
  }

  return {
    refresh,
    async begin({ scope = settings.scope } = {}) {
      const state = unguessable(settings.randomBytes)
      const codeVerifier = unguessable(settings.randomBytes)
      const url = new URL(endpoints.authorize)
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopeText(scope),
        state,
        code_challenge: await challengeOf(codeVerifier),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return { url: url.href, attempt: { state, codeVerifier } }
    },
    async finish(callback, attempt, { signal } = {}) {
      const code = readCallback(callback, attempt, settings.issuer)
      const parameters = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
      return requestTokens({ ...parameters, code_verifier: attempt?.codeVerifier }, signal)
    },
    async tokenDetail(accessToken, { signal } = {}) {
      const detail = await getWithToken(settings, endpoints.tokenDetail, accessToken, signal)
      const { client_id, scope, expires_at } = detail as { client_id?: string; scope?: string; expires_at?: string }
      return { clientId: client_id ?? '', scope: scope ?? '', expiresAt: expires_at ?? null }
    },
    async userData(accessToken, { scope, signal } = {}) {
      const query = scope === undefined ? '' : `?${new URLSearchParams({ scope: scopeText(scope) }).toString()}`
      return getWithToken(settings, endpoints.userData + query, accessToken, signal)
    },
    session: (tokens, onTokens = () => {}) =>
      openSession(tokens, { refresh, onTokens, now: () => clock.now(), refreshBeforeMs: settings.refreshBeforeMs }),
  }
}
