import type { IncomingMessage, ServerResponse } from 'node:http'
import { Auth, type AuthConfig } from '@auth/core'
import fastifyOauth2, { type OAuth2Namespace } from '@fastify/oauth2'
import Fastify from 'fastify'
import grant from 'grant'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpBrowser, openHttpBrowser } from '../../support/http-browser.ts'
import type { TestApp } from '../../support/oauth-flow.ts'
import { type SignInService, startListening } from '../../support/oauth-service.ts'
import { readUser, refreshByFetch, sendJson, webListener, withApp } from '../../support/web-app.ts'

// Web apps with unmodified libraries, each on its port. A new user signs in with a wallet or a passkey and allows
// the app. The app then gets tokens, refreshes them and reads the data of the user.
let service: SignInService
let issuer: string
beforeAll(async () => {
  service = await startListening()
  issuer = service.issuer
})
afterAll(() => service.close())

const token = expect.stringMatching(/^qbu_[0-9A-Za-z]{49}$/) as string

test('@auth/core: signs in with an OAuth provider, by its URLs', async () => {
  const accounts: Record<string, unknown>[] = []
  const configOf = (app: TestApp): AuthConfig => ({
    trustHost: true,
    basePath: '/auth',
    secret: 'a secret of the app',
    providers: [
      {
        id: 'questboard',
        name: 'Questboard',
        type: 'oauth',
        issuer,
        clientId: app.clientId,
        clientSecret: app.secret,
        authorization: { url: `${issuer}/oauth`, params: { scope: 'ServiceID' } },
        token: `${issuer}/oauth/auth/2/token`,
        userinfo: `${issuer}/oauth/api/2/user`,
        checks: ['pkce', 'state'],
        profile: (data: Record<string, string>) => ({
          id: data.ServiceUserID as string,
          name: data.ServiceID as string,
        }),
      },
    ],
    callbacks: {
      jwt({ token: session, account }) {
        if (account) accounts.push({ ...account })
        return session
      },
    },
  })
  await withApp(
    service,
    '/auth/callback/questboard',
    (app, origin) => webListener(origin, (incoming) => Auth(incoming, configOf(app))),
    async (origin, app) => {
      const browser = openHttpBrowser(issuer, 'passkey')
      const { csrfToken } = JSON.parse((await browser.visit(`${origin}/auth/csrf`)).text) as { csrfToken: string }
      await browser.visit(`${origin}/auth/signin/questboard`, { csrfToken, callbackUrl: `${origin}/auth/session` })
      const session = JSON.parse((await browser.visit(`${origin}/auth/session`)).text) as { user?: { name: string } }
      expect(session.user?.name).toMatch(/^user-/)
      const [account] = accounts
      expect(account).toMatchObject({ provider: 'questboard', access_token: token, token_type: 'bearer' })
      const me = await browser.account()
      expect(account?.providerAccountId).toBe(me?.id)
      const refreshed = await refreshByFetch(service, app, String(account?.refresh_token))
      expect(refreshed).toMatchObject({ access_token: token, expires_in: 86_400 })
      const data = await readUser(service, '/oauth/api/2/user', String(refreshed.access_token))
      expect(data).toMatchObject({ ServiceUserID: me?.id })
    },
  )
})

test('grant: supports state, nonce, PKCE, id_token and profile', async () => {
  interface Outcome {
    error?: unknown
    access_token: string
    refresh_token: string
    profile: Record<string, string>
    jwt: { id_token: { payload: { sub: string; nonce: string } } }
  }
  const outcomes: Outcome[] = []
  const { node } = grant as unknown as {
    node: (
      this: void,
      options: object,
    ) => (request: IncomingMessage, response: ServerResponse) => Promise<{ redirect?: boolean; response?: Outcome }>
  }
  await withApp(
    service,
    '/connect/questboard/callback',
    (app, origin) => {
      const handler = node({
        session: { secret: 'a secret of the app' },
        config: {
          defaults: { origin, transport: 'state', state: true, nonce: true, pkce: true },
          questboard: {
            authorize_url: `${issuer}/oauth`,
            access_url: `${issuer}/oauth/auth/2/token`,
            profile_url: `${issuer}/oauth/userinfo`,
            oauth: 2,
            key: app.clientId,
            secret: app.secret,
            scope: ['openid', 'EVMAddress'],
            scope_delimiter: ' ',
            response: ['tokens', 'jwt', 'profile'],
            token_endpoint_auth_method: 'client_secret_basic',
          },
        },
      })
      return (request, response) => {
        void handler(request, response).then((answer) => {
          if (answer.redirect) return
          if (answer.response) outcomes.push(answer.response)
          sendJson(response, { welcome: true })
        })
      }
    },
    async (origin, app) => {
      const browser = openHttpBrowser(issuer, 'passkey')
      expect((await browser.visit(`${origin}/connect/questboard`)).status).toBe(200)
      const me = await browser.account()
      expect(outcomes).toMatchObject([
        { access_token: token, jwt: { id_token: { payload: { sub: me?.id } } }, profile: { sub: me?.id } },
      ])
      const refreshed = await refreshByFetch(service, app, outcomes[0]?.refresh_token as string)
      // A user with only a passkey has no wallet, so the granted scope returns no key.
      expect(await readUser(service, '/oauth/api/2/user', String(refreshed.access_token))).toEqual({})
    },
  )
})

test('@fastify/oauth2: supports discovery, PKCE, refresh, userinfo and revocation', async () => {
  await withApp(
    service,
    '/callback',
    async (app, origin) => {
      const web = Fastify()
      await web.register(fastifyOauth2, {
        name: 'questboard',
        scope: ['openid', 'EVMAddress'],
        credentials: { client: { id: app.clientId, secret: app.secret } },
        startRedirectPath: '/login',
        callbackUri: `${origin}/callback`,
        discovery: { issuer },
        pkce: 'S256',
      })
      web.get('/callback', async function (request, reply) {
        const { questboard } = this as unknown as { questboard: OAuth2Namespace }
        const { token: first } = await questboard.getAccessTokenFromAuthorizationCodeFlow(request, reply)
        const { token: second } = await questboard.getNewAccessTokenUsingRefreshToken(first, {})
        const info = await questboard.userinfo(second, { method: 'POST', via: 'body' })
        await questboard.revokeToken(second, 'refresh_token', undefined)
        const after = await questboard.userinfo(second)
        return { first, second, info, after }
      })
      await web.ready()
      return (request, response) => web.routing(request, response)
    },
    async (origin) => {
      const browser = openHttpBrowser(issuer)
      const arrived = await browser.visit(`${origin}/login`)
      const outcome = JSON.parse(arrived.text) as Record<'first' | 'second', { access_token: string }> & {
        after: string
      }
      expect(outcome).toMatchObject({
        first: { access_token: token },
        second: { access_token: token },
        after: { error: 'invalid_token' },
        info: { sub: (await browser.account())?.id, EVMAddress: await walletOf(browser) },
      })
      expect(outcome.second.access_token).not.toBe(outcome.first.access_token)
    },
  )
})

async function walletOf(browser: HttpBrowser): Promise<string | undefined> {
  return (await browser.account())?.identities.find(({ kind }) => kind === 'EVMAddress')?.subject
}
