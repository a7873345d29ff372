import { afterAll, beforeAll, expect, test } from 'vitest'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import { HOUR, MINUTE } from '../../../src/clock.ts'
import { approvedApp, signedInBrowser, type SignedIn, type TestApp } from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
let owner: SignedIn
let app: TestApp

beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
  owner = await signedInBrowser(service)
  app = await approvedApp(service, { expiringTokens: true }, owner.account.id)
})
afterAll(() => service.close())

interface WebhookState {
  disabledAt?: Date | null
  reason?: string | null
  failingSince?: Date | null
}

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
  service.clock.advance(1_000) // the list is in the order of time
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
