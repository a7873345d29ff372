import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Auth, type AuthConfig } from '@auth/core'
import { search } from 'jmespath'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import passport from 'passport'
import type { Strategy } from 'passport-oauth2'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { blocksOf, root } from './blocks.ts'
import { openHttpBrowser } from '../../support/http-browser.ts'
import { approvedApp, signedInBrowser, type SignedIn, type TestApp } from '../../support/oauth-flow.ts'
import { type SignInService, startListening } from '../../support/oauth-service.ts'
import { visit } from '../../support/visit.ts'
import { readUser, refreshByFetch, sendJson, webListener, withApp } from '../../support/web-app.ts'

// Reads the settings from the guide. Auth.js and Passport run; the test sends the requests of the other apps.
const PAGE = 'docs/guides/sign-in-to-other-apps.md'
const EXAMPLE = 'https://questboard.example'

let service: SignInService
let user: SignedIn
let email: string
const folder = temporaryFolder()
beforeAll(async () => {
  service = await startListening()
})
beforeEach(async () => {
  user = await signedInBrowser(service)
  email = `${user.account.username}@example.com`
  await linkEmail(user.account.id, email)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
  await service.close()
})

/** Inside of the checkout, so that imports find the packages. */
function temporaryFolder(): string {
  const cache = join(root, 'server/node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  return mkdtempSync(join(cache, 'recipes-'))
}

const linkEmail = (accountId: string, address: string) =>
  service.database.query(
    `INSERT INTO identities (account_id, kind, subject, linked_at) VALUES ($1, 'Email', $2, now())`,
    [accountId, address],
  )

/** The block of a language, with the address of the running service. */
function recipe(language: string, like = /./): string {
  const [block, ...others] = blocksOf(PAGE).filter((one) => one.language === language && like.test(one.text))
  if (!block || others.length > 0) throw new Error(`${PAGE} has not one block of ${language} like ${like}`)
  return block.text.replaceAll(EXAMPLE, service.issuer)
}

async function load<Module>(like: RegExp): Promise<Module> {
  const path = join(folder, `${randomBytes(4).toString('hex')}.ts`)
  writeFileSync(path, recipe('ts', like))
  return (await import(path)) as Module
}

/** Registers the app as the table says. */
async function registered(name: string): Promise<TestApp> {
  const row = new RegExp(`^\\| ${name} +\\| \`(\\S+)\` +\\| (yes|no) +\\|$`, 'm')
  const [, uri = '', pkce] = row.exec(readFileSync(join(root, PAGE), 'utf8')) ?? []
  return approvedApp(service, {
    redirectUris: [uri],
    scopes: ['openid', 'ServiceID', 'Email'],
    expiringTokens: true,
    s256Only: pkce === 'yes',
    postLogoutRedirectUris: [`${uri}/logout_response`],
  })
}

interface Client {
  app: TestApp
  authorizeUrl: string
  tokenUrl: string
  scope: string
  /** Also the encoding of HTTP Basic: of RFC 6749, or none. */
  credentials: 'encoded header' | 'raw header' | 'body' | 'both'
  pkce: boolean
  nonce?: string
}

type Tokens = Record<'access_token' | 'id_token' | 'refresh_token', string>

/** The authorization code flow of a client that sends what its settings say. */
async function redeem(client: Client): Promise<Response> {
  const { app, credentials } = client
  const [state, verifier] = [randomBytes(16).toString('hex'), randomBytes(32).toString('base64url')]
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const url = new URL(client.authorizeUrl)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: app.redirectUri,
    scope: client.scope,
    state,
    ...(client.nonce !== undefined && { nonce: client.nonce }),
    ...(client.pkce && { code_challenge: challenge, code_challenge_method: 'S256' }),
  }).toString()
  const back = await visit(service, user.browser, url)
  expect(back.href).toMatch(app.redirectUri)
  expect(back.searchParams.get('state')).toBe(state)
  const encode = credentials === 'encoded header' ? encodeURIComponent : String
  const basic = Buffer.from(`${encode(app.clientId)}:${encode(app.secret)}`).toString('base64')
  return fetch(client.tokenUrl, {
    method: 'POST',
    headers: credentials === 'body' ? {} : { authorization: `Basic ${basic}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') as string,
      redirect_uri: app.redirectUri,
      ...(client.pkce && { code_verifier: verifier }),
      ...((credentials === 'body' || credentials === 'both') && {
        client_id: app.clientId,
        client_secret: app.secret,
      }),
    }),
  })
}

async function tokensOf(client: Client): Promise<Tokens> {
  const response = await redeem(client)
  expect(response.status).toBe(200)
  return (await response.json()) as Tokens
}

const pathOf = (url: string) => {
  expect(url.startsWith(service.issuer)).toBe(true)
  return url.slice(service.issuer.length)
}

test('Auth.js signs in with the provider of the guide', async () => {
  const accounts: Record<string, unknown>[] = []
  await withApp(
    service,
    '/auth/callback/questboard',
    async (app, origin) => {
      vi.stubEnv('AUTH_SECRET', 'a secret of the app')
      vi.stubEnv('AUTH_QUESTBOARD_ID', app.clientId)
      vi.stubEnv('AUTH_QUESTBOARD_SECRET', app.secret)
      const { authConfig } = await load<{ authConfig: AuthConfig }>(/@auth\/core/)
      const jwt: NonNullable<AuthConfig['callbacks']>['jwt'] = ({ token, account }) => {
        if (account) accounts.push({ ...account })
        return token
      }
      return webListener(origin, (request) => Auth(request, { ...authConfig, callbacks: { jwt } }))
    },
    async (origin, app) => {
      const browser = openHttpBrowser(service.issuer)
      await browser.signIn()
      const me = await browser.account()
      await linkEmail(me?.id as string, 'authjs@example.com')
      const { csrfToken } = JSON.parse((await browser.visit(`${origin}/auth/csrf`)).text) as { csrfToken: string }
      await browser.visit(`${origin}/auth/signin/questboard`, { csrfToken, callbackUrl: `${origin}/auth/session` })
      const session = JSON.parse((await browser.visit(`${origin}/auth/session`)).text) as { user?: object }
      expect(session.user).toEqual({ name: expect.stringMatching(/^user-/) as string, email: 'authjs@example.com' })
      expect(accounts).toMatchObject([{ provider: 'questboard', providerAccountId: me?.id, token_type: 'bearer' }])
      const refreshed = await refreshByFetch(service, app, String(accounts[0]?.refresh_token))
      const info = await readUser(service, '/oauth/userinfo', String(refreshed.access_token))
      expect(info).toMatchObject({ sub: me?.id, Email: 'authjs@example.com' })
    },
  )
})

test('Passport signs in with the strategy of the guide', async () => {
  interface Outcome {
    refreshToken: string
    profile: object
  }
  const outcomes: Outcome[] = []
  await withApp(
    service,
    '/auth/questboard/callback',
    async (app, origin) => {
      vi.stubEnv('QUESTBOARD_CLIENT_ID', app.clientId)
      vi.stubEnv('QUESTBOARD_CLIENT_SECRET', app.secret)
      type Verify = (accessToken: string, refreshToken: string, profile: object, done: Done) => void
      type Done = (error: null, user: object) => void
      const { QuestboardStrategy } = await load<{ QuestboardStrategy: new (url: string, verify: Verify) => Strategy }>(
        /passport-oauth2/,
      )
      passport.use(
        new QuestboardStrategy(`${origin}/auth/questboard/callback`, (_, refreshToken, profile, done) => {
          outcomes.push({ refreshToken, profile })
          done(null, profile)
        }),
      )
      const authenticate = passport.authenticate('questboard', { session: false }) as (...all: unknown[]) => void
      const session = {}
      return (request, response) => {
        const query = Object.fromEntries(new URL(request.url ?? '', origin).searchParams)
        authenticate(Object.assign(request, { query, session }), response, (error?: unknown) =>
          sendJson(response, { welcome: error === undefined }, error === undefined ? 200 : 500),
        )
      }
    },
    async (origin, app) => {
      const browser = openHttpBrowser(service.issuer)
      await browser.signIn()
      const id = (await browser.account())?.id as string
      await linkEmail(id, 'passport@example.com')
      expect((await browser.visit(`${origin}/auth/questboard`)).text).toBe('{"welcome":true}')
      expect(outcomes).toMatchObject([{ profile: { id, emails: [{ value: 'passport@example.com' }] } }])
      const refreshed = await refreshByFetch(service, app, outcomes[0]?.refreshToken as string)
      expect(await readUser(service, '/oauth/userinfo', String(refreshed.access_token))).toMatchObject({ sub: id })
    },
  )
  passport.unuse('questboard')
})

describe('Grafana', () => {
  const settings = () =>
    Object.fromEntries(
      [...recipe('ini').matchAll(/^(\w+) = (.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
    ) as Record<string, string>

  /** The order of Grafana: for each value, the id_token first, then the user info. */
  async function userInfo(roleAttributePath?: string) {
    const grafana = settings()
    const tokens = await tokensOf({
      app: await registered('Grafana'),
      authorizeUrl: grafana.auth_url as string,
      tokenUrl: grafana.token_url as string,
      scope: grafana.scopes as string,
      credentials: grafana.auth_style === 'InHeader' ? 'encoded header' : 'body',
      pkce: grafana.use_pkce === 'true',
    })
    const sources = [
      decodeJwt(tokens.id_token),
      await readUser(service, pathOf(grafana.api_url as string), tokens.access_token),
    ]
    const first = (path = '') =>
      sources.map((source) => search(source, path) as unknown).find((value) => typeof value === 'string' && value)
    return {
      id: sources[0]?.sub,
      login: first(grafana.login_attribute_path),
      name: first(grafana.name_attribute_path),
      email: first(grafana.email_attribute_path),
      role: first(roleAttributePath ?? grafana.role_attribute_path),
    }
  }

  test('signs in, and finds login, name, mail and role', async () => {
    const { id, username } = user.account
    const found = { id, login: username, name: username, email, role: 'Viewer' }
    expect(await userInfo()).toEqual(found)
    const asAdmin = (settings().role_attribute_path as string).replace(/'[\da-f-]{36}'/, `'${id}'`)
    expect(await userInfo(asAdmin)).toEqual({ ...found, role: 'Admin' })
  })

  test('finds only sub in the id_token, which matches the guide', async () => {
    expect(await userInfo(`contains(['${user.account.username}'], ServiceID) && 'Admin' || 'Viewer'`)).toMatchObject({
      role: 'Viewer',
    })
  })
})

describe('Keycloak', () => {
  interface Import {
    identityProviders: { alias: string; providerId: string; config: Record<string, string> }[]
    identityProviderMappers: { identityProviderMapper: string; config: Record<string, string> }[]
  }

  test('signs in, verifies the id_token, maps username and mail, and signs out', async () => {
    const { identityProviders, identityProviderMappers: mappers } = JSON.parse(recipe('json')) as Import
    const [{ alias, config } = { alias: '', config: {} as Record<string, string> }] = identityProviders
    const app = await registered('Keycloak')
    expect(app.redirectUri).toContain(`/broker/${alias}/endpoint`)
    const nonce = randomBytes(16).toString('base64url')
    const tokens = await tokensOf({
      app,
      authorizeUrl: config.authorizationUrl as string,
      tokenUrl: config.tokenUrl as string,
      scope: config.defaultScope as string,
      credentials: config.clientAuthMethod === 'client_secret_basic' ? 'encoded header' : 'body',
      pkce: config.pkceEnabled === 'true' && config.pkceMethod === 'S256',
      nonce,
    })
    const { payload } = await jwtVerify(tokens.id_token, createRemoteJWKSet(new URL(config.jwksUrl as string)), {
      issuer: config.issuer as string,
      audience: app.clientId,
    })
    const info = await readUser(service, pathOf(config.userInfoUrl as string), tokens.access_token)
    expect([payload.nonce, payload.sub, info.sub]).toEqual([nonce, user.account.id, user.account.id])

    const claim = (name = '') => info[name] ?? ''
    const mapperOf = (id: string) => mappers.find((mapper) => mapper.identityProviderMapper === id)?.config ?? {}
    const username = mapperOf('oidc-username-idp-mapper').template?.replace(/\$\{CLAIM\.(\w+)\}/g, (_, name: string) =>
      claim(name),
    )
    const attribute = mapperOf('oidc-user-attribute-idp-mapper')
    expect({ username, [attribute['user.attribute'] ?? '']: claim(attribute.claim) }).toEqual({
      username: user.account.username,
      email,
    })

    const logout = new URL(config.logoutUrl as string)
    logout.search = new URLSearchParams({
      state: 'session-of-keycloak',
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: `${app.redirectUri}/logout_response`,
    }).toString()
    const left = await user.browser.get(logout.pathname + logout.search)
    expect(left.headers.location).toBe(`${app.redirectUri}/logout_response?state=session-of-keycloak`)
    expect((await user.browser.get('/api/session')).json()).toMatchObject({ account: null })
  })
})

describe('Discourse', () => {
  const settings = () => parseYaml(recipe('yaml')) as Record<string, string | boolean>

  const clientOf = async (discourse: Record<string, string | boolean>): Promise<Client> => ({
    app: await registered('Discourse'),
    authorizeUrl: discourse.oauth2_authorize_url as string,
    tokenUrl: discourse.oauth2_token_url as string,
    scope: discourse.oauth2_scope as string,
    credentials: !discourse.oauth2_send_auth_header ? 'body' : discourse.oauth2_send_auth_body ? 'both' : 'raw header',
    pkce: false,
  })

  test('signs in, and finds id, username, name and mail', async () => {
    const discourse = settings()
    const { access_token } = await tokensOf(await clientOf(discourse))
    const info = await readUser(service, pathOf(discourse.oauth2_user_json_url as string), access_token)
    const at = (property: string) =>
      String(discourse[`oauth2_json_${property}_path`])
        .split('.')
        .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], info)
    const { id, username } = user.account
    expect(['user_id', 'username', 'name', 'email'].map(at)).toEqual([id, username, username, email])
  })

  test('fails with both ways of authentication, which matches the guide', async () => {
    const response = await redeem(await clientOf({ ...settings(), oauth2_send_auth_body: true }))
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request' }])
  })
})
