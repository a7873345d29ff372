import { createHash, randomBytes } from 'node:crypto'
import type { LightMyRequestResponse } from 'fastify'
import { applyForApp, decideApp, issueSecret, requireApp } from '../../src/oauth/apps.ts'
import type { AppForm } from '../../src/oauth/app-form.ts'
import { type Account, type Browser, openBrowser, signInWithWallet } from './oauth-browser.ts'
import type { SignInService } from './oauth-service.ts'

export interface TestApp {
  clientId: string
  secret: string
  redirectUri: string
}

export const CALLBACK = 'https://app.example.com/callback'

/** An approved app with a secret, whose owner never signs in. */
export async function approvedApp(
  service: SignInService,
  form: Partial<AppForm> = {},
  owner = '00000000-0000-4000-8000-000000000001',
): Promise<TestApp> {
  await service.database.query(
    `INSERT INTO accounts (account_id, name, created_at) VALUES ($1, 'owner of apps', now()) ON CONFLICT DO NOTHING`,
    [owner],
  )
  const app = await applyForApp(service.services, owner, {
    name: 'Example App',
    homepage: '',
    purpose: 'Tests',
    redirectUris: [CALLBACK],
    scopes: ['EVMAddress', 'ServiceID', 'Discord', 'Email', 'Twitter', 'openid'],
    allowedOrigins: [],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
    expiringTokens: false,
    s256Only: false,
    publicClient: false,
    subjectType: 'public',
    ...form,
  })
  await decideApp(service.services, app.clientId, 'approve', app)
  const { secret } = await issueSecret(service.services, await requireApp(service.services, app.clientId))
  return { clientId: app.clientId, secret, redirectUri: app.redirectUris[0] as string }
}

export function authorizeUrl(app: TestApp, parameters: Record<string, string | undefined> = {}): string {
  const all = {
    client_id: app.clientId,
    redirect_uri: app.redirectUri,
    scope: 'EVMAddress',
    state: 'state-of-the-app',
    ...parameters,
  }
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `/oauth?${new URLSearchParams(given).toString()}`
}

export interface SignedIn {
  browser: Browser
  account: Account
}

export async function signedInBrowser(service: Pick<SignInService, 'fastify'>, address?: string): Promise<SignedIn> {
  const browser = openBrowser(service.fastify, address)
  return { browser, account: await signInWithWallet(browser) }
}

/** The id of the authorization request from the response of `GET /oauth`. */
export function requestIdOf(response: LightMyRequestResponse): string {
  const id = /\/authorize\/([A-Za-z0-9]+)$/.exec(String(response.headers.location))?.[1]
  if (id === undefined) throw new Error(`no page, but ${response.statusCode} ${String(response.headers.location)}`)
  return id
}

/** Allows the request on the pages and returns the callback URL with the code. */
export async function allow(
  browser: Browser,
  app: TestApp,
  parameters: Record<string, string | undefined> = {},
  identities: Record<string, string> = {},
): Promise<URL> {
  const started = await browser.get(authorizeUrl(app, parameters))
  const location = String(started.headers.location)
  if (location.includes('code=')) return new URL(location)
  const decided = await browser.call('POST', `/api/authorizations/${requestIdOf(started)}`, {
    decision: 'allow',
    identities,
  })
  if (decided.statusCode !== 200) throw new Error(`not allowed: ${decided.body}`)
  return new URL(decided.json<{ redirect: string }>().redirect)
}

export async function codeFor(
  browser: Browser,
  app: TestApp,
  parameters: Record<string, string | undefined> = {},
): Promise<string> {
  return (await allow(browser, app, parameters)).searchParams.get('code') as string
}

export interface Tokens {
  access_token: string
  token_type: string
  scope: string
  expires_in?: number
  refresh_token?: string
  id_token?: string
}

/** Sends a form to an endpoint for apps; `undefined` omits a parameter. */
export async function postForm(
  service: SignInService,
  url: string,
  parameters: Record<string, string | undefined>,
  headers: Record<string, string> = {},
  remoteAddress = '198.51.100.7',
): Promise<LightMyRequestResponse> {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return service.fastify.inject({
    method: 'POST',
    url,
    remoteAddress,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(given).toString(),
  })
}

export const TOKEN_URL = '/oauth/auth/2/token'

export function redeemCode(
  service: SignInService,
  app: TestApp,
  code: string,
  extra: Record<string, string | undefined> = {},
): Promise<LightMyRequestResponse> {
  return postForm(service, TOKEN_URL, {
    grant_type: 'authorization_code',
    client_id: app.clientId,
    client_secret: app.secret,
    code,
    ...extra,
  })
}

export function refreshTokens(
  service: SignInService,
  app: TestApp,
  refreshToken: string,
  extra: Record<string, string | undefined> = {},
): Promise<LightMyRequestResponse> {
  return postForm(service, TOKEN_URL, {
    grant_type: 'refresh_token',
    client_id: app.clientId,
    client_secret: app.secret,
    refresh_token: refreshToken,
    ...extra,
  })
}

/** Consent and redemption in one call. */
export async function tokensFor(
  service: SignInService,
  browser: Browser,
  app: TestApp,
  parameters: Record<string, string | undefined> = {},
): Promise<Tokens> {
  const response = await redeemCode(service, app, await codeFor(browser, app, parameters))
  if (response.statusCode !== 200) throw new Error(`no tokens: ${response.body}`)
  return response.json<Tokens>()
}

export function tokenDetail(service: SignInService, accessToken: string): Promise<LightMyRequestResponse> {
  return service.fastify.inject({
    url: '/oauth/api/2/token',
    headers: { authorization: `Bearer ${accessToken}` },
  })
}

export function userData(service: SignInService, accessToken: string, query = ''): Promise<LightMyRequestResponse> {
  return service.fastify.inject({
    url: `/oauth/api/2/user${query}`,
    headers: { authorization: `Bearer ${accessToken}` },
  })
}

export function pkcePair(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Every row that must not exist after a rejected request. */
export async function countRows(service: SignInService): Promise<Record<string, number>> {
  const tables = ['authorizations', 'authorization_codes', 'grants', 'access_tokens', 'refresh_tokens', 'consents']
  const counts = await Promise.all(
    [...tables, 'sessions', 'accounts'].map(async (table) => {
      const [row] = await service.database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)
      return [table, row?.n ?? 0] as const
    }),
  )
  return Object.fromEntries(counts)
}
