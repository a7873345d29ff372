import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import { type AppDecision, decideApp } from '../../../src/oauth/apps.ts'
import { type OauthUpstream, startOauthUpstream, upstreamSettings } from '../../identity/upstreams/oauth-upstream.ts'
import { withStatus } from '../../support/oauth-apps.ts'
import { type Browser, openBrowser, signInWithWallet } from '../../support/oauth-browser.ts'
import {
  allow,
  approvedApp,
  authorizeUrl,
  CALLBACK,
  codeFor,
  postForm,
  redeemCode,
  refreshTokens,
  requestIdOf,
  signedInBrowser,
  type TestApp,
  tokenDetail,
  type Tokens,
  tokensFor,
  TOKEN_URL,
  userData,
} from '../../support/oauth-flow.ts'
import { testPasskey } from '../../support/oauth-passkey.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'
import { testWallet } from '../../support/oauth-wallet.ts'

// Attacks found in a security review of the code.
let upstream: OauthUpstream
let service: SignInService
let app: TestApp
beforeAll(async () => {
  upstream = await startOauthUpstream()
  service = await startSignIn({ settings: upstreamSettings(upstream.url) })
  app = await approvedApp(service)
})
beforeEach(() => service.clock.advance(61_000))
afterAll(async () => {
  await Promise.all([service.close(), upstream.close()])
})

test('attack 91: restricts an app that is approved again for fewer scopes, also with old tokens and an empty scope', async () => {
  const owner = await signedInBrowser(service)
  const narrowed = await approvedApp(service, { expiringTokens: true }, owner.account.id)
  const { browser } = await signedInBrowser(service)
  const tokens = await tokensFor(service, browser, narrowed, { scope: 'EVMAddress ServiceID' })
  await decideApp(service.services, narrowed.clientId, 'refuse', { reason: 'too curious' })
  const changed = await owner.browser.call('PATCH', `/api/apps/${narrowed.clientId}`, { scopes: ['ServiceID'] })
  await decideApp(service.services, narrowed.clientId, 'approve', changed.json<{ revision: number }>())
  expect((await tokenDetail(service, tokens.access_token)).json()).toMatchObject({ scope: 'ServiceID' })
  expect(Object.keys((await userData(service, tokens.access_token)).json())).toEqual([
    'ServiceID',
    'ServiceUserID',
    'GalxeID',
    'GalxeUserID',
  ])
  const union = await tokensFor(service, browser, narrowed, { scope: undefined })
  expect(union.scope).toBe('ServiceID')
  const refreshed = await refreshTokens(service, narrowed, tokens.refresh_token as string)
  expect(refreshed.json<Tokens>().scope).toBe('ServiceID')
})

test('attack 92: distinguishes the new owner of a released username from the previous owner', async () => {
  const before = await signedInBrowser(service)
  const after = await signedInBrowser(service)
  const rename = ({ browser }: typeof before, username: string) => browser.call('PATCH', '/api/account', { username })
  await rename(before, 'alice')
  const old = await tokensFor(service, before.browser, app, { scope: 'ServiceID' })
  await rename(before, 'alice-of-old')
  expect((await rename(after, 'ALICE')).statusCode).toBe(200)
  const remembered = await tokensFor(service, before.browser, app, { scope: 'ServiceID' })
  for (const { access_token } of [old, remembered])
    expect((await userData(service, access_token)).json()).toMatchObject({
      ServiceID: 'alice-of-old',
      ServiceUserID: before.account.id,
    })
})

test('attack 93: assigns a username to one account in upper or lower case, also concurrently', async () => {
  const users = await Promise.all(Array.from({ length: 8 }, () => signedInBrowser(service)))
  const names = ['Rook', 'rook', 'ROOK', 'rOOk', 'roOk', 'rooK', 'RooK', 'rOoK']
  const answers = await Promise.all(
    users.map(({ browser }, n) => browser.call('PATCH', '/api/account', { username: names[n] })),
  )
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
  const winner = users[answers.findIndex(({ statusCode }) => statusCode === 200)]
  expect((await winner?.browser.call('PATCH', '/api/account', { username: 'rOoK' }))?.statusCode).toBe(200)
})

test.each(['/.//evil.example', '/..//evil.example', '/a/..//evil.example', '/%2e//evil.example', '/./\\evil.example'])(
  'attack 94: a failed sign-in does not return to another site by %j',
  async (path) => {
    const browser = openBrowser(service.fastify)
    const started = await browser.get(`/identity/Discord/start?return=${encodeURIComponent(path)}`)
    expect(started.statusCode).toBe(400)
  },
)

test('attack 95: keeps cookies and requests of a browser after a form of another site', async () => {
  const { browser } = await signedInBrowser(service)
  const id = requestIdOf(await browser.get(authorizeUrl(app)))
  // SameSite=Lax: the browser sends no cookies with the foreign form, but stores the cookies of the response.
  const posted = await service.fastify.inject({
    method: 'POST',
    url: '/oauth',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: authorizeUrl(app).slice('/oauth?'.length),
  })
  expect(posted.cookies).toEqual([])
  expect((await browser.get(`/api/authorizations/${id}`)).statusCode).toBe(200)
})

describe('attack 96: rejected sign-ins', () => {
  const refusals = async (accountId: string) =>
    service.database.query<{ details: unknown; address: string }>(
      `SELECT details, address FROM security_events WHERE account_id = $1 AND event = 'session.refused'`,
      [accountId],
    )
  const attempt = async (address: string, { fastify } = service) => {
    const stranger = openBrowser(fastify, '203.0.113.9')
    const challenge = await stranger.call('POST', '/api/challenges', {
      kind: 'EVMAddress',
      purpose: 'sign-in',
      address,
    })
    const { id, message } = challenge.json<{ id: string; message: string }>()
    const proof = { signature: testWallet().sign(message) }
    return stranger.call('POST', `/api/challenges/${id}/proof`, proof)
  }
  test('only the owner of the claimed wallet sees them', async () => {
    const { browser, account } = await signedInBrowser(service)
    service.clock.advance(1000)
    expect((await attempt(account.wallet.address)).statusCode).toBe(401)
    expect((await attempt(testWallet().address)).statusCode).toBe(401)
    await expect
      .poll(() => refusals(account.id))
      .toEqual([{ details: { how: 'EVMAddress', reason: 'address_mismatch' }, address: '203.0.113.9' }])
    const { events } = (await browser.get('/api/audit')).json<{ events: { event: string }[] }>()
    expect(events[0]?.event).toBe('session.refused')
  })
  test('the owner of a passkey sees those of the passkey', async () => {
    const options = { origin: 'https://id.questboard.test', rpId: 'id.questboard.test' }
    const owner = openBrowser(service.fastify)
    const account = await signInWithWallet(owner)
    const passkey = testPasskey(options)
    interface Challenge {
      id: string
      webauthn: { request: { challenge: string }; creation: { challenge: string } }
    }
    const ask = async (browser: typeof owner, purpose: string) =>
      (await browser.call('POST', '/api/challenges', { kind: 'ServiceID', purpose })).json<Challenge>()
    const link = await ask(owner, 'link')
    await owner.call('POST', `/api/challenges/${link.id}/proof`, passkey.register(link.webauthn.creation))
    const stranger = openBrowser(service.fastify)
    const { id } = await ask(stranger, 'sign-in')
    const replayed = passkey.authenticate({ challenge: 'AAAA' })
    expect((await stranger.call('POST', `/api/challenges/${id}/proof`, replayed)).statusCode).toBe(401)
    await expect
      .poll(() => refusals(account.id))
      .toMatchObject([{ details: { how: 'ServiceID', reason: 'bad_signature' } }])
  })
  test('the service logs at most twenty an hour', async () => {
    const { account } = await signedInBrowser(service)
    for (let n = 0; n < 22; n++) await attempt(account.wallet.address)
    const counted = async () =>
      service.database.query('SELECT attempts FROM attempt_windows WHERE name = $1', [`sign-in-refused:${account.id}`])
    await expect.poll(counted).toEqual([{ attempts: 22 }])
    await expect.poll(() => refusals(account.id)).toHaveLength(20)
  })
  test('the service logs them after the response, so that its duration reveals no account, and before it stops', async () => {
    const { account } = await signedInBrowser(service)
    const { database, clock } = service
    const stopping = await startSignIn({ database, clock })
    const holder = await database.pool.connect()
    try {
      await holder.query('BEGIN; LOCK TABLE security_events IN SHARE MODE')
      expect((await attempt(account.wallet.address, stopping)).statusCode).toBe(401)
    } finally {
      const closing = stopping.close()
      await holder.query('COMMIT')
      holder.release()
      await closing
    }
    expect(await refusals(account.id)).toHaveLength(1)
  })
})

test('attack 97: reports guesses of an app secret to its owner once a minute', async () => {
  const owner = await signedInBrowser(service)
  const guessed = await approvedApp(service, {}, owner.account.id)
  const guess = (n: number) =>
    postForm(
      service,
      TOKEN_URL,
      { client_id: guessed.clientId, client_secret: 'no', code: 'x' },
      {},
      `192.0.2.${n % 8}`,
    )
  for (let n = 0; n < 110; n++) await guess(n)
  const { events } = (await owner.browser.get('/api/audit')).json<{ events: { event: string; clientId: string }[] }>()
  expect(events.filter(({ event }) => event === 'app.secret-guessed')).toMatchObject([{ clientId: guessed.clientId }])
})

test('attack 98: counts failures of unknown apps like those of existing apps', async () => {
  const guess = (clientId: string, n: number) =>
    postForm(service, TOKEN_URL, { client_id: clientId, client_secret: 'no', code: 'x' }, {}, `198.51.100.${n % 8}`)
  for (const clientId of [app.clientId, 'thereisnosuchapp1234']) {
    service.clock.advance(61_000)
    for (let n = 0; n < 100; n++) expect((await guess(clientId, n)).statusCode).toBe(401)
    expect((await guess(clientId, 101)).statusCode).toBe(429)
  }
})

test('attack 99: creates no app without an owner if the account is deleted at the same time', async () => {
  for (let n = 0; n < 4; n++) {
    const { browser, account } = await signedInBrowser(service)
    const csrf = { 'x-csrf-token': await browser.csrfToken() }
    const form = { name: 'App', purpose: 'Tests', redirectUris: [CALLBACK], scopes: [] }
    const [applied, deleted] = await Promise.all([
      browser.send({ method: 'POST', url: '/api/apps', headers: csrf, body: form }),
      browser.send({ method: 'DELETE', url: '/api/account', headers: csrf }),
    ])
    expect([
      [201, 409],
      [401, 204],
    ]).toContainEqual([applied.statusCode, deleted.statusCode])
    const owned = await service.database.query('SELECT 1 FROM apps WHERE owner_account_id = $1', [account.id])
    expect(owned).toHaveLength(applied.statusCode === 201 ? 1 : 0)
  }
})

test('attack 100: rejects a consent after a suspension of the app', async () => {
  const suspended = await approvedApp(service)
  const { browser } = await signedInBrowser(service)
  const id = requestIdOf(await browser.get(authorizeUrl(suspended)))
  await withStatus(service, suspended, 'suspended')
  expect((await browser.get(`/api/authorizations/${id}`)).statusCode).toBe(404)
  expect((await browser.call('POST', `/api/authorizations/${id}`, { decision: 'allow' })).statusCode).toBe(404)
  await withStatus(service, suspended, 'approved')
  expect((await allow(browser, suspended)).searchParams.get('code')).toMatch(/^qbc_/)
})

describe('attack 102: an approved app redirects only to reviewed URIs', () => {
  const elsewhere = 'https://evil.example/callback'
  const second = 'https://app.example.com/second'

  test('requires a review of new redirect URIs and keeps the approved ones', async () => {
    const owner = await signedInBrowser(service)
    const own = await approvedApp(service, { redirectUris: [CALLBACK, second] }, owner.account.id)
    const change = async (redirectUris: string[]) => {
      const answer = await owner.browser.call('PATCH', `/api/apps/${own.clientId}`, { redirectUris })
      return answer.json<{ redirectUris: string[]; proposedRedirectUris: string[] | null; revision: number }>()
    }
    const decide = (decision: AppDecision, revision?: number) =>
      decideApp(service.services, own.clientId, decision, { revision })
    const { browser } = await signedInBrowser(service)
    const lands = async (redirect_uri: string) =>
      (await browser.get(authorizeUrl(own, { redirect_uri }))).statusCode === 303

    const { revision, ...proposed } = await change([CALLBACK, elsewhere])
    expect(proposed).toMatchObject({ redirectUris: [CALLBACK], proposedRedirectUris: [CALLBACK, elsewhere] })
    expect(await Promise.all([CALLBACK, second, elsewhere].map(lands))).toEqual([true, false, false])
    await expect(decide('accept-changes')).rejects.toMatchObject({ field: 'revision' })
    const newer = await change([CALLBACK, `${elsewhere}/2`])
    await expect(decide('accept-changes', revision)).rejects.toMatchObject({ code: 'app_changed' })
    await decide('refuse-changes')
    expect(await lands(elsewhere)).toBe(false)
    await expect(decide('accept-changes', newer.revision)).rejects.toMatchObject({ code: 'wrong_status' })

    const again = await change([elsewhere])
    expect(again).toMatchObject({ redirectUris: [CALLBACK], proposedRedirectUris: [elsewhere] })
    expect(await change([CALLBACK])).toMatchObject({ redirectUris: [CALLBACK], proposedRedirectUris: null })
    const wanted = await change([elsewhere])
    expect((await decide('accept-changes', wanted.revision)).redirectUris).toEqual([elsewhere])
    expect(await Promise.all([CALLBACK, elsewhere].map(lands))).toEqual([false, true])
    const { rows } = await service.database.pool.query<{ event: string }>(
      `SELECT event FROM security_events WHERE client_id = $1 AND event LIKE 'app.changes-%' ORDER BY event`,
      [own.clientId],
    )
    expect(rows.map(({ event }) => event)).toEqual(['app.changes-accepted', 'app.changes-refused'])
  })

  test('issues no code on an open page whose redirect URI was removed', async () => {
    const owner = await signedInBrowser(service)
    const own = await approvedApp(service, { redirectUris: [CALLBACK, second] }, owner.account.id)
    const { browser } = await signedInBrowser(service)
    const id = requestIdOf(await browser.get(authorizeUrl(own, { redirect_uri: second })))
    await owner.browser.call('PATCH', `/api/apps/${own.clientId}`, { redirectUris: [CALLBACK] })
    expect((await browser.call('POST', `/api/authorizations/${id}`, { decision: 'allow' })).statusCode).toBe(404)
  })
})

test('attack 101: rejects tokens of other apps like unknown ones, without waiting for locks', async () => {
  const stranger = await approvedApp(service, { expiringTokens: true })
  const expiring = await approvedApp(service, { expiringTokens: true })
  const { browser } = await signedInBrowser(service)
  const { refresh_token } = await tokensFor(service, browser, expiring)
  const code = await codeFor(browser, expiring)
  const holder = await service.database.pool.connect()
  try {
    await holder.query('BEGIN; LOCK TABLE grants, authorization_codes IN EXCLUSIVE MODE')
    expect((await refreshTokens(service, stranger, refresh_token as string)).statusCode).toBe(400)
    expect((await redeemCode(service, stranger, code)).statusCode).toBe(400)
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
  expect((await refreshTokens(service, expiring, refresh_token as string)).statusCode).toBe(200)
  expect((await redeemCode(service, expiring, code)).statusCode).toBe(200)
})

test('attack 103: limits an account to a hundred sessions and ends the least recently used session', async () => {
  const { browser, account } = await signedInBrowser(service)
  await service.database.query(
    `INSERT INTO sessions SELECT sha256(n::text::bytea), gen_random_uuid(), account_id, authenticated_at,
       last_seen_at - n * interval '1 minute', expires_at, n::text, address
     FROM sessions, generate_series(1, 100) n WHERE account_id = $1`,
    [account.id],
  )
  const listed = async () => {
    const { sessions } = (await browser.get('/api/sessions')).json<{ sessions: { userAgent: string }[] }>()
    return sessions.map(({ userAgent }) => userAgent).filter((name) => /^\d+$/.test(name))
  }
  expect(await listed()).toHaveLength(99)
  await signInWithWallet(openBrowser(service.fastify), account.wallet)
  expect((await listed()).at(-1)).toBe('98')
  await signInWithWallet(browser, account.wallet)
  expect((await listed()).at(-1)).toBe('98')
  const rows = await service.database.query('SELECT FROM sessions WHERE account_id = $1', [account.id])
  expect(rows).toHaveLength(100)
})

test('attack 104: limits new accounts per network and hour, but not sign-ins to existing accounts', async () => {
  const settings = { QUESTBOARD_NEW_ACCOUNTS_PER_NETWORK: '2' }
  const { database, clock } = service
  const strict = await startSignIn({ settings, database, clock })
  const signInFrom = (address: string, wallet = testWallet()) =>
    signInWithWallet(openBrowser(strict.fastify, address), wallet)
  try {
    const { wallet } = await signInFrom('203.0.113.40')
    await signInFrom('203.0.113.40')
    await expect(signInFrom('203.0.113.40')).rejects.toThrow('too_many_requests')
    await signInFrom('203.0.113.40', wallet)
    await signInFrom('203.0.113.41')
    clock.advance(3_600_000)
    const same = testWallet()
    await Promise.allSettled([signInFrom('203.0.113.40', same), signInFrom('203.0.113.40', same)])
    await signInFrom('203.0.113.40')
  } finally {
    await strict.close()
  }
})

test('attack 105: requires a recent sign-in to delete an app, create a secret or review an app', async () => {
  const { browser, account } = await signedInBrowser(service)
  await setOperator(service.database.kysely, account.id, new Date(service.clock.now()))
  const own = await approvedApp(service, {}, account.id)
  const calls = [
    ['DELETE', `/api/apps/${own.clientId}/users`, 200],
    ['POST', `/api/apps/${own.clientId}/secrets`, 201],
    ['POST', `/api/operator/apps/${own.clientId}/suspend`, 200],
    ['DELETE', `/api/apps/${own.clientId}`, 204],
  ] as const
  service.clock.advance(60 * 60_000 + 1)
  for (const [method, url] of calls)
    expect((await browser.call(method, url)).json(), url).toMatchObject({ error: { code: 'fresh_sign_in_required' } })
  await signInWithWallet(browser, account.wallet)
  for (const [method, url, status] of calls) expect((await browser.call(method, url)).statusCode, url).toBe(status)
})

test('attack 68: asks on our page before a link from another site replaces the session', async () => {
  const start = (browser: Browser, site: string) =>
    browser.get('/identity/Discord/start?return=/settings', { 'sec-fetch-site': site })
  const stranger = openBrowser(service.fastify)
  expect((await start(stranger, 'cross-site')).headers.location).toMatch(upstream.url)
  const { browser } = await signedInBrowser(service)
  for (const site of ['cross-site', 'same-site'])
    expect((await start(browser, site)).headers.location).toBe('/sign-in?return=%2Fsettings')
  expect((await start(browser, 'same-origin')).headers.location).toMatch(upstream.url)
})
