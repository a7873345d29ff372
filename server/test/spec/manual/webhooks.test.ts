import { systemRandom } from '../../../src/random.ts'
import { giveAwards } from '../../support/awards.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/clock.ts'
import { createReceiver } from '../../../../examples/webhook-receiver/server.ts'
import { applyClaims } from '../../../src/claims/apply-claims.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import * as lifetimes from '../../../src/lifetimes.ts'
import { createOutgoing } from '../../../src/outgoing/outgoing.ts'
import { MAX_RAISES } from '../../../src/ranking/board-events.ts'
import { applyDueTransitions } from '../../../src/ranking/quests/transitions.ts'
import { refreshStarboard } from '../../../src/ranking/starboards/refresh.ts'
import { runSync } from '../../../src/sync/run-sync.ts'
import { setSource } from '../../../src/sync/set-source.ts'
import { attempt } from '../../../src/webhooks/attempt.ts'
import { MAX_ENDPOINTS, MAX_FOREIGN_WEBHOOKS, sendTest } from '../../../src/webhooks/endpoints.ts'
import { readEndpointForm } from '../../../src/webhooks/endpoint-form.ts'
import { EVENT_TYPES, MEMBERS_PER_MESSAGE, MAX_TOP, payloadOf } from '../../../src/webhooks/events.ts'
import { MAX_WAITING } from '../../../src/webhooks/outbox.ts'
import { JITTER, MAX_PAUSE, RETRY_DELAYS } from '../../../src/webhooks/retry-schedule.ts'
import { close, urlOf } from '../../../../client/test/examples/listening.ts'
import { ACCOUNT, webhookFixture } from '../../webhooks/arrange.ts'

const root = join(import.meta.dirname, '../../../..')
const page = await readFile(join(root, 'docs/webhooks.md'), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] as string)

const fixture = await webhookFixture()
const { database, clock, deps, receiver } = fixture
afterAll(() => fixture.close())

interface Shown {
  type: string
  data: Record<string, unknown>
}

test('delivers every event in the form of its example', async () => {
  const examples = blocks('json')
    .map((text) => JSON.parse(text) as Shown)
    .filter(({ type }) => type !== undefined)
  expect(new Set(examples.map(({ type }) => type))).toEqual(new Set([...EVENT_TYPES, 'webhook.test']))

  await database.query('UPDATE spaces SET owner_account_id = $1', [ACCOUNT])
  const load = importRecords<'points'>
  const member = (name: string, points: number, username: string) => ({
    spaceId: 40,
    address: `0x${name.padStart(40, '0')}`,
    points,
    username,
  })
  await load({ database, clock }, 'points', [
    member('a1', 200, 'Ayo'),
    member('b2', 120, 'Bela'),
    member('c3', 60, 'Cleo'),
  ])
  await importRecords({ database, clock }, 'sprints', [{ spaceId: 40, sprintId: 7 }])
  await importRecords({ database, clock }, 'starboards', [{ id: 'voices', name: 'Voices', type: 'TWITTER' }])
  const sample = (username: string, score: number | string) =>
    importRecords({ database, clock }, 'samples', [
      { starboardId: 'voices', handle: username.toLowerCase(), score, sampledAt: new Date(clock.now()).toISOString() },
    ])
  await importRecords(
    { database, clock },
    'users',
    ['Ayo_X', 'Bela_X', 'Cleo_X'].map((username) => ({ starboardId: 'voices', username })),
  )
  for (const [username, score] of [
    ['Ayo_X', 99],
    ['Bela_X', 88],
    ['Cleo_X', 77],
  ] as const)
    await sample(username, score)
  await refreshStarboard(deps, 'voices')
  await importRecords({ database, clock }, 'quests', [
    { id: 'GCsummer01', spaceId: 40, name: 'Summer', type: 'Drop', endTime: '2026-11-21T12:30:00Z' },
  ])
  await importRecords({ database, clock }, 'quests', [
    { id: 'GCtrees01', spaceId: 40, name: 'Plant a tree', type: 'Points', loyaltyPoints: 10 },
  ])
  await importRecords({ database, clock }, 'credentials', [
    { id: '7', name: 'Early supporters', credType: 'EVM_ADDRESS', credSource: 'REST', curatorSpaceId: 40 },
  ])
  const { endpoint } = await fixture.create({
    events: EVENT_TYPES,
    starboardIds: ['voices'],
    credentialIds: ['7'],
    minPoints: 100,
    top: 2,
    boards: 'overall',
  })

  await sendTest(deps, endpoint)
  await database.kysely
    .transaction()
    .execute((trx) => giveAwards(trx, [{ ...member('c3', 250, ''), sprintId: 7 }, { ...member('a1', 50, '') }], clock))
  await database.kysely.transaction().execute((trx) =>
    applyClaims(trx, [{ questId: 'GCtrees01', address: member('c3', 0, '').address, answers: new Map() }], {
      clock,
      random: systemRandom,
    }),
  )
  clock.advance(MINUTE)
  await sample('Cleo_X', '96.5')
  await refreshStarboard(deps, 'voices')
  clock.advance(29 * MINUTE)
  await applyDueTransitions(deps)
  const holders = ['a1', 'b2', 'c3'].map((name) => member(name, 0, '').address)
  fixture.answer = (request, response) => {
    if (request.method === 'POST') response.writeHead(204).end()
    else response.writeHead(request.url === '/holders' ? 200 : 404).end(JSON.stringify(holders))
  }
  await setSource(deps, '7', { kind: 'REST', url: `${receiver.url}/holders` })
  await runSync(deps, '7')
  await setSource(deps, '7', { kind: 'REST', url: `${receiver.url}/moved` })
  await expect(runSync(deps, '7')).rejects.toThrow()
  await fixture.deliver()

  const delivered = receiver.requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => body.replaceAll(receiver.host, 'holders.example.com'))
    .map((body) => JSON.parse(body.replaceAll(endpoint.id, '00000000-0000-4000-8000-000000000000')) as Shown)
  for (const example of examples) expect(delivered).toContainEqual(example)
  expect(delivered.filter(({ data }) => data.starboardId !== 'voices')).toHaveLength(examples.length - 1)
})

test('creates the webhook of the page', () => {
  const [body] = blocks('json')
    .map((text) => JSON.parse(text) as object)
    .filter((shown) => !('type' in shown))
  expect(readEndpointForm(body)).toEqual(body)
})

test('accepts a delivery in the receiver of the page and refuses one with another secret', async () => {
  const folder = join(root, 'node_modules/.cache/questboard-docs')
  await mkdir(folder, { recursive: true })
  const file = join(folder, `receiver-${process.pid}.mjs`)
  await writeFile(file, (blocks('js')[0] as string).replace('process.env.PORT)', '0, report)') + PORT_REPORT)
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const child = spawn(process.execPath, [file], { env: { ...process.env, WEBHOOK_SECRET: secret } })
  try {
    const [port] = (await once(child.stdout, 'data')) as [Buffer]
    const url = `http://127.0.0.1:${port.toString().trim()}/`
    const door = createOutgoing({ hosts: [{ hostname: '127.0.0.1', port: undefined }] })
    const sent = { url, messageId: 'msg_1', payload: '{"type":"webhook.test","data":{}}', timeout: 5_000 }
    expect(await attempt(door, { ...sent, now: Date.now(), secrets: [secret] })).toMatchObject({ status: 204 })
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
    expect(await attempt(door, { ...sent, now: Date.now(), secrets: [other] })).toMatchObject({ status: 401 })
    await door.close()
  } finally {
    child.kill('SIGKILL')
    await rm(file)
  }
})

/** Prints the port of the example. */
const PORT_REPORT = `
function report() { console.log(this.address().port) }
`

test('handles a repeated delivery once in the example receiver', async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const events: unknown[] = []
  const server = createReceiver({ secrets: [secret], handle: async (event) => void events.push(event) })
  const url = await urlOf(server.listen(0, '127.0.0.1'))
  const door = createOutgoing({ hosts: [{ hostname: '127.0.0.1', port: undefined }] })
  const payload = payloadOf('webhook.test', new Date(clock.now()), { webhookId: 'w', text: 'This endpoint works.' })
  const sent = { url, messageId: 'msg_1', payload, timeout: 5_000, now: Date.now(), secrets: [secret] }
  expect(await attempt(door, sent)).toMatchObject({ status: 204 })
  expect(await attempt(door, sent)).toMatchObject({ status: 204 })
  expect(events).toEqual([JSON.parse(payload)])
  await door.close()
  await close(server)
})

test('documents the numbers of the code', () => {
  const text = page.replace(/ +/g, ' ')
  const spoken = (delay: number) =>
    delay >= HOUR
      ? `${delay / HOUR} hours`
      : delay >= MINUTE
        ? `${delay / MINUTE} minutes`
        : `${delay / SECOND} seconds`
  RETRY_DELAYS.forEach((delay, i) => expect(text).toContain(`| ${i + 2} | ${spoken(delay)} |`))
  const total = RETRY_DELAYS.reduce((sum, delay) => sum + delay, 0)
  expect(text).toContain(`${Math.floor(total / HOUR)} hours and ${Math.floor((total % HOUR) / MINUTE)} minutes`)
  for (const figure of [
    `up to ${JITTER * 100} % longer`,
    `(${MAX_PAUSE / HOUR} hours at most)`,
    `more than ${MAX_RAISES.toLocaleString('en')} totals`,
    `up to ${MEMBERS_PER_MESSAGE} awards`,
    `| webhooks of an account | ${MAX_ENDPOINTS};`,
    `webhooks of all non-owners on one subject | ${MAX_FOREIGN_WEBHOOKS} |`,
    `whose account is a non-owner of a subject | ${MAX_WAITING.toLocaleString('en')} |`,
    `at most ${MAX_WAITING.toLocaleString('en')} messages can wait`,
    `1 to ${MAX_TOP.toLocaleString('en')} |`,
    `| duration of a delivery | ${lifetimes.WEBHOOK_TIMEOUT / SECOND} seconds |`,
    `| time until a failing endpoint is disabled | ${lifetimes.WEBHOOK_DISABLE_AFTER / DAY} days |`,
    `| validity of the old secret after a rotation | ${lifetimes.OLD_WEBHOOK_SECRET_LIFETIME / HOUR} hours |`,
    `| retention of messages in the log | ${lifetimes.WEBHOOK_LOG_LIFETIME / DAY} days |`,
  ])
    expect(text).toContain(figure)
})
