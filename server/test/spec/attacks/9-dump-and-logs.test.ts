import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createIngestToken } from '../../../src/access/ingest-tokens.ts'
import { formatToken, type TokenPrefix } from '../../../src/secrets/token-format.ts'
import { createServices } from '../../../src/services.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { logOptions } from '../../../src/logging/log.ts'
import { runSync } from '../../../src/sync/run-sync.ts'
import { setSource } from '../../../src/sync/set-source.ts'
import { type MailServer, startMailServer } from '../../identity/upstreams/mail-server.ts'
import {
  clientSecret,
  type OauthUpstream,
  startOauthUpstream,
  upstreamSettings,
} from '../../identity/upstreams/oauth-upstream.ts'
import {
  approvedApp,
  codeFor,
  redeemCode,
  refreshTokens,
  requestIdOf,
  authorizeUrl,
  signedInBrowser,
  type SignedIn,
  type TestApp,
  tokensFor,
} from '../../support/oauth-flow.ts'
import { openBrowser } from '../../support/oauth-browser.ts'
import { testPasskey } from '../../support/oauth-passkey.ts'
import { ISSUER, type SignInService } from '../../support/oauth-service.ts'
import { createPersonas, OWNER_ACCOUNT } from '../../support/personas.ts'
import { startService, type TestService } from '../../support/service.ts'

// T9: searches a dump of the database and the log at `trace` for all secrets that the service issued.
const SECRET = 'a secret of at least thirty-two characters'

let service: TestService
let upstream: OauthUpstream
let mail: MailServer
let flow: SignInService
let app: TestApp
let user: SignedIn
let csrf: string
let dump: string
const log: string[] = []
/** The issued secrets, each with its kind. */
const secrets = new Map<string, string>([['secret of the installation', SECRET]])

const keep = (name: string, value: string | undefined) => {
  expect(value, name).toMatch(/^.{8,}$/)
  secrets.set(name, value as string)
  return value as string
}

beforeAll(async () => {
  const stream = new PassThrough().on('data', (chunk: Buffer) => log.push(chunk.toString()))
  upstream = await startOauthUpstream()
  mail = await startMailServer()
  service = await startService({
    log: pino(logOptions('trace'), stream),
    settings: {
      QUESTBOARD_PUBLIC_URL: ISSUER,
      QUESTBOARD_SECRET: SECRET,
      QUESTBOARD_WEBHOOK_HOSTS: '127.0.0.1:9',
      QUESTBOARD_TRUSTED_PROXIES: '127.0.0.1',
      ...upstreamSettings(upstream.url),
      QUESTBOARD_OUTGOING_HOSTS: `${upstream.host},127.0.0.1:9`,
      QUESTBOARD_SMTP_URL: mail.url,
      QUESTBOARD_MAIL_FROM: 'Questboard <no-reply@questboard.test>',
      QUESTBOARD_EVM_RPC: `1=${keep('URL of a node', 'http://127.0.0.1:9/v3/project-key-of-the-node')}`,
    },
  })
  const { fastify } = service.app
  const services = createServices(service.deps)
  flow = { ...service, fastify, services, issuer: ISSUER, routes: [], routeTable: [], close: () => service.stop() }
  app = await approvedApp(flow, { expiringTokens: true })
  user = await signedInBrowser(flow)
  await useTokensOfServers()
  await useSignIn()
  await useDashboard()
  await useOthers()
  await failInside()
  dump = await dumped()
})
afterAll(() => Promise.all([service.stop(), upstream.close(), mail.close()]))

const call = (path: string, headers: Record<string, string>, body?: unknown) =>
  fetch(service.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })

async function useTokensOfServers(): Promise<void> {
  const personas = await createPersonas(service.deps)
  const query = '{ space(id: 40) { name } }'
  for (const [name, token] of Object.entries(personas) as [string, string | undefined][]) {
    if (token !== undefined) keep(`server token of ${name}`, token)
    for (const body of [{ query }, { query: `{ ${token ?? 'x'} }` }, `{"query": ${token}`])
      await call('/query', { 'access-token': token ?? '' }, body)
    await call(`/query?access-token=${token}`, { authorization: `Bearer ${token}x` }, { query })
    await call(`/nowhere?token=${token}`, { 'access-token': token ?? '' })
  }
  const { token } = await createIngestToken(service.deps, { accountId: OWNER_ACCOUNT, name: 'i', spaces: 'all' })
  keep('ingest token', token)
  const spaces = { items: [{ spaceId: 40, name: 'Forty' }] }
  for (const value of [token, `${token}x`, secrets.get('server token of business') as string])
    for (const path of ['/ingest/v1/spaces', `/ingest/v1/awards?access_token=${value}`])
      await call(path, { authorization: `Bearer ${value}` }, spaces)
}

async function useSignIn(): Promise<void> {
  const scope = 'EVMAddress openid'
  const tokens = await tokensFor(flow, user.browser, app, { scope })
  const code = keep('spent code', await codeFor(user.browser, app))
  await redeemCode(flow, app, code)
  await redeemCode(flow, app, code)
  const unspent = keep('code', await codeFor(user.browser, app))
  await redeemCode(flow, { ...app, secret: `${app.secret}x` }, unspent)
  keep('client secret', app.secret)
  keep('rotated refresh token', tokens.refresh_token)
  keep('rotated access token', tokens.access_token)
  const next = (await refreshTokens(flow, app, tokens.refresh_token as string)).json<typeof tokens>()
  keep('refresh token', next.refresh_token)
  const access = keep('access token', next.access_token)
  keep('id_token', tokens.id_token)
  for (const path of ['/oauth/api/2/token', '/oauth/api/2/user', '/oauth/userinfo', '/oauth/elsewhere'])
    for (const value of [access, `${access}x`, next.refresh_token as string]) {
      await call(path, { access_token: value })
      await call(`${path}?access_token=${value}`, { authorization: `Bearer ${value}` })
    }
  for (const [name, value] of Object.entries({ code: unspent, client_secret: app.secret, refresh_token: access }))
    await call(`/oauth/auth/2/token?${name}=${value}`, { [name]: value }, { [name]: value, client_id: app.clientId })
  await user.browser.get(authorizeUrl(app, { code: unspent, request_uri: `https://x.example/${access}` }))
  const page = requestIdOf(await user.browser.get(authorizeUrl(app, { scope, prompt: 'consent' })))
  await openBrowser(flow.fastify).get(`/api/authorizations/${page}`)
}

async function useDashboard(): Promise<void> {
  const { browser } = user
  for (const path of ['/api/tokens', '/api/ingest-tokens']) {
    const made = await browser.call('POST', path, { name: 'mine', ...(path.includes('ingest') && { spaces: [] }) })
    const token = made.json<{ token?: string }>().token
    if (made.statusCode === 201) keep(`token of ${path}`, token)
  }
  keep('webhook secret', (await createHook()).json<{ secret: string }>().secret)
  const passkey = testPasskey({ origin: ISSUER, rpId: new URL(ISSUER).hostname })
  const challenge = await browser.call('POST', '/api/challenges', { kind: 'ServiceID', purpose: 'link' })
  const { id, webauthn } = challenge.json<{
    id: string
    webauthn: { creation: Parameters<typeof passkey.register>[0] }
  }>()
  keep('spent challenge', webauthn.creation.challenge)
  expect(
    (await browser.call('POST', `/api/challenges/${id}/proof`, passkey.register(webauthn.creation))).statusCode,
  ).toBe(200)
  await browser.call('POST', `/api/challenges/${id}/proof`, { address: 'x', signature: app.secret })
  csrf = keep('CSRF token', await browser.csrfToken())
  // Pages read the mark of signed-in members.
  for (const [name, value] of browser.cookies) if (!name.endsWith('-signed-in')) keep(`cookie ${name}`, value)
  await browser.send({ method: 'POST', url: '/api/tokens', headers: { 'x-csrf-token': `${csrf}x` }, body: {} })
}

async function createHook() {
  await service.database.query('UPDATE spaces SET owner_account_id = $1', [user.account.id])
  await service.database.query('INSERT INTO operators VALUES ($1, now())', [user.account.id])
  const form = { url: 'http://127.0.0.1:9/hook', events: ['points.awarded'], spaceIds: [40] }
  return user.browser.call('POST', '/api/webhooks', form)
}

/** Calls other sites, a mail server, a node and a source, each also with a failure. */
async function useOthers(): Promise<void> {
  keep('client secret at other sites', clientSecret)
  const browser = openBrowser(flow.fastify)
  upstream.now = () => service.clock.now()
  const signInAtDiscord = async (name: string) => {
    const started = await browser.get('/identity/Discord/start')
    const query = upstream.consent(String(started.headers.location), { id: '80351110224678912', username: 'octocat' })
    keep(`code of another site, ${name}`, query.get('code') ?? undefined)
    return browser.get(`/identity/Discord/callback?${query.toString()}`)
  }
  expect((await signInAtDiscord('spent')).statusCode).toBe(303)
  upstream.override.set('/api/v10/oauth2/token', (_request, response) => void response.writeHead(500).end('no'))
  await signInAtDiscord('that was not taken')

  keep('password at the mail server', 'mail password')
  const byMail = { kind: 'Email', purpose: 'sign-in', address: 'somebody@example.com' }
  const { id } = (await browser.call('POST', '/api/challenges', byMail)).json<{ id: string }>()
  const code = keep('code of a mail', /Your code: ([0-9A-Z-]{15})/.exec(mail.mails.at(-1)?.raw ?? '')?.[1])
  keep('code of a mail without its dashes', code.replaceAll('-', ''))
  await openBrowser(flow.fastify).call('POST', `/api/challenges/${id}/proof`, { code })
  mail.refusing = true
  await browser.call('POST', '/api/challenges', byMail)

  const contract = { kind: 'EVMAddress', purpose: 'sign-in', address: `0x${'c'.repeat(40)}`, chainId: 1 }
  const asked = (await browser.call('POST', '/api/challenges', contract)).json<{ id: string }>()
  await browser.call('POST', `/api/challenges/${asked.id}/proof`, { signature: `0x${'1'.repeat(200)}` })

  const named = { id: '77', name: 'Sourced', credType: 'EVM_ADDRESS', credSource: 'REST' }
  await importRecords(service.deps, 'credentials', [named])
  const headers = { authorization: keep('header of a source', 'Bearer key-in-the-header-of-a-source') }
  const url = keep('URL of a source', 'http://127.0.0.1:9/holders?key=in-the-url-of-a-source')
  await setSource(service.deps, '77', { kind: 'REST', url, headers, everySeconds: 600 })
  await runSync(service.deps, '77', { pause: async () => {} }).catch(() => {}) // it fails on purpose
}

/** Causes failures of the database, which the log records with their cause. */
async function failInside(): Promise<void> {
  const tables = ['grants', 'server_tokens', 'sessions', 'authorization_codes']
  for (const table of tables) await service.database.query(`ALTER TABLE ${table} RENAME TO ${table}_away`)
  const access = secrets.get('access token') as string
  expect((await call('/oauth/api/2/token', { access_token: access })).status).toBe(500)
  const business = secrets.get('server token of business') as string
  expect((await call('/query', { 'access-token': business }, { query: '{ __typename }' })).status).toBe(500)
  expect((await redeemCode(flow, app, secrets.get('code') as string)).statusCode).toBe(500)
  expect((await user.browser.get('/api/session')).statusCode).toBe(500)
  for (const table of tables) await service.database.query(`ALTER TABLE ${table}_away RENAME TO ${table}`)
}

/** All rows of all tables, as text. */
async function dumped(): Promise<string> {
  const tables = await service.database.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  )
  const parts: string[] = []
  for (const { name } of tables) {
    const rows = await service.database.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`)
    parts.push(...rows.map(({ text }) => text))
  }
  return parts.join('\n')
}

test('T9: has enough issued secrets, log lines and rows', () => {
  expect(secrets.size).toBeGreaterThanOrEqual(28)
  const text = log.join('')
  for (const line of [
    'query',
    'the synchronization of a credential failed',
    'security event',
    'OAuth request refused',
    'OAuth request failed',
    'a query failed',
  ])
    expect(text).toContain(`"msg":"${line}"`)
  for (const stored of [app.clientId, user.account.id, 'session.started', 'points.awarded'])
    expect(dump).toContain(stored)
})

test('logs the requests of a token, and which tokens an account created or revoked', async () => {
  const lines = log
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const about = lines.filter(({ msg }) => ['oauth', 'security event', 'OAuth request refused'].includes(msg as string))
  const ofRequests = about.filter(({ msg, client, account }) => msg !== 'security event' || (client && account))
  const [grant] = await service.database.query<{ id: string }>(
    `SELECT encode(g.family, 'hex') AS id FROM grants g JOIN refresh_tokens t USING (family) WHERE t.rotated_at IS NOT NULL`,
  )
  const ofGrant = ofRequests.filter(({ grant_id }) => grant_id === grant?.id)
  expect(new Set(ofGrant.map(({ operation, status }) => `${String(operation)} ${String(status)}`))).toEqual(
    new Set([
      'POST /oauth/auth/2/token 200',
      'GET /oauth/api/2/token 200',
      'GET /oauth/api/2/token 500',
      'GET /oauth/api/2/user 200',
      'GET /oauth/userinfo 200',
    ]),
  )
  for (const line of ofGrant.filter(({ status }) => status === 200))
    expect(line).toMatchObject({ client_id: app.clientId, request_id: expect.any(String) as string })
  const replay = lines.find(({ audit }) => audit === 'grant.code-replayed')
  expect(replay).toMatchObject({ client: app.clientId, request_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string })
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'OAuth request refused', request_id: replay?.request_id }),
  )
  const made = lines.find(({ audit }) => audit === 'token.created')
  expect(made).toMatchObject({
    token_id: expect.any(String) as string,
    request_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
  })
})

test.each(['log', 'dump'])(
  'T9: the %s contains no secret, in whole or in great part, in any usual encoding',
  (where) => {
    const text = where === 'log' ? log.join('') : dump
    for (const [name, value] of secrets) {
      const known = ['id_token', 'spent challenge'].includes(name) // not secret
      const forms = [
        value,
        encodeURIComponent(value),
        Buffer.from(value).toString('base64'),
        Buffer.from(value).toString('hex'),
      ]
      if (!known) forms.push(value.slice(4, 28))
      for (const form of forms.filter((each) => each.length >= 8))
        expect(text.includes(form), `${name} in the ${where}`).toBe(false)
    }
  },
)

test('T9: accepts no value of the dump at any endpoint', async () => {
  const words = new Set(dump.match(/[\w-]{16,}/g))
  const bytes = [...new Set(dump.match(/\\x[0-9a-f]{64}(?![0-9a-f])/g))].map((hex) => Buffer.from(hex.slice(2), 'hex'))
  expect(words.size).toBeGreaterThan(100)
  expect(bytes.length).toBeGreaterThan(15)
  expect([...words].filter((word) => /^(qb[a-z]_|whsec_)/.test(word))).toEqual([])

  const refused: Record<TokenPrefix, (token: string) => Promise<boolean>> = {
    qbs: async (token) => (await call('/query', { 'access-token': token }, { query: '{ __typename }' })).status === 401,
    qbp: async (token) =>
      (await call('/query', { 'access-token': token, origin: 'http://localhost' }, { query: '{ __typename }' }))
        .status === 401,
    qbi: async (token) => (await call('/ingest/v1/spaces', { authorization: `Bearer ${token}` }, {})).status === 401,
    qbu: async (token) => (await call('/oauth/api/2/token', { access_token: token })).status === 401,
    qbr: async (token) => (await refreshTokens(flow, app, token)).statusCode === 400,
    qbc: async (token) => (await redeemCode(flow, app, token)).statusCode === 400,
    qbo: async (code) => {
      const visitor = await signedInBrowser(flow)
      return (await visitor.browser.call('POST', '/api/operator/invitations/accept', { code })).statusCode === 404
    },
    qbt: async (code) => {
      const visitor = await signedInBrowser(flow)
      return (await visitor.browser.call('POST', '/api/team-invitations/accept', { code })).statusCode === 404
    },
    qbx: async (token) => {
      service.clock.advance(3_000) // below the limit of failures
      return (await redeemCode(flow, { ...app, secret: token }, 'x')).statusCode === 401
    },
  }
  for (const hash of bytes)
    for (const [prefix, isRefused] of Object.entries(refused))
      expect(await isRefused(formatToken(prefix as TokenPrefix, hash)), prefix).toBe(true)

  const texts = new Set([...words, ...bytes.flatMap((hash) => [hash.toString('base64url'), hash.toString('hex')])])
  expect(texts.has(csrf)).toBe(false)
  for (const text of [...texts].filter((each) => /^[0-9A-Za-z]{43}$/.test(each))) {
    const intruder = openBrowser(flow.fastify)
    for (const name of user.browser.cookies.keys()) intruder.cookies.set(name, text)
    expect((await intruder.get('/api/session')).json()).toMatchObject({ account: null })
  }
  const stranger = openBrowser(flow.fastify)
  for (const text of [...words].filter((each) => /^[0-9A-Za-z]{16,40}$/.test(each)).slice(0, 200)) {
    expect((await stranger.get(`/api/authorizations/${text}`)).statusCode).toBe(404)
  }
})
