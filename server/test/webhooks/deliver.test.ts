import type { LookupFunction } from 'node:net'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/clock.ts'
import { WEBHOOK_DISABLE_AFTER, DELIVERY_LEASE, WEBHOOK_LOG_LIFETIME } from '../../src/lifetimes.ts'
import { createOutgoing } from '../../src/outgoing/outgoing.ts'
import { createSender, senderJob } from '../../src/jobs/sender.ts'
import { sendDue } from '../support/send-due.ts'
import { webhookQueue } from '../../src/webhooks/deliver.ts'
import { readEndpointForm } from '../../src/webhooks/endpoint-form.ts'
import {
  createEndpoint,
  requireEndpoint,
  rotateSecret,
  sendTest,
  updateEndpoint,
} from '../../src/webhooks/endpoints.ts'
import { readLog, readLogQuery, redeliver, redeliverFailed } from '../../src/webhooks/log.ts'
import { startJobs } from '../../src/jobs/jobs.ts'
import { runningWork } from '../../src/jobs/running-work.ts'
import { JITTER, RETRY_DELAYS } from '../../src/webhooks/retry-schedule.ts'
import { sweepWebhooks } from '../../src/webhooks/sweep.ts'
import { type Answer, startUpstream } from '../support/upstream.ts'
import { ACCOUNT, webhookFixture } from './arrange.ts'

const fixture = await webhookFixture()
const { database, clock, deps, receiver, created, deliver, log, message, verified } = fixture
const elsewhere = await startUpstream((_, response) => void response.end())
afterAll(() => Promise.all([fixture.close(), elsewhere.close()]))
beforeEach(async () => {
  await database.query('TRUNCATE webhook_endpoints, webhook_messages, webhook_attempts CASCADE')
  receiver.requests.length = 0
  fixture.answer = says(204)
})

const says =
  (status: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (_, response) =>
    void response.writeHead(status, headers).end(body)
const leadsTo =
  (address: string): LookupFunction =>
  (_name, _options, done) =>
    done(null, [{ address, family: 4 }])
const header = (name: string) => receiver.requests.map(({ headers }) => headers[name])
const again = (id: string) => requireEndpoint(deps, id)

describe('a delivery', () => {
  test('has a signature that the Standard Webhooks library accepts, and describes the event', async () => {
    const { endpoint, secret, messageId } = await created()
    expect(await deliver()).toBe(1)
    const [request] = receiver.requests
    expect(request).toMatchObject({ method: 'POST', url: '/hook' })
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Questboard',
      'webhook-id': messageId,
      'webhook-timestamp': String(Math.floor(clock.now() / 1_000)),
    })
    expect(verified(request, secret)).toEqual({
      type: 'webhook.test',
      timestamp: new Date(clock.now()).toISOString(),
      data: { webhookId: endpoint.id, text: 'This endpoint works.' },
    })
    expect(() => verified(request, 'whsec_' + Buffer.alloc(32, 1).toString('base64'))).toThrow()
    expect(await log(endpoint)).toMatchObject([{ id: messageId, state: 'delivered', attempts: 1, lastStatus: 204 }])
    expect(await deliver()).toBe(0)
  })

  test('stores only the beginning of a long response', async () => {
    fixture.answer = says(200, {}, `\0ok${'x'.repeat(3_000_000)}`)
    const { endpoint, messageId } = await created()
    await deliver()
    const { log: attempts } = await message(endpoint, messageId)
    expect(attempts).toMatchObject([{ attempt: 1, status: 200, error: null }])
    expect(attempts[0]?.response).toMatch(/^okx{997}$/)
  })

  test('follows no redirect', async () => {
    fixture.answer = says(302, { location: elsewhere.url })
    const { endpoint } = await created()
    await deliver()
    expect(await log(endpoint)).toMatchObject([{ state: 'pending', lastStatus: null }])
    expect((await log(endpoint))[0]?.lastError).toContain('redirect')
    expect(elsewhere.connections()).toBe(0)
  })

  test('fails after the timeout and does not delay other endpoints', async () => {
    const waiting: (() => void)[] = []
    fixture.answer = (request, response) => {
      if (request.url === '/slow') waiting.push(() => void response.end())
      else response.end()
    }
    const slow = await created({ url: `${receiver.url}/slow` })
    for (let n = 0; n < 10; n++) await sendTest(deps, slow.endpoint)
    const running = runningWork()
    const sender = createSender(webhookQueue({ ...deps, timeout: 3_000 }), deps, running)
    expect(await sender.begin()).toBe(5)
    const { endpoint } = await created()
    expect(await sender.begin()).toBe(1)
    await running.oneEnded()
    expect(await log(endpoint)).toMatchObject([{ state: 'delivered' }])
    await running.allEnded()
    const failed = (await log(slow.endpoint)).filter(({ lastError }) => lastError?.includes('did not respond in time'))
    expect(failed).toHaveLength(5)
    // A failing endpoint gets one request at a time.
    expect(await sender.begin()).toBe(1)
    for (const end of waiting) end()
    await running.allEnded()
  })
})

test('keeps capacity for other accounts when the endpoints of two accounts are slow', async () => {
  const waiting: (() => void)[] = []
  fixture.answer = (request, response) => {
    if (request.url === '/slow') waiting.push(() => void response.end())
    else response.end()
  }
  const other = '00000000-0000-4000-8000-0000000000e2'
  const third = '00000000-0000-4000-8000-0000000000e3'
  await database.query(`INSERT INTO accounts VALUES ($1, 'two', now()), ($2, 'three', now())`, [other, third])
  const body = { events: ['points.awarded'], spaceIds: [40] }
  for (let n = 0; n < 14; n++) {
    const slow = readEndpointForm({ ...body, url: `${receiver.url}/slow` })
    const { endpoint } = await createEndpoint(deps, n < 7 ? ACCOUNT : other, slow, 'operator')
    for (let i = 0; i < 6; i++) await sendTest(deps, endpoint)
  }
  const running = runningWork()
  const sender = createSender(webhookQueue(deps), deps, running)
  while ((await sender.begin()) > 0);
  clock.advance(SECOND)
  const quick = readEndpointForm({ ...body, url: `${receiver.url}/quick` })
  const { endpoint } = await createEndpoint(deps, third, quick, 'operator')
  await sendTest(deps, endpoint)
  expect(await sender.begin()).toBe(1)
  await expect.poll(() => log(endpoint)).toMatchObject([{ state: 'delivered' }])
  await expect.poll(() => waiting.length).toBeGreaterThan(20)
  // Each endpoint has had one delivery: none got a second slot before all others had one.
  const started = await database.query('SELECT DISTINCT endpoint_id FROM webhook_messages WHERE lease IS NOT NULL')
  expect(started).toHaveLength(14)
  for (const end of waiting) end()
  await running.allEnded()
})

describe('a delivery that fails', () => {
  test('retries after growing pauses, with the same id and a new signature', async () => {
    fixture.answer = says(500, {}, 'broken')
    const { endpoint, secret, messageId } = await created()
    await deliver()
    for (const delay of RETRY_DELAYS) {
      clock.advance(Math.floor(delay * (1 - JITTER)) - SECOND)
      expect(await deliver()).toBe(0)
      clock.advance(Math.ceil(delay * 2 * JITTER) + SECOND)
      expect(await deliver()).toBe(1)
      expect(verified(receiver.requests.at(-1), secret)).toMatchObject({ type: 'webhook.test' })
    }
    const attempts = RETRY_DELAYS.length + 1
    expect(header('webhook-id')).toEqual(Array(attempts).fill(messageId))
    expect(new Set(header('webhook-timestamp')).size).toBe(attempts)
    expect(await log(endpoint)).toMatchObject([{ state: 'failed', attempts, lastStatus: 500, nextAttemptAt: null }])
    clock.advance(DAY)
    expect(await deliver()).toBe(0)
  })

  test('succeeds when the receiver recovers, and resets the state of the endpoint', async () => {
    fixture.answer = says(500)
    const { endpoint } = await created()
    await deliver()
    expect((await again(endpoint.id)).failingSince).toEqual(new Date(clock.now()))
    fixture.answer = says(200)
    clock.advance(6 * SECOND)
    await deliver()
    expect(await log(endpoint)).toMatchObject([{ state: 'delivered', attempts: 2 }])
    expect((await again(endpoint.id)).failingSince).toBeNull()
  })

  test.each([429, 503])(
    'with %i and Retry-After waits as long as requested, as does its whole endpoint',
    async (status) => {
      fixture.answer = says(status, { 'retry-after': '600' })
      const { endpoint } = await created()
      await deliver()
      await sendTest(deps, endpoint)
      clock.advance(10 * MINUTE - SECOND)
      expect(await deliver()).toBe(0)
      fixture.answer = says(204)
      clock.advance(SECOND)
      expect(await deliver()).toBe(2)
    },
  )

  test('disables the endpoint at once after 410 Gone and fails its pending messages', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    fixture.answer = async (request, response) => {
      await released
      await says(410)(request, response)
    }
    const { endpoint } = await created()
    const running = runningWork()
    await createSender(webhookQueue(deps), deps, running).begin()
    const waiting = await sendTest(deps, endpoint)
    release()
    await running.allEnded()
    const now = await again(endpoint.id)
    expect(now).toMatchObject({ enabled: false, disabledReason: 'the receiver responded with 410 Gone' })
    expect((await log(endpoint)).map(({ state }) => state)).toEqual(['failed', 'failed'])
    await expect(redeliver(deps, now, waiting)).rejects.toMatchObject({ code: 'webhook_disabled' })
    await expect(sendTest(deps, now)).rejects.toMatchObject({ code: 'webhook_disabled' })
    fixture.answer = says(200)
    const enabled = await updateEndpoint(deps, now, { enabled: true })
    expect(enabled).toMatchObject({ enabled: true, disabledReason: null, failingSince: null })
    await redeliver(deps, enabled, waiting)
    expect(await deliver()).toBe(1)
  })

  test('disables the endpoint with a reason when all deliveries fail for days', async () => {
    fixture.answer = says(500)
    const { endpoint } = await created()
    await deliver()
    clock.advance(WEBHOOK_DISABLE_AFTER - HOUR)
    await deliver()
    expect((await again(endpoint.id)).enabled).toBe(true)
    clock.advance(HOUR)
    await sendTest(deps, endpoint)
    await deliver()
    const { enabled, disabledReason } = await again(endpoint.id)
    expect(enabled).toBe(false)
    expect(disabledReason).toMatch(/^every delivery has failed since 2026-.*; the last one: answered 500$/)
  })

  test('retries after the maximum duration of an attempt when its process died', async () => {
    const { endpoint, messageId } = await created()
    const lost = database.pool.query(`UPDATE webhook_messages SET lease = gen_random_uuid(), next_attempt_at = $1`, [
      new Date(clock.now() + DELIVERY_LEASE),
    ])
    await lost
    await expect(redeliver(deps, endpoint, messageId)).rejects.toMatchObject({ code: 'delivery_under_way' })
    clock.advance(DELIVERY_LEASE - SECOND)
    expect(await deliver()).toBe(0)
    clock.advance(SECOND)
    expect(await deliver()).toBe(1)
    expect(header('webhook-id')).toEqual([messageId])
  })

  test('is due again at once when the service stops', async () => {
    fixture.answer = () => {}
    const { endpoint } = await created()
    const running = runningWork()
    await createSender(webhookQueue(deps), deps, running).begin()
    await running.stop(0)
    expect(await log(endpoint)).toMatchObject([{ state: 'pending', attempts: 0 }])
    fixture.answer = says(200)
    expect(await deliver()).toBe(1)
  })
})

describe('while the service runs', () => {
  test('sends pending messages without a pause, and completes running deliveries before it stops', async () => {
    const { endpoint } = await created()
    for (let n = 1; n < 60; n++) await sendTest(deps, endpoint)
    const deliveries = startJobs(deps, [senderJob('webhook deliveries', webhookQueue(deps), deps)])
    await expect.poll(() => receiver.requests.length, { interval: 10 }).toBeGreaterThan(30)
    await deliveries.stop()
    const sent = receiver.requests.length
    const delivered = await database.query(`SELECT FROM webhook_messages WHERE state = 'delivered'`)
    expect(delivered).toHaveLength(sent)
    await deliver()
    expect(new Set(header('webhook-id')).size).toBe(60)
    expect(receiver.requests).toHaveLength(60)
  })
})

describe('several instances', () => {
  test('send each message once', async () => {
    const { endpoint } = await created()
    for (let n = 1; n < 40; n++) await sendTest(deps, endpoint)
    const counts = await Promise.all([deliver(), deliver(), deliver()])
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(40)
    expect(new Set(header('webhook-id')).size).toBe(40)
    expect(receiver.requests).toHaveLength(40)
  })
})

describe('the secret', () => {
  test('that was replaced keeps signing for a day, unless it is replaced again', async () => {
    const { endpoint, secret: first } = await created()
    const { secret: second } = await rotateSecret(deps, endpoint)
    await deliver()
    const both = receiver.requests.at(-1)
    expect(both?.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/)
    expect(verified(both, first)).toEqual(verified(both, second))

    clock.advance(DAY - SECOND)
    await sendTest(deps, endpoint)
    await deliver()
    verified(receiver.requests.at(-1), first)
    clock.advance(SECOND)
    await sendTest(deps, endpoint)
    await deliver()
    expect(() => verified(receiver.requests.at(-1), first)).toThrow()
    verified(receiver.requests.at(-1), second)

    const { secret: third } = await rotateSecret(deps, endpoint)
    const { secret: fourth } = await rotateSecret(deps, endpoint)
    await sendTest(deps, endpoint)
    await deliver()
    expect(() => verified(receiver.requests.at(-1), second)).toThrow()
    expect(verified(receiver.requests.at(-1), third)).toEqual(verified(receiver.requests.at(-1), fourth))
  })

  test('stays encrypted in the database; the log shows that another installation secret cannot decrypt it', async () => {
    const { endpoint, secret } = await created()
    const rows = await database.query<{ sealed: Buffer }>('SELECT sealed FROM webhook_secrets')
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    expect(key).toHaveLength(32)
    expect(rows.some(({ sealed }) => sealed.includes(key) || sealed.includes(secret))).toBe(false)
    await sendDue(
      webhookQueue({ ...deps, secret: { key: () => Buffer.alloc(32), keys: () => [Buffer.alloc(32)] } }),
      deps,
    )
    expect((await log(endpoint))[0]?.lastError).toContain('QUESTBOARD_SECRET')
    expect(receiver.requests).toEqual([])
  })
})

test('keeps pending messages after a long downtime', async () => {
  const { endpoint } = await created()
  expect(await sweepWebhooks(database.kysely, clock.now() + 2 * WEBHOOK_LOG_LIFETIME)).toBe(0)
  expect(await deliver()).toBe(1)
  expect(await log(endpoint)).toMatchObject([{ state: 'delivered' }])
})

describe('the log', () => {
  test('has pages, newest first, and filters by state', async () => {
    const { endpoint } = await created()
    for (let n = 0; n < 4; n++) {
      clock.advance(SECOND)
      await sendTest(deps, endpoint)
    }
    const read = async (query: object) => readLog(deps, endpoint, readLogQuery(query))
    const first = await read({ limit: '3' })
    const second = await read({ limit: '3', before: first.next })
    const ids = [...first.deliveries, ...second.deliveries].map(({ id }) => id)
    expect(new Set(ids).size).toBe(5)
    expect([first.deliveries.length, second.deliveries.length, second.next]).toEqual([3, 2, null])
    expect((await read({ state: 'failed' })).deliveries).toEqual([])
    await expect(read({ state: 'lost' })).rejects.toMatchObject({ field: 'state' })
    await expect(read({ limit: '0' })).rejects.toMatchObject({ field: 'limit' })
    await expect(read({ before: 'msg_0' })).rejects.toMatchObject({ field: 'before' })
  })

  test('resends one message, or all that failed since a time, with their old ids', async () => {
    const { endpoint, messageId } = await created()
    await deliver()
    await redeliver(deps, endpoint, messageId)
    await deliver()
    expect(header('webhook-id')).toEqual([messageId, messageId])
    expect(await message(endpoint, messageId)).toMatchObject({ attempts: 2, log: [{ attempt: 1 }, { attempt: 2 }] })

    await sendTest(deps, endpoint)
    clock.advance(MINUTE)
    const since = new Date(clock.now())
    const late = await sendTest(deps, endpoint)
    await updateEndpoint(deps, endpoint, { enabled: false })
    const enabled = await updateEndpoint(deps, endpoint, { enabled: true })
    expect(await redeliverFailed(deps, enabled, since)).toBe(1)
    expect(await deliver()).toBe(1)
    expect(header('webhook-id').at(-1)).toBe(late)
  })

  test('deletes messages and their attempts after the retention period', async () => {
    await created()
    await deliver()
    expect(await sweepWebhooks(database.kysely, clock.now() + WEBHOOK_LOG_LIFETIME)).toBe(0)
    expect(await sweepWebhooks(database.kysely, clock.now() + WEBHOOK_LOG_LIFETIME + 1)).toBe(1)
    expect(await database.query('SELECT FROM webhook_attempts')).toEqual([])
  })
})

test('refuses a delivery when the host name resolves to a private address', async () => {
  const url = `https://rebinds.example:${receiver.port}/`
  const form = readEndpointForm({ url, events: ['points.awarded'], spaceIds: [40] })
  const { endpoint } = await createEndpoint(deps, ACCOUNT, form)
  await sendTest(deps, endpoint)
  const outgoing = createOutgoing({ hosts: [], lookup: leadsTo('127.0.0.1') })
  const before = receiver.connections()
  await sendDue(webhookQueue({ ...deps, outgoing }), deps)
  await outgoing.close()
  expect((await log(endpoint))[0]?.lastError).toContain('has no address on the public Internet')
  expect(receiver.connections()).toBe(before)
})
