import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import { openBrowser, signInWithWallet } from '../../support/oauth-browser.ts'
import {
  allow,
  approvedApp,
  authorizeUrl,
  countRows,
  redeemCode,
  requestIdOf,
  signedInBrowser,
  type TestApp,
  type Tokens,
} from '../../support/oauth-flow.ts'
import { ISSUER, type SignInService, startSignIn } from '../../support/oauth-service.ts'
import { testWallet } from '../../support/oauth-wallet.ts'

let service: SignInService
let app: TestApp
beforeAll(async () => {
  service = await startSignIn()
  app = await approvedApp(service)
})
afterAll(() => service.close())

const SESSION = '__Host-questboard-session'
const MARK = '__Host-questboard-signed-in'
const BROWSER = '__Host-questboard-browser'

test('attack 66: forbids framing of the sign-in pages', async () => {
  const browser = openBrowser(service.fastify)
  const id = requestIdOf(await browser.get(authorizeUrl(app)))
  for (const page of [await browser.get(`/authorize/${id}`), await browser.get('/oauth')]) {
    expect(page.headers['x-frame-options']).toBe('DENY')
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
  }
})

describe('attack 67: rejects a consent', () => {
  const decision = { decision: 'allow', identities: {} }
  test('without a CSRF token, or with the token of another session', async () => {
    const { browser } = await signedInBrowser(service)
    const stranger = await signedInBrowser(service)
    const anonymous = openBrowser(service.fastify)
    anonymous.cookies.set(BROWSER, browser.cookies.get(BROWSER) as string)
    const before = await anonymous.csrfToken()
    const id = requestIdOf(await browser.get(authorizeUrl(app)))
    const rows = await countRows(service)
    for (const token of [undefined, '', 'x', await stranger.browser.csrfToken(), before]) {
      const response = await browser.send({
        method: 'POST',
        url: `/api/authorizations/${id}`,
        headers: token === undefined ? {} : { 'x-csrf-token': token },
        body: decision,
      })
      expect(response.statusCode).toBe(403)
      expect(response.json()).toMatchObject({ error: { code: 'bad_csrf_token' } })
    }
    expect(await countRows(service)).toEqual(rows)
  })
  test('with a form body, which other sites can send', async () => {
    const { browser } = await signedInBrowser(service)
    const id = requestIdOf(await browser.get(authorizeUrl(app)))
    const response = await service.fastify.inject({
      method: 'POST',
      url: `/api/authorizations/${id}`,
      headers: {
        cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'content-type': 'application/x-www-form-urlencoded',
        'x-csrf-token': await browser.csrfToken(),
      },
      payload: 'decision=allow',
    })
    expect(response.statusCode).toBe(415)
  })
  test('in another browser, also of the same user', async () => {
    const wallet = testWallet()
    const browser = openBrowser(service.fastify)
    const second = openBrowser(service.fastify)
    await signInWithWallet(browser, wallet)
    await signInWithWallet(second, wallet)
    const id = requestIdOf(await browser.get(authorizeUrl(app)))
    expect((await second.get(`/api/authorizations/${id}`)).statusCode).toBe(404)
    expect((await second.call('POST', `/api/authorizations/${id}`, decision)).statusCode).toBe(404)
    expect((await browser.call('POST', `/api/authorizations/${id}`, decision)).statusCode).toBe(200)
  })
  test('that repeats an earlier one, also concurrently', async () => {
    const { browser } = await signedInBrowser(service)
    const first = requestIdOf(await browser.get(authorizeUrl(app)))
    const csrf = await browser.csrfToken()
    const decide = (id: string) =>
      browser.send({
        method: 'POST',
        url: `/api/authorizations/${id}`,
        headers: { 'x-csrf-token': csrf },
        body: decision,
      })
    const parallel = await Promise.all(Array.from({ length: 5 }, () => decide(first)))
    expect(parallel.map((response) => response.statusCode).sort()).toEqual([200, 404, 404, 404, 404])
    expect((await decide(first)).statusCode).toBe(404)
  })
  test('for another account than the page shows', async () => {
    const browser = openBrowser(service.fastify)
    const shown = await signInWithWallet(browser)
    const id = requestIdOf(await browser.get(authorizeUrl(app)))
    const { id: other } = await signInWithWallet(browser)
    const decide = (account: string) => browser.call('POST', `/api/authorizations/${id}`, { ...decision, account })
    const rows = await countRows(service)
    const refused = await decide(shown.id)
    expect([refused.statusCode, refused.json()]).toMatchObject([409, { error: { code: 'account_changed' } }])
    expect(await countRows(service)).toEqual(rows)
    expect((await decide(other)).statusCode).toBe(200)
  })
  test('after the request has expired', async () => {
    const { browser } = await signedInBrowser(service)
    const id = requestIdOf(await browser.get(authorizeUrl(app)))
    service.clock.advance(30 * 60_000 + 1)
    expect((await browser.call('POST', `/api/authorizations/${id}`, decision)).statusCode).toBe(404)
  })
})

test('attack 68: rejects a proof in a browser that did not request the challenge', async () => {
  const attacker = openBrowser(service.fastify)
  const wallet = testWallet()
  const challenge = (
    await attacker.call('POST', '/api/challenges', {
      kind: 'EVMAddress',
      purpose: 'sign-in',
      address: wallet.address,
    })
  ).json<{ id: string; message: string }>()
  const victim = openBrowser(service.fastify)
  const proof = await victim.call('POST', `/api/challenges/${challenge.id}/proof`, {
    signature: wallet.sign(challenge.message),
  })
  expect(proof.statusCode).toBe(404)
  expect(victim.cookies.has(SESSION)).toBe(false)
})

describe('attack 69: session fixation', () => {
  test('changes the session id at every sign-in and ends the old session', async () => {
    const browser = openBrowser(service.fastify)
    browser.cookies.set(SESSION, 'A'.repeat(43))
    await signInWithWallet(browser)
    const first = browser.cookies.get(SESSION) as string
    expect(first).not.toBe('A'.repeat(43))
    await signInWithWallet(browser)
    const second = browser.cookies.get(SESSION) as string
    expect(second).not.toBe(first)
    const old = openBrowser(service.fastify)
    old.cookies.set(SESSION, first)
    expect((await old.get('/api/session')).json()).toMatchObject({ account: null })
  })
  test('rejects requests that another user started in the same browser', async () => {
    const browser = openBrowser(service.fastify)
    const x = await signInWithWallet(browser)
    const id = requestIdOf(await browser.get(authorizeUrl(app)))
    const pageOfX = await browser.csrfToken()
    const linkOfX = (
      await browser.call('POST', '/api/challenges', {
        kind: 'EVMAddress',
        purpose: 'link',
        address: testWallet().address,
      })
    ).json<{ id: string }>()
    const y = await signInWithWallet(browser)
    const stale = await browser.send({
      method: 'POST',
      url: `/api/authorizations/${id}`,
      headers: { 'x-csrf-token': pageOfX },
      body: { decision: 'allow', identities: {} },
    })
    expect(stale.statusCode).toBe(403)
    const linked = await browser.call('POST', `/api/challenges/${linkOfX.id}/proof`, { signature: '0x00' })
    expect(linked.statusCode).toBe(409)
    const shown = (await browser.get(`/api/authorizations/${id}`)).json<{ account: { id: string } }>()
    expect(shown.account.id).toBe(y.id)
    expect(shown.account.id).not.toBe(x.id)
  })
})

describe('attack 70: prompt', () => {
  const errorOf = (response: { headers: Record<string, unknown> }) =>
    new URL(String(response.headers.location)).searchParams.get('error')
  const silent = (parameters: Record<string, string> = {}) => authorizeUrl(app, { prompt: 'none', ...parameters })

  test('returns login_required without a session', async () => {
    expect(errorOf(await openBrowser(service.fastify).get(silent()))).toBe('login_required')
  })
  test('issues a code silently only for the same user, app and scopes', async () => {
    const { browser } = await signedInBrowser(service)
    expect(errorOf(await browser.get(silent()))).toBe('consent_required')
    await allow(browser, app)
    expect(String((await browser.get(silent())).headers.location)).toContain('code=qbc_')
    expect(errorOf(await browser.get(silent({ scope: 'EVMAddress ServiceID' })))).toBe('consent_required')
    const other = await approvedApp(service)
    expect(errorOf(await browser.get(authorizeUrl(other, { prompt: 'none' })))).toBe('consent_required')
    await signInWithWallet(browser)
    expect(errorOf(await browser.get(silent()))).toBe('consent_required')
  })
  test('skips the page after consent, except for a new scope or prompt=consent', async () => {
    const { browser } = await signedInBrowser(service)
    await allow(browser, app)
    expect(String((await browser.get(authorizeUrl(app))).headers.location)).toContain('code=qbc_')
    requestIdOf(await browser.get(authorizeUrl(app, { scope: 'EVMAddress ServiceID' })))
    requestIdOf(await browser.get(authorizeUrl(app, { prompt: 'consent' })))
    requestIdOf(await browser.get(authorizeUrl(app, { prompt: 'select_account' })))
  })
  test('shows the page again after a withdrawn consent', async () => {
    const { browser } = await signedInBrowser(service)
    await allow(browser, app)
    await browser.call('DELETE', `/api/authorized-apps/${app.clientId}`)
    requestIdOf(await browser.get(authorizeUrl(app)))
  })
  test('requires a new sign-in for prompt=login and max_age', async () => {
    const wallet = testWallet()
    const browser = openBrowser(service.fastify)
    await signInWithWallet(browser, wallet)
    await allow(browser, app)
    service.clock.advance(120_000)
    for (const parameters of [{ prompt: 'login' }, { max_age: '60' }] as Record<string, string>[]) {
      service.clock.advance(61_000)
      const id = requestIdOf(await browser.get(authorizeUrl(app, parameters)))
      expect((await browser.get(`/api/authorizations/${id}`)).json()).toMatchObject({ account: null })
      const decide = () => browser.call('POST', `/api/authorizations/${id}`, { decision: 'allow' })
      expect((await decide()).statusCode).toBe(401)
      await signInWithWallet(browser, wallet)
      expect((await decide()).statusCode).toBe(200)
    }
    service.clock.advance(61_000)
    expect(errorOf(await browser.get(silent({ max_age: '60' })))).toBe('login_required')
  })
  test.each(['none login', 'always', 'NONE'])('rejects prompt=%j', async (prompt) => {
    expect(errorOf(await openBrowser(service.fastify).get(authorizeUrl(app, { prompt })))).toBe('invalid_request')
  })
})

describe('attack 71: apps of others', () => {
  test('returns 404 for all requests for an app of another owner', async () => {
    const owner = await signedInBrowser(service)
    const stranger = await signedInBrowser(service)
    const theirs = await approvedApp(service, {}, owner.account.id)
    const url = `/api/apps/${theirs.clientId}`
    const own = (await owner.browser.get(url)).json<{ secrets: { secretId: string }[] }>()
    const before = await service.database.query('SELECT * FROM apps JOIN app_secrets USING (client_id)')
    const attempts = [
      await stranger.browser.get(url),
      await stranger.browser.call('PATCH', url, { redirectUris: ['https://evil.example/'] }),
      await stranger.browser.call('PUT', `${url}/logo`, { logo: null }),
      await stranger.browser.call('POST', `${url}/secrets`),
      await stranger.browser.call('DELETE', `${url}/secrets/${own.secrets[0]?.secretId}`),
      await stranger.browser.call('DELETE', url),
    ]
    for (const response of attempts) expect(response.statusCode).toBe(404)
    expect(await service.database.query('SELECT * FROM apps JOIN app_secrets USING (client_id)')).toEqual(before)
    const listed = (await stranger.browser.get('/api/apps')).json<{ apps: unknown[] }>()
    expect(listed.apps).toEqual([])
  })
  test('requires a session and the CSRF token', async () => {
    const owner = await signedInBrowser(service)
    const theirs = await approvedApp(service, {}, owner.account.id)
    const visitor = openBrowser(service.fastify)
    for (const url of [
      '/api/apps',
      `/api/apps/${theirs.clientId}`,
      '/api/audit',
      '/api/sessions',
      '/api/identities',
      '/api/authorized-apps',
      '/api/operator/apps',
      '/api/operator/audit',
    ])
      expect((await visitor.get(url)).statusCode).toBe(401)
    for (const [method, url] of [
      ['POST', '/api/apps'],
      ['PATCH', `/api/apps/${theirs.clientId}`],
      ['DELETE', `/api/apps/${theirs.clientId}`],
      ['PUT', `/api/apps/${theirs.clientId}/logo`],
      ['POST', `/api/apps/${theirs.clientId}/secrets`],
      ['DELETE', '/api/sessions'],
      ['DELETE', '/api/session'],
      ['DELETE', '/api/account'],
      ['PATCH', '/api/account'],
      ['DELETE', '/api/identities'],
      ['DELETE', `/api/authorized-apps/${app.clientId}`],
      ['POST', `/api/operator/apps/${app.clientId}/suspend`],
      ['POST', '/api/challenges'],
    ] as const)
      expect((await owner.browser.send({ method, url, body: {} })).statusCode).toBe(403)
  })
  test('allows only operators to approve an app', async () => {
    const owner = await signedInBrowser(service)
    const applied = await owner.browser.call('POST', '/api/apps', {
      name: 'Mine',
      purpose: 'Tests',
      redirectUris: ['https://mine.example/'],
      scopes: ['EVMAddress'],
    })
    const { clientId } = applied.json<{ clientId: string }>()
    const approve = (revision?: number) =>
      owner.browser.call('POST', `/api/operator/apps/${clientId}/approve`, { revision })
    expect((await approve()).statusCode).toBe(403)
    expect((await owner.browser.call('PATCH', `/api/apps/${clientId}`, { status: 'approved' })).statusCode).toBe(400)
    expect((await owner.browser.call('POST', `/api/apps/${clientId}/secrets`)).statusCode).toBe(409)
    await setOperator(service.database.kysely, owner.account.id, new Date(service.clock.now()))
    expect((await approve()).json()).toMatchObject({ error: { field: 'revision' } })
    const changed = await owner.browser.call('PATCH', `/api/apps/${clientId}`, { redirectUris: ['https://b.example/'] })
    expect(changed.json()).toMatchObject({ revision: 2 })
    for (const other of [1, 3]) expect((await approve(other)).json()).toMatchObject({ error: { code: 'app_changed' } })
    expect((await approve(2)).json()).toMatchObject({ status: 'approved' })
    const decided = { name: 'Wallet', homepage: 'https://wallet.example/', purpose: 'x', scopes: ['Discord'] }
    for (const [field, value] of Object.entries(decided)) {
      const proposed = (await owner.browser.call('PATCH', `/api/apps/${clientId}`, { [field]: value })).json<object>()
      expect(proposed).toMatchObject({ status: 'approved', proposedDetails: { [field]: value } })
      expect(proposed).not.toMatchObject({ [field]: value })
    }
    for (const fixed of [{ publicClient: true }, { subjectType: 'pairwise' }])
      expect((await owner.browser.call('PATCH', `/api/apps/${clientId}`, fixed)).statusCode).toBe(409)
    await setOperator(service.database.kysely, owner.account.id, null)
    expect((await approve()).statusCode).toBe(403)
    const accept = await owner.browser.call('POST', `/api/operator/apps/${clientId}/accept-changes`, { revision: 6 })
    expect(accept.statusCode).toBe(403)
  })
})

describe('attack 73: cookies', () => {
  test('are __Host-, Secure, HttpOnly and SameSite=Lax', async () => {
    const { browser } = await signedInBrowser(service)
    expect([...browser.cookies.keys()].sort()).toEqual([BROWSER, SESSION, MARK])
    const fresh = openBrowser(service.fastify)
    const response = await fresh.get('/api/session')
    expect(response.cookies).toMatchObject([
      { name: BROWSER, path: '/', secure: true, httpOnly: true, sameSite: 'Lax' },
    ])
    expect(response.cookies[0]).not.toHaveProperty('domain')
  })
  test('are HttpOnly, except a mark without a secret, which ends with the session', async () => {
    const browser = openBrowser(service.fastify)
    await signInWithWallet(browser)
    browser.cookies.delete(MARK)
    const marked = (await browser.get('/api/session')).cookies
    expect(marked).toMatchObject([{ name: MARK, value: '1', path: '/', secure: true, sameSite: 'Lax' }])
    expect(marked[0]).not.toHaveProperty('httpOnly')
    const ended = (await browser.call('DELETE', '/api/session')).cookies
    expect(ended.map(({ name, value }) => [name, value])).toEqual([
      [SESSION, ''],
      [MARK, ''],
    ])
  })
  test('have no prefix and no Secure over plain http', async () => {
    const local = await startSignIn({ publicUrl: 'http://localhost:4000' })
    const response = await openBrowser(local.fastify).get('/api/session')
    expect(response.cookies).toMatchObject([{ name: 'questboard-browser', path: '/', httpOnly: true, sameSite: 'Lax' }])
    expect(response.cookies[0]).not.toHaveProperty('secure')
    await local.close()
  })
  test('have no effect if they are malformed', async () => {
    const browser = openBrowser(service.fastify)
    browser.cookies.set(SESSION, `x' OR 1=1`)
    browser.cookies.set(BROWSER, 'short')
    expect((await browser.get('/api/session')).json()).toMatchObject({ account: null })
  })
})

test('attack 74: keeps authorizations in two tabs separate', async () => {
  const { browser } = await signedInBrowser(service)
  const second = await approvedApp(service, { name: 'Second App' })
  const one = requestIdOf(await browser.get(authorizeUrl(app, { state: 'one' })))
  const two = requestIdOf(await browser.get(authorizeUrl(second, { state: 'two', scope: 'ServiceID' })))
  const decide = async (id: string) =>
    new URL(
      (await browser.call('POST', `/api/authorizations/${id}`, { decision: 'allow' })).json<{ redirect: string }>()
        .redirect,
    )
  const answerTwo = await decide(two)
  const answerOne = await decide(one)
  expect([answerOne.searchParams.get('state'), answerTwo.searchParams.get('state')]).toEqual(['one', 'two'])
  expect(answerOne.searchParams.get('iss')).toBe(ISSUER)
  const tokens = await redeemCode(service, app, answerOne.searchParams.get('code') as string)
  expect(tokens.json<Tokens>().scope).toBe('EVMAddress')
  const swapped = await redeemCode(service, app, answerTwo.searchParams.get('code') as string)
  expect(swapped.statusCode).toBe(400)
})
