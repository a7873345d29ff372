import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensurePlans } from '../../../src/access/plans.ts'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import { webhookPlacesByAccount, webhookSendsByAccount } from '../../../src/rate-limits/limits.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { readEndpointForm } from '../../../src/webhooks/endpoint-form.ts'
import { createEndpoint, MAX_ENDPOINTS, sendTest } from '../../../src/webhooks/endpoints.ts'
import { lookedUp } from '../../support/looked-up.ts'
import type { Browser } from '../../support/oauth-browser.ts'
import { signedInBrowser } from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
beforeAll(async () => {
  service = await startSignIn({
    checkAnswers: true,
    settings: { QUESTBOARD_WEBHOOK_HOSTS: 'hooks.internal', QUESTBOARD_OUTGOING_HOSTS: '10.1.2.3:8545' },
  })
  const { database, clock } = service
  await ensurePlans(database, service.services.config)
  await importRecords({ database, clock }, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  await importRecords({ database, clock }, 'starboards', [{ id: 's1', name: 'One', type: 'TWITTER' }])
  await importRecords({ database, clock }, 'credentials', [
    { id: '9007199254740993', name: 'Large', credType: 'EVM_ADDRESS', credSource: 'CSV' },
  ])
})
afterAll(() => service.close())

const good = { url: 'https://8.8.8.8/questboard', events: ['points.awarded'], spaceIds: [40] }
interface View {
  id: string
  url: string
  secret?: string
}
const create = (browser: Browser, more: object = {}) => browser.call('POST', '/api/webhooks', { ...good, ...more })
const signedIn = async () => (await signedInBrowser(service)).browser

test('creates, changes, lists and deletes a webhook, and shows its secret once', async () => {
  const browser = await signedIn()
  const created = await create(browser, {
    description: 'all of it',
    events: ['credential.synced', 'rank.left', 'rank.entered'],
    starboardIds: ['s1'],
    credentialIds: ['9007199254740993'],
    top: 3,
  })
  expect(created.statusCode).toBe(201)
  const { id, secret } = created.json<View>()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const shown = {
    id,
    url: good.url,
    description: 'all of it',
    events: ['rank.entered', 'rank.left', 'credential.synced'],
    spaceIds: [40],
    starboardIds: ['s1'],
    credentialIds: ['9007199254740993'],
    minPoints: 1,
    top: 3,
    boards: 'all',
    enabled: true,
    disabledReason: null,
  }
  const listed = await browser.get('/api/webhooks')
  expect(listed.json()).toMatchObject({ webhooks: [shown], eventTypes: { 'rank.left': expect.any(String) as string } })
  expect(listed.body).not.toContain('whsec_')
  expect((await browser.get(`/api/webhooks/${id}`)).json()).toMatchObject(shown)

  const changed = await browser.call('PATCH', `/api/webhooks/${id}`, { top: 5, boards: 'overall', enabled: false })
  expect(changed.json()).toMatchObject({
    ...shown,
    top: 5,
    boards: 'overall',
    enabled: false,
    disabledReason: 'disabled by its owner',
  })
  const rotated = (await browser.call('POST', `/api/webhooks/${id}/rotate`)).json<View>()
  expect(rotated.secret).toMatch(/^whsec_/)
  expect(rotated.secret).not.toBe(secret)
  expect((await browser.call('DELETE', `/api/webhooks/${id}`)).statusCode).toBe(204)
  expect((await browser.get(`/api/webhooks/${id}`)).statusCode).toBe(404)
  const { events } = (await browser.get('/api/audit')).json<{ events: { event: string }[] }>()
  expect(events.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['webhook.created', 'webhook.changed', 'webhook.secret-rotated', 'webhook.deleted']),
  )
})

test('stores no webhook secret when the security event cannot be stored', async () => {
  const browser = await signedIn()
  const { id } = (await create(browser)).json<View>()
  const kept = () => service.database.query('SELECT endpoint_id, secret_id FROM webhook_secrets ORDER BY 1, 2')
  const before = await kept()
  await service.database.query('ALTER TABLE security_events RENAME TO elsewhere')
  const answers = [await create(browser), await browser.call('POST', `/api/webhooks/${id}/rotate`)]
  await service.database.query('ALTER TABLE elsewhere RENAME TO security_events')
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([500, 500])
  expect(await kept()).toEqual(before)
})

test('lists, shows and resends deliveries', async () => {
  const browser = await signedIn()
  const { id } = (await create(browser)).json<View>()
  const sent = await browser.call('POST', `/api/webhooks/${id}/test`)
  expect(sent.statusCode).toBe(202)
  const message = sent.json<View>().id
  const log = await browser.get(`/api/webhooks/${id}/deliveries?limit=1`)
  expect(log.json()).toMatchObject({
    deliveries: [{ id: message, event: 'webhook.test', state: 'pending' }],
    next: null,
  })
  const detail = await browser.get(`/api/webhooks/${id}/deliveries/${message}`)
  expect(detail.json()).toMatchObject({ id: message, log: [], payload: expect.stringContaining(id) as string })
  const again = await browser.call('POST', `/api/webhooks/${id}/deliveries/${message}/redeliver`)
  expect([again.statusCode, again.json()]).toEqual([202, { redelivered: 1 }])
  const since = await browser.call('POST', `/api/webhooks/${id}/redeliver`, { since: '2026-11-21T00:00:00Z' })
  expect(since.json()).toEqual({ redelivered: 0 })
  const badTime = await browser.call('POST', `/api/webhooks/${id}/redeliver`, { since: 'yesterday' })
  expect(badTime.json()).toMatchObject({ error: { field: 'since' } })
  expect((await browser.get(`/api/webhooks/${id}/deliveries?state=lost`)).statusCode).toBe(400)
  expect((await browser.get(`/api/webhooks/${id}/deliveries/msg_%00`)).statusCode).toBe(404)
})

test('responds with not found to the webhook of another account', async () => {
  const owner = await signedIn()
  const stranger = await signedIn()
  const { id } = (await create(owner)).json<View>()
  const message = (await owner.call('POST', `/api/webhooks/${id}/test`)).json<View>().id
  const path = `/api/webhooks/${id}`
  for (const [method, url, body] of [
    ['PATCH', path, { top: 1 }],
    ['DELETE', path],
    ['POST', `${path}/rotate`],
    ['POST', `${path}/test`],
    ['POST', `${path}/redeliver`, { since: '2026-11-21T00:00:00Z' }],
    ['POST', `${path}/deliveries/${message}/redeliver`],
  ] as const)
    expect((await stranger.call(method, url, body)).statusCode, `${method} ${url}`).toBe(404)
  for (const url of [path, `${path}/deliveries`, `${path}/deliveries/${message}`])
    expect((await stranger.get(url)).statusCode, url).toBe(404)
  expect((await stranger.get('/api/webhooks')).json()).toMatchObject({ webhooks: [] })
})

test('requires a session and the CSRF token for changes', async () => {
  const browser = await signedIn()
  const { id } = (await create(browser)).json<View>()
  for (const [method, url] of [
    ['POST', '/api/webhooks'],
    ['PATCH', `/api/webhooks/${id}`],
    ['DELETE', `/api/webhooks/${id}`],
    ['POST', `/api/webhooks/${id}/rotate`],
    ['POST', `/api/webhooks/${id}/test`],
    ['POST', `/api/webhooks/${id}/redeliver`],
  ] as const)
    expect((await browser.send({ method, url, body: good })).json(), `${method} ${url}`).toMatchObject({
      error: { code: 'bad_csrf_token' },
    })
  browser.cookies.clear()
  expect((await browser.get('/api/webhooks')).statusCode).toBe(401)
})

test.each([
  [{ url: 'ftp://example.com/' }, 'url'],
  [{ url: 'http://example.com/' }, 'url'],
  [{ url: 'https://127.0.0.1/' }, 'url'],
  [{ url: 'https://[::1]/' }, 'url'],
  [{ url: 'https://[::ffff:10.0.0.1]/' }, 'url'],
  [{ url: 'https://2130706433/' }, 'url'],
  [{ url: 'https://localhost/' }, 'url'],
  [{ url: 'https://hooks.localhost./' }, 'url'],
  [{ url: 'https://10.1.2.3:8443/' }, 'url'],
  // A node of the operator, allowed for other requests only.
  [{ url: 'https://10.1.2.3:8545/' }, 'url'],
  [{ url: 'https://169.254.169.254/latest/meta-data' }, 'url'],
  [{ url: 'https://user:password@example.com/' }, 'url'],
  // An internal host of the operator. Its responses must not be readable by other accounts.
  [{ url: 'https://hooks.internal/questboard' }, 'url'],
  [{ url: 'http://hooks.internal/questboard' }, 'url'],
  [{ url: 'nonsense' }, 'url'],
  [{ url: undefined }, 'url'],
  [{ events: [] }, 'events'],
  [{ events: ['points.lost'] }, 'events.0'],
  [{ events: ['credential.synced'] }, 'credentialIds'],
  [{ spaceIds: [] }, 'spaceIds'],
  [{ spaceIds: [99] }, 'spaceIds'],
  [{ spaceIds: ['40'] }, 'spaceIds.0'],
  [{ spaceIds: Array.from({ length: 101 }, (_, i) => i + 1) }, 'spaceIds'],
  [{ starboardIds: ['nobody'] }, 'starboardIds'],
  [{ credentialIds: ['9223372036854775808'] }, 'credentialIds.0'],
  [{ credentialIds: ['5[00'] }, 'credentialIds.0'],
  [{ credentialIds: ['7'] }, 'credentialIds'],
  [{ minPoints: 0 }, 'minPoints'],
  [{ top: 1_001 }, 'top'],
  [{ boards: 'none' }, 'boards'],
  [{ description: 'x'.repeat(501) }, 'description'],
  [{ secret: 'whsec_mine' }, 'secret'],
])('rejects %j and names the field', async (more, field) => {
  const browser = await signedIn()
  const response = await create(browser, more)
  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ error: { code: 'invalid_argument', field } })
  expect((await browser.get('/api/webhooks')).json()).toMatchObject({ webhooks: [] })
})

test('lets an operator account send to the hosts that the settings allow', async () => {
  const { browser, account } = await signedInBrowser(service)
  const { id } = (await create(browser)).json<View>()
  const inside = { url: 'http://hooks.internal/questboard' }
  expect((await browser.call('PATCH', `/api/webhooks/${id}`, inside)).statusCode).toBe(400)
  await setOperator(service.database.kysely, account.id, new Date(service.clock.now()))
  expect((await browser.call('PATCH', `/api/webhooks/${id}`, inside)).statusCode).toBe(200)
  expect((await create(browser, inside)).statusCode).toBe(201)
  await browser.call('DELETE', '/api/account')
})

test('resolves no host name for a change, and limits new URLs per account and hour', async () => {
  const browser = await signedIn()
  let id = ''
  const change = (url: string) => browser.call('PATCH', `/api/webhooks/${id}`, { url })
  const looked = await lookedUp(async () => {
    id = (await create(browser, { url: 'https://nowhere.invalid/' })).json<View>().id
    for (let n = 2; n <= webhookPlacesByAccount.max; n++)
      expect((await change(`https://nowhere${n}.invalid/`)).statusCode).toBe(200)
  })
  expect(looked).toEqual({ system: 0, nameServers: 0 })
  const last = { url: `https://nowhere${webhookPlacesByAccount.max}.invalid/` }
  for (const refused of [await change('https://one-more.invalid/'), await create(browser)]) {
    expect([refused.statusCode, refused.json()]).toMatchObject([429, { error: { code: 'too_many_requests' } }])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  }
  expect((await browser.get('/api/webhooks')).json()).toMatchObject({ webhooks: [last] })
  expect((await browser.call('PATCH', `/api/webhooks/${id}`, { ...last, top: 5 })).statusCode).toBe(200)
  await browser.call('DELETE', '/api/account')
})

test('enforces the limits for webhooks and tokens that are created concurrently', async () => {
  const { browser, account } = await signedInBrowser(service)
  const all = <Response>(make: () => Promise<Response>) => Promise.all(Array.from({ length: 25 }, make))
  const spaces = [40]
  await service.database.query('UPDATE spaces SET owner_account_id = $1', [account.id])
  for (const [make, most] of [
    [() => create(browser), MAX_ENDPOINTS],
    [() => browser.call('POST', '/api/tokens', { name: 'one' }), 10],
    [() => browser.call('POST', '/api/ingest-tokens', { name: 'one', spaces }), 10],
  ] as const) {
    const codes = (await all(make)).map(({ statusCode }) => statusCode)
    expect(codes.filter((code) => code === 201)).toHaveLength(most)
    expect(codes.filter((code) => code === 409)).toHaveLength(25 - most)
  }
  await service.database.query('UPDATE spaces SET owner_account_id = NULL')
  await service.database.query('DELETE FROM webhook_endpoints')
})

test('completes a concurrent creation before the account is deleted, or requires a sign-in', async () => {
  for (let round = 0; round < 3; round++) {
    const { browser } = await signedInBrowser(service)
    const answers = await Promise.all([
      create(browser),
      browser.call('POST', '/api/tokens', { name: 'one' }),
      browser.call('DELETE', '/api/account'),
      create(browser),
      browser.call('POST', '/api/tokens', { name: 'two' }),
    ])
    for (const { statusCode, body } of answers) expect([201, 204, 401], body).toContain(statusCode)
  }
})

const own = (accountId: string | null) =>
  service.database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = 40', [accountId])

test('limits the webhooks of an account', async () => {
  const { browser, account } = await signedInBrowser(service)
  await own(account.id)
  for (let n = 0; n < MAX_ENDPOINTS; n++) expect((await create(browser)).statusCode).toBe(201)
  expect((await create(browser)).json()).toMatchObject({ error: { code: 'too_many_webhooks' } })
  await own(null)
  await service.database.query('DELETE FROM webhook_endpoints')
})

test('limits test messages and resent deliveries of an account', async () => {
  const browser = await signedIn()
  const { id } = (await create(browser)).json<View>()
  const send = (path: string, body?: object) => browser.call('POST', `/api/webhooks/${id}/${path}`, body)
  const message = (await send('test')).json<{ id: string }>().id
  expect((await send('redeliver', { since: 'yesterday' })).statusCode).toBe(400)
  for (let n = 1; n < webhookSendsByAccount.max; n++) expect((await send('test')).statusCode).toBe(202)
  for (const refused of [
    await send('test'),
    await send(`deliveries/${message}/redeliver`),
    await send('redeliver', { since: '2026-01-01T00:00:00Z' }),
  ]) {
    expect([refused.statusCode, refused.json()]).toMatchObject([429, { error: { code: 'too_many_requests' } }])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  }
  await browser.call('DELETE', '/api/account')
})

test.each(['\t', '\n', '\r', '\u001b', '\u007f', '\u0085', '\u061c', '\u200f', '\u2028', '\u202e', '\u2066'])(
  'refuses a URL with the control character %j',
  async (control) => {
    const browser = await signedIn()
    for (const url of [`https://8.8.8.8/a${control}b`, `https://8.8.8.8/${control}`, `ht${control}tps://8.8.8.8/`])
      expect((await create(browser, { url })).json()).toMatchObject({
        error: { code: 'invalid_argument', field: 'url' },
      })
  },
)

test('stores a URL in its normal form', async () => {
  const browser = await signedIn()
  const { id, url } = (await create(browser, { url: ' HTTPS://8.8.8.8:443/a/../ö?q=\u00a0#top ' })).json<View>()
  expect(url).toBe('https://8.8.8.8/%C3%B6?q=%C2%A0')
  const stored = await service.database.query('SELECT url FROM webhook_endpoints WHERE endpoint_id = $1', [id])
  expect(stored).toEqual([{ url }])
  const changed = await browser.call('PATCH', `/api/webhooks/${id}`, { url: '  https://8.8.4.4 ' })
  expect(changed.json()).toMatchObject({ url: 'https://8.8.4.4/' })
  const long = `https://8.8.8.8/${'ö'.repeat(1_000)}`
  expect((await create(browser, { url: long })).json()).toMatchObject({
    error: { code: 'invalid_argument', field: 'url' },
  })
})

test('deletes webhooks, pending messages and the log with the account', async () => {
  const { browser, account } = await signedInBrowser(service)
  const { endpoint } = await createEndpoint(service.services, account.id, readEndpointForm(good), 'operator')
  const messageId = await sendTest(service.services, endpoint)
  await service.database.query(`INSERT INTO webhook_attempts VALUES ($1, $2, 1, now(), 1, 500, NULL, '')`, [
    endpoint.id,
    messageId,
  ])
  expect((await browser.call('DELETE', '/api/account')).statusCode).toBe(204)
  expect(await service.database.query('SELECT FROM webhook_endpoints WHERE account_id = $1', [account.id])).toEqual([])
  for (const table of ['webhook_messages', 'webhook_attempts'])
    expect(await service.database.query(`SELECT FROM ${table} WHERE endpoint_id = $1`, [endpoint.id])).toEqual([])
})
