import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensurePlans } from '../../../src/access/plans.ts'
import { upsertPlan } from '../../../src/access/plans.queries.ts'
import { HOUR, MINUTE } from '../../../src/clock.ts'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import {
  approvedApp,
  authorizeUrl,
  signedInBrowser,
  type SignedIn,
  type TestApp,
  tokenDetail,
  tokensFor,
} from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
let owner: SignedIn
let app: TestApp

beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
  await ensurePlans(service.database, service.services.config)
  owner = await signedInBrowser(service)
  app = await approvedApp(service, { expiringTokens: true }, owner.account.id)
})
afterAll(() => service.close())

interface WebhookState {
  disabledAt?: Date | null
  reason?: string | null
  failingSince?: Date | null
}

interface Users {
  total: number
  users: { scopes: string[]; shared: Record<string, { subject: string }>; lastUsedAt: string | null }[]
  next: string | null
}
const usersOf = async ({ clientId }: TestApp, search = '') =>
  (await owner.browser.get(`/api/apps/${clientId}/users${search}`)).json<Users>()

test('lists the users of an app by page, with only the data that the app received', async () => {
  const people: SignedIn[] = []
  for (let n = 0; n < 5; n++) {
    const person = await signedInBrowser(service)
    people.push(person)
    // Two consents at the same time have a fixed order, too.
    if (n % 2 === 0) service.clock.advance(1_000)
    await tokensFor(service, person.browser, app)
  }
  const wallets = people.map(({ account }) => account.wallet.address.toLowerCase())
  const seen: string[] = []
  let page = await usersOf(app, '?first=2')
  for (;;) {
    expect(page.total).toBe(5)
    seen.push(...page.users.map(({ shared }) => shared.EVMAddress?.subject ?? ''))
    if (page.next === null) break
    expect(people.some(({ account }) => page.next?.includes(account.id))).toBe(false)
    page = await usersOf(app, `?first=2&before=${page.next}`)
  }
  expect(seen.toSorted()).toEqual(wallets.toSorted())
  expect(seen[0]).toBe(wallets[4])
  expect(JSON.stringify(await usersOf(app))).not.toContain(people[0]?.account.id)
})

test('returns unrelated cursors for the user lists of two apps', async () => {
  const another = await approvedApp(service, { expiringTokens: true }, owner.account.id)
  const people = [await signedInBrowser(service), await signedInBrowser(service)]
  for (const person of people)
    for (const one of [app, another]) {
      service.clock.advance(1_000)
      await tokensFor(service, person.browser, one)
    }
  const [here, there] = await Promise.all([app, another].map((one) => usersOf(one, '?first=1')))
  const placeOf = (page: Users | undefined) => /_([0-9a-f]{64})$/.exec(page?.next ?? '')?.[1]
  expect(here?.users[0]?.shared.EVMAddress).toEqual(there?.users[0]?.shared.EVMAddress)
  expect([placeOf(here), placeOf(there)]).toEqual([expect.any(String), expect.any(String)])
  expect(placeOf(here)).not.toBe(placeOf(there))
})

test('revokes all access at once, and asks users for consent again', async () => {
  const person = await signedInBrowser(service)
  const { access_token } = await tokensFor(service, person.browser, app)
  expect((await tokenDetail(service, access_token)).statusCode).toBe(200)
  const revoke = () => owner.browser.call('DELETE', `/api/apps/${app.clientId}/users`)
  const revoked = (await revoke()).json<{ revoked: number }>().revoked
  expect(revoked).toBe(8)
  expect((await tokenDetail(service, access_token)).statusCode).toBe(401)
  expect(await usersOf(app)).toEqual({ total: 0, users: [], next: null })
  const again = await person.browser.get(authorizeUrl(app))
  expect(again.headers.location).toContain('/authorize/')
  service.clock.advance(1_000)
  expect((await revoke()).json()).toEqual({ revoked: 0 })
  const { events } = (await owner.browser.get('/api/audit')).json<{ events: { event: string; details: object }[] }>()
  expect(events.find(({ event }) => event === 'app.users-revoked')?.details).toEqual({ users: '0' })
  service.clock.advance(2 * HOUR)
  expect((await revoke()).json()).toMatchObject({ error: { code: 'fresh_sign_in_required' } })
})

test('lets only the owner list and revoke the users of an app', async () => {
  const other = await signedInBrowser(service)
  const path = `/api/apps/${app.clientId}/users`
  expect((await other.browser.get(path)).statusCode).toBe(404)
  expect((await other.browser.call('DELETE', path)).statusCode).toBe(404)
  for (const search of ['?first=0', '?first=101', '?before=x', `?before=2026-13-45T00:00:00.000Z_${'a'.repeat(64)}`])
    expect((await owner.browser.get(path + search)).statusCode, search).toBe(400)
})

test('offers open plans to an account and all plans to an operator', async () => {
  await upsertPlan(service.database.kysely, 'business', { perSecond: 50, perDay: 100_000, open: true })
  await upsertPlan(service.database.kysely, 'partner', { perSecond: null, perDay: null })
  const plans = async () =>
    (await owner.browser.get('/api/plans')).json<{ plans: { plan: string }[] }>().plans.map(({ plan }) => plan)
  expect(await plans()).toEqual(['business', 'free'])
  const make = (plan?: string) => owner.browser.call('POST', '/api/tokens', { name: plan ?? 'none', plan })
  expect((await make('business')).json()).toMatchObject({ plan: 'business' })
  expect((await make()).json()).toMatchObject({ plan: 'free' })
  for (const plan of ['partner', 'unlimited', 'demo', 'nope']) {
    const refused = await make(plan)
    expect([refused.statusCode, refused.json()], plan).toMatchObject([400, { error: { field: 'plan' } }])
  }
  await setOperator(service.database.kysely, owner.account.id, new Date(service.clock.now()))
  expect(await plans()).toEqual(['business', 'demo', 'free', 'partner', 'unlimited'])
  expect((await make('partner')).json()).toMatchObject({ plan: 'partner' })
})

test('lists and counts pending apps and apps with proposed redirect URIs for an operator', async () => {
  const operator = await signedInBrowser(service)
  await setOperator(service.database.kysely, operator.account.id, new Date(service.clock.now()))
  const waiting = async () => {
    const { apps } = (await operator.browser.get('/api/operator/apps?status=waiting')).json<{
      apps: { clientId: string }[]
    }>()
    const { work } = (await operator.browser.get('/api/operator/health')).json<{ work: { appsWaiting: number } }>()
    expect(work.appsWaiting).toBe(apps.length)
    return apps.map(({ clientId }) => clientId)
  }
  expect(await waiting()).not.toContain(app.clientId)
  const redirectUris = [app.redirectUri, 'https://new.example.com/callback']
  const changed = await owner.browser.call('PATCH', `/api/apps/${app.clientId}`, { redirectUris: redirectUris })
  expect(changed.json()).toMatchObject({ status: 'approved' })
  const form = { name: 'Second', purpose: 'Another one', redirectUris: [app.redirectUri], scopes: [] }
  const applied = (await owner.browser.call('POST', '/api/apps', form)).json<{ clientId: string }>()
  expect(await waiting()).toEqual([app.clientId, applied.clientId])
  const { revision } = changed.json<{ revision: number }>()
  await operator.browser.call('POST', `/api/operator/apps/${app.clientId}/refuse-changes`, { revision })
  expect(await waiting()).toEqual([applied.clientId])
})

test('counts what waits for an operator', async () => {
  const operator = await signedInBrowser(service)
  await setOperator(service.database.kysely, operator.account.id, new Date(service.clock.now()))
  const inbox = async () => (await operator.browser.get('/api/operator/inbox')).json<Record<string, number>>()
  const before = await inbox()
  const form = { name: 'Third', purpose: 'Counted', redirectUris: [app.redirectUri], scopes: [] }
  await owner.browser.call('POST', '/api/apps', form)
  await owner.browser.call('PATCH', `/api/apps/${app.clientId}`, { redirectUris: ['https://other.example.com/back'] })
  const { appsPending = 0, appChanges = 0 } = before
  expect(await inbox()).toEqual({ ...before, appsPending: appsPending + 1, appChanges: appChanges + 1 })
  for (const [id, state] of [
    ['771', 'failed'],
    ['772', 'held'],
    ['773', 'held'],
    ['774', 'done'],
  ] as const) {
    await service.database.query(
      `INSERT INTO credentials (credential_id, name, cred_type, cred_source, last_update, last_sync)
       VALUES ($1, 'Counted', 'EVM_ADDRESS', 'CSV', now(), now())`,
      [id],
    )
    await service.database.query(
      `INSERT INTO credential_sources (credential_id, source, every_seconds, state) VALUES ($1, '{}', 3600, $2)`,
      [id, state],
    )
  }
  expect(await inbox()).toMatchObject({ syncsFailed: 1, syncsHeld: 2 })
  const { browser } = await signedInBrowser(service)
  expect((await browser.get('/api/operator/inbox')).statusCode).toBe(403)
})

test('counts late messages and disabled webhooks, and lists these webhooks with their owners', async () => {
  const operator = await signedInBrowser(service)
  await setOperator(service.database.kysely, operator.account.id, new Date(service.clock.now()))
  const now = service.clock.now()
  const at = (milliseconds: number) => new Date(now + milliseconds)
  const failed = 'every delivery has failed'
  const add = async (host: string, { disabledAt = null, reason = null, failingSince = null }: WebhookState = {}) => {
    const [added] = await service.database.query<{ id: string }>(
      `INSERT INTO webhook_endpoints (endpoint_id, account_id, url, description, event_types, subjects, min_points, top,
         boards, created_at, disabled_at, disabled_reason, failing_since)
       VALUES (gen_random_uuid(), $1, $2, '', '{points.awarded}', '{}', 1, 10, 'all', now(), $3, $4, $5)
       RETURNING endpoint_id AS id`,
      [owner.account.id, `https://${host}/a-secret-path`, disabledAt, reason, failingSince],
    )
    return added?.id ?? ''
  }
  const send = (id: string, due: Date | null) =>
    service.database.query(
      `INSERT INTO webhook_messages (endpoint_id, event_type, payload, created_at, state, next_attempt_at)
       VALUES ($1, 'points.awarded', '{}', $2, $3, $4)`,
      [id, at(-HOUR), due === null ? 'delivered' : 'pending', due],
    )
  const slow = await add('slow.example')
  await send(slow, at(-7 * MINUTE))
  await send(slow, at(-6 * MINUTE))
  await send(slow, at(-4 * MINUTE))
  await send(slow, null)
  await add('healthy.example', { failingSince: at(-HOUR) })
  await add('by-owner.example', { disabledAt: at(-HOUR), reason: 'disabled by its owner' })
  const gone = await add('gone.example', { disabledAt: at(-MINUTE), reason: failed, failingSince: at(-HOUR) })

  const inbox = (await operator.browser.get('/api/operator/inbox')).json<Record<string, number>>()
  expect(inbox).toMatchObject({ deliveriesLate: 2, webhooksDisabled: 1 })
  const health = (await operator.browser.get('/api/operator/health')).json<{ webhooks: object[]; work: object }>()
  expect(health.work).toMatchObject({ deliveriesWaiting: 3, deliveriesLate: 2, webhooksDisabled: 1 })
  const { id: accountId, username } = owner.account
  const common = { accountId, username, pausedUntil: null }
  expect(health.webhooks).toEqual([
    {
      ...common,
      id: slow,
      host: 'slow.example',
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
      late: 2,
      lateSince: at(-7 * MINUTE).toISOString(),
    },
    {
      ...common,
      id: gone,
      host: 'gone.example',
      disabledAt: at(-MINUTE).toISOString(),
      disabledReason: failed,
      failingSince: at(-HOUR).toISOString(),
      late: 0,
      lateSince: null,
    },
  ])
  service.clock.advance(2 * MINUTE)
  expect((await operator.browser.get('/api/operator/inbox')).json()).toMatchObject({ deliveriesLate: 3 })
})

test('counts the active tokens of a plan, without revoked and expired tokens', async () => {
  const { browser } = owner
  const onBusiness = async () =>
    (await browser.get('/api/operator/plans'))
      .json<{ plans: { plan: string; tokens: number }[] }>()
      .plans.find(({ plan }) => plan === 'business')?.tokens
  const before = (await onBusiness()) ?? 0
  const expiresAt = new Date(service.clock.now() + MINUTE)
  expect((await browser.call('POST', '/api/tokens', { name: 'brief', plan: 'business', expiresAt })).statusCode).toBe(
    201,
  )
  expect(await onBusiness()).toBe(before + 1)
  service.clock.advance(MINUTE)
  expect(await onBusiness()).toBe(before)
})

test('lists the events of one app in the log of its owner, also decisions of an operator', async () => {
  const other = await approvedApp(service, {}, owner.account.id)
  interface Page {
    events: { event: string; clientId: string }[]
    next: string | null
  }
  const read = async (query: string) =>
    (await owner.browser.get(`/api/audit?app=${other.clientId}${query}`)).json<Page>()
  const all = ['app.applied', 'app.approved', 'app.secret-issued']
  const { events } = await read('')
  // They have the same time, and then no order that means anything.
  expect(events.map(({ event }) => event).toSorted()).toEqual(all)
  expect(new Set(events.map(({ clientId }) => clientId))).toEqual(new Set([other.clientId]))
  const first = await read('&first=2')
  const second = await read(`&first=2&before=${first.next}`)
  expect(first.events).toHaveLength(2)
  expect([...first.events, ...second.events]).toEqual(events)
  expect(second.next).toBeNull()
  const stranger = await signedInBrowser(service)
  expect((await stranger.browser.get(`/api/audit?app=${other.clientId}`)).json()).toEqual({ events: [], next: null })
  const refused = await owner.browser.get('/api/audit?app=a%20b')
  expect(refused.statusCode).toBe(400)
  expect(refused.json()).toMatchObject({ error: { field: 'app' } })
})
