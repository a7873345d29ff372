import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Auth, type AuthConfig } from '@auth/core'
import fastifyOauth2, { type OAuth2Namespace } from '@fastify/oauth2'
import Fastify from 'fastify'
import grant from 'grant'
import passport from 'passport'
import { Strategy } from 'passport-oauth2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpBrowser, openHttpBrowser } from '../support/http-browser.ts'
import { approvedApp, type TestApp } from '../support/oauth-flow.ts'
import { type SignInService, startListening } from '../support/oauth-service.ts'

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

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Starts a web app on a port, registers it with its callback path and runs a function with it. */
async function withApp(
  callbackPath: string,
  make: (app: TestApp, origin: string) => Promise<Listener> | Listener,
  work: (origin: string, app: TestApp) => Promise<void>,
): Promise<void> {
  let listener: Listener = () => undefined
  const server: Server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const app = await approvedApp(service, {
      redirectUris: [`${origin}${callbackPath}`],
      expiringTokens: true,
      s256Only: true,
    })
    listener = await make(app, origin)
    await work(origin, app)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

const sendJson = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

async function userDataOf(accessToken: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${accessToken}` }
  return (await fetch(`${issuer}/oauth/api/2/user`, { headers })).json()
}

async function walletOf(browser: HttpBrowser): Promise<string | undefined> {
  return (await browser.account())?.identities.find(({ kind }) => kind === 'EVMAddress')?.subject
}

async function refreshByFetch(app: TestApp, refreshToken: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${issuer}/oauth/auth/2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: app.clientId,
      client_secret: app.secret,
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    }),
  })
  return (await response.json()) as Record<string, unknown>
}

describe('@auth/core', () => {
  const makers: [string, 'wallet' | 'passkey', (app: TestApp) => AuthConfig['providers'][number]][] = [
    [
      'as an OpenID Connect provider, by discovery',
      'wallet',
      (app) => ({
        id: 'questboard',
        name: 'Questboard',
        type: 'oidc',
        issuer,
        clientId: app.clientId,
        clientSecret: app.secret,
        authorization: { params: { scope: 'openid EVMAddress ServiceID' } },
        checks: ['pkce', 'state', 'nonce'],
        idToken: false,
        profile: ({ sub, ServiceID }: Record<string, string>) => ({ id: sub as string, name: ServiceID as string }),
      }),
    ],
    [
      'as an OAuth provider, by its URLs',
      'passkey',
      (app) => ({
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
      }),
    ],
  ]
  test.each(makers)('%s: signs in with a %s', async (_name, way, provider) => {
    const accounts: Record<string, unknown>[] = []
    const configOf = (app: TestApp): AuthConfig => ({
      trustHost: true,
      basePath: '/auth',
      secret: 'a secret of the app',
      providers: [provider(app)],
      callbacks: {
        jwt({ token: session, account }) {
          if (account) accounts.push({ ...account })
          return session
        },
      },
    })
    await withApp(
      '/auth/callback/questboard',
      (app, origin) => (request, response) => {
        void answerWith(request, response, origin, (incoming) => Auth(incoming, configOf(app)))
      },
      async (origin, app) => {
        const browser = openHttpBrowser(issuer, way)
        const { csrfToken } = JSON.parse((await browser.visit(`${origin}/auth/csrf`)).text) as { csrfToken: string }
        await browser.visit(`${origin}/auth/signin/questboard`, { csrfToken, callbackUrl: `${origin}/auth/session` })
        const session = JSON.parse((await browser.visit(`${origin}/auth/session`)).text) as { user?: { name: string } }
        expect(session.user?.name).toMatch(/^user-/)
        const [account] = accounts
        expect(account).toMatchObject({ provider: 'questboard', access_token: token, token_type: 'bearer' })
        const me = await browser.account()
        expect(account?.providerAccountId).toBe(me?.id)
        const refreshed = await refreshByFetch(app, String(account?.refresh_token))
        expect(refreshed).toMatchObject({ access_token: token, expires_in: 86_400 })
        expect(await userDataOf(String(refreshed.access_token))).toMatchObject({ ServiceUserID: me?.id })
      },
    )
  })

  /** Adapts a handler of web requests to node:http. */
  async function answerWith(
    request: IncomingMessage,
    response: ServerResponse,
    origin: string,
    handle: (request: Request) => Promise<Response>,
  ): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
    const body = request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}
    const answer = await handle(
      new Request(origin + request.url, { method: request.method ?? 'GET', headers, ...body }),
    )
    response.writeHead(answer.status, {
      ...Object.fromEntries(answer.headers),
      'set-cookie': answer.headers.getSetCookie(),
    })
    response.end(Buffer.from(await answer.arrayBuffer()))
  }
})

/** A strategy with the settings that the documentation of the library recommends. */
class QuestboardStrategy extends Strategy {
  override userProfile(accessToken: string, done: (error?: Error | null, profile?: unknown) => void): void {
    this._oauth2.useAuthorizationHeaderforGET(true)
    this._oauth2.get(`${issuer}/oauth/api/2/user`, accessToken, (error, body) => {
      if (error) done(new Error(JSON.stringify(error)))
      else done(null, JSON.parse(String(body)))
    })
  }

  refresh(refreshToken: string, done: (...answer: unknown[]) => void): void {
    this._oauth2.getOAuthAccessToken(refreshToken, { grant_type: 'refresh_token' }, done)
  }
}

test('passport-oauth2: supports state, PKCE, profile by header and refresh', async () => {
  interface Outcome {
    accessToken: string
    refreshToken: string
    profile: unknown
  }
  const outcomes: Outcome[] = []
  let refreshed: unknown[] = []
  await withApp(
    '/callback',
    (app, origin) => {
      const strategy = new QuestboardStrategy(
        {
          authorizationURL: `${issuer}/oauth`,
          tokenURL: `${issuer}/oauth/auth/2/token`,
          clientID: app.clientId,
          clientSecret: app.secret,
          callbackURL: `${origin}/callback`,
          scope: ['EVMAddress'],
          state: true,
          pkce: true,
        },
        (accessToken: string, refreshToken: string, profile: unknown, done: (error: null, user: object) => void) => {
          outcomes.push({ accessToken, refreshToken, profile })
          done(null, { id: 'user' })
        },
      )
      const session = {}
      const authenticate = passport.authenticate(strategy, { session: false }) as (
        request: object,
        response: ServerResponse,
        next: (error?: unknown) => void,
      ) => void
      return (request, response) => {
        const query = Object.fromEntries(new URL(request.url ?? '', origin).searchParams)
        authenticate(Object.assign(request, { query, session }), response, (error) => {
          if (error) return sendJson(response, { failed: true }, 500)
          strategy.refresh(outcomes[0]?.refreshToken ?? '', (...answer) => {
            refreshed = answer
            sendJson(response, { welcome: true })
          })
        })
      }
    },
    async (origin) => {
      const browser = openHttpBrowser(issuer)
      const arrived = await browser.visit(`${origin}/login`)
      expect(arrived).toMatchObject({ status: 200, text: '{"welcome":true}' })
      const EVMAddress = await walletOf(browser)
      expect(outcomes).toMatchObject([{ accessToken: token, profile: { EVMAddress } }])
      const [error, accessToken] = refreshed
      expect(error).toBeNull()
      expect(await userDataOf(String(accessToken))).toEqual({ EVMAddress })
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
      const refreshed = await refreshByFetch(app, outcomes[0]?.refresh_token as string)
      // A user with only a passkey has no wallet, so the granted scope returns no key.
      expect(await userDataOf(String(refreshed.access_token))).toEqual({})
    },
  )
})

test('@fastify/oauth2: supports discovery, PKCE, refresh, userinfo and revocation', async () => {
  await withApp(
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
