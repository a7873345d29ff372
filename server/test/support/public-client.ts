import { applyForApp, decideApp } from '../../src/oauth/apps.ts'
import type { AppForm } from '../../src/oauth/app-form.ts'
import { codeFor, pkcePair, postForm, TOKEN_URL, type Tokens } from './oauth-flow.ts'
import type { Browser } from './oauth-browser.ts'
import type { SignInService } from './oauth-service.ts'

export interface PublicApp {
  clientId: string
  redirectUri: string
}

export const PUBLIC_CALLBACK = 'https://spa.example.com/callback'
const OWNER = '00000000-0000-4000-8000-000000000001'

/** An approved app without a server. */
export async function publicApp(service: SignInService, form: Partial<AppForm> = {}): Promise<PublicApp> {
  await service.database.query(
    `INSERT INTO accounts (account_id, name, created_at) VALUES ($1, 'owner of apps', now()) ON CONFLICT DO NOTHING`,
    [OWNER],
  )
  const app = await applyForApp(service.services, OWNER, {
    name: 'Example App',
    homepage: '',
    purpose: 'Tests',
    redirectUris: [PUBLIC_CALLBACK],
    scopes: ['EVMAddress', 'ServiceID', 'openid'],
    allowedOrigins: [],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
    expiringTokens: true,
    s256Only: true,
    publicClient: true,
    subjectType: 'public',
    ...form,
  })
  await decideApp(service.services, app.clientId, 'approve', app)
  return { clientId: app.clientId, redirectUri: app.redirectUris[0] as string }
}

/** A code and the verifier of its S256 challenge. */
export async function codeWithVerifier(
  browser: Browser,
  app: PublicApp,
  parameters: Record<string, string> = {},
): Promise<{ code: string; code_verifier: string }> {
  const { verifier, challenge } = pkcePair()
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
  return { code: await codeFor(browser, { ...app, secret: '' }, { ...pkce, ...parameters }), code_verifier: verifier }
}

/** Sends a form with the client ID, and no secret. */
export const postAsPublic = (
  service: SignInService,
  app: PublicApp,
  parameters: Record<string, string | undefined>,
  { url = TOKEN_URL, headers = {} }: { url?: string; headers?: Record<string, string> } = {},
) => postForm(service, url, { client_id: app.clientId, ...parameters }, headers)

export async function publicTokens(
  service: SignInService,
  browser: Browser,
  app: PublicApp,
  parameters: Record<string, string> = {},
): Promise<Tokens> {
  const response = await postAsPublic(service, app, await codeWithVerifier(browser, app, parameters))
  if (response.statusCode !== 200) throw new Error(`no tokens: ${response.body}`)
  return response.json<Tokens>()
}
