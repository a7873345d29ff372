import { afterAll, beforeEach, expect, test } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { setSource } from '../../src/sync/set-source.ts'
import { ask, firstError } from '../support/ask.ts'
import { address } from '../support/evm-node.ts'
import { createPersonas } from '../support/personas.ts'
import { startService } from '../support/service.ts'
import type { ServerResponse } from 'node:http'
import { type Answer, startUpstream } from '../support/upstream.ts'

let answer: Answer
const upstream = await startUpstream((request, response) => answer(request, response))
const service = await startService({ settings: { QUESTBOARD_OUTGOING_HOSTS: upstream.host } })
const { deps, clock, url } = service
const { business: token } = await createPersonas(deps)
let next = 1

interface Eligible {
  credential: { id: string; eligible: number | null }
}
const eligible = (id: string, of: string) =>
  ask<Eligible>(url, 'query ($id: ID!, $of: String!) { credential(id: $id) { id eligible(address: $of) } }', {
    token,
    variables: { id, of },
  })
const says = async (id: string, of = address(1)) => {
  const got = await eligible(id, of)
  return got.errors ? firstError(got) : got.data.credential.eligible
}

async function credential(more: object = {}, credType = 'EVM_ADDRESS'): Promise<string> {
  const id = String(next++)
  await importRecords(deps, 'credentials', [{ id, name: 'asked', credType, credSource: 'API' }])
  const source = { kind: 'API', url: `${upstream.url}/holds/{address}?v=1`, result: '/data/holds', ...more }
  await setSource(deps, id, source)
  return id
}
const reply =
  (holds: unknown) =>
  (_: unknown, response: ServerResponse): void =>
    void response.end(JSON.stringify({ data: { holds } }))

beforeEach(() => {
  upstream.requests.length = 0
})
afterAll(async () => {
  await service.stop()
  await upstream.close()
})

test('returns whether an address holds', async () => {
  const id = await credential()
  answer = ({ url: asked }, response) => reply(asked === `/holds/${address(1)}?v=1`)(undefined, response)
  expect(await says(id, address(1).toUpperCase().replace('0X', '0x'))).toBe(1)
  expect(await says(id, address(2))).toBe(0)
})

test('caches a result until it expires', async () => {
  const id = await credential({ cacheSeconds: 60 })
  answer = reply(true)
  expect(await says(id)).toBe(1)
  answer = reply(false)
  clock.advance(59_000)
  expect(await says(id)).toBe(1)
  expect(upstream.requests).toHaveLength(1)
  clock.advance(2_000)
  expect(await says(id)).toBe(0)
})

test('sends one request for concurrent questions about one address', async () => {
  const id = await credential()
  answer = (_, response) => void setTimeout(() => reply(1)(undefined, response), 50)
  expect(await Promise.all(Array.from({ length: 10 }, () => says(id)))).toEqual(Array(10).fill(1))
  expect(upstream.requests).toHaveLength(1)
})

test.each<[string, Answer]>([
  ['a status', (_, response) => void response.writeHead(500).end()],
  ['something that is no JSON', (_, response) => void response.end('<html>')],
  ['neither true nor false', reply('yes')],
  ['nothing in time', () => {}],
  ['too much', (_, response) => void response.end('x'.repeat(2_000_000))],
  [
    'a redirect to a private place',
    (_, response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
  ],
])('returns null for the field alone if the API sends %s', async (_, wrong) => {
  const id = await credential({ timeoutMilliseconds: 200 })
  answer = wrong
  const got = await eligible(id, address(1))
  expect(got.status).toBe(200)
  expect(got.data).toEqual({ credential: { id, eligible: null } })
  expect(firstError(got)).toBe('UPSTREAM_UNAVAILABLE 503 The source of this credential does not respond')
  expect(got.errors?.[0]?.path).toEqual(['credential', 'eligible'])
})

test('stops sending requests after several failures, and tries one request after a pause', async () => {
  const id = await credential({ failuresBeforePause: 3, pauseSeconds: 30 })
  answer = (_, response) => void response.writeHead(500).end()
  for (let i = 1; i <= 6; i++) expect(await says(id, address(i))).toMatch(/^UPSTREAM_UNAVAILABLE/)
  expect(upstream.requests).toHaveLength(3)
  clock.advance(31_000)
  expect(await says(id)).toMatch(/^UPSTREAM_UNAVAILABLE/)
  expect(await says(id)).toMatch(/^UPSTREAM_UNAVAILABLE/)
  expect(upstream.requests).toHaveLength(4)
  clock.advance(31_000)
  answer = reply(true)
  expect(await says(id)).toBe(1)
  expect(await says(id, address(2))).toBe(1)
})

test('never sends an own address to an API of wallet addresses', async () => {
  const id = await credential({ failuresBeforePause: 1, pauseSeconds: 30 })
  answer = (_, response) => void response.writeHead(400).end()
  expect(await says(id, '0f30eaad-5b6c-4d7e-8f90-a1b2c3d4e5f6')).toBe(0)
  expect(upstream.requests).toHaveLength(0)
  answer = reply(true)
  expect(await says(id, address(1))).toBe(1)
})

test('pauses one API without affecting others', async () => {
  const down = await credential({ failuresBeforePause: 1 })
  const up = await credential()
  answer = (_, response) => void response.writeHead(500).end()
  await says(down)
  answer = reply(true)
  expect(await says(down)).toMatch(/^UPSTREAM_UNAVAILABLE/)
  expect(await says(up)).toBe(1)
})

test('uses a changed source within seconds, without results of the previous source', async () => {
  const id = await credential()
  answer = ({ url: asked }, response) => reply(asked.startsWith('/new'))(undefined, response)
  expect(await says(id)).toBe(0)
  await setSource(deps, id, { kind: 'API', url: `${upstream.url}/new/{address}`, result: '/data/holds' })
  clock.advance(6_000)
  expect(await says(id)).toBe(1)
})

test('encodes an address so that it cannot change the path of the URL', async () => {
  const id = await credential({}, 'TWITTER')
  answer = reply(true)
  expect(await says(id, 'a/../b?c#d')).toBe(1)
  expect(upstream.requests[0]?.url).toBe('/holds/a%2F..%2Fb%3Fc%23d?v=1')
  expect(await says(id, '..')).toBe(0)
  expect(upstream.requests).toHaveLength(1)
})

test('uses the list of an API credential without a source', async () => {
  const id = String(next++)
  await importRecords(deps, 'credentials', [{ id, name: 'listed', credType: 'EVM_ADDRESS', credSource: 'API' }])
  await importRecords(deps, 'holders', [{ credentialId: id, address: address(1) }])
  expect([await says(id, address(1)), await says(id, address(2))]).toEqual([1, 0])
})

test('evaluates groups of a quest with one request for each credential', async () => {
  const id = await credential()
  await importRecords(deps, 'spaces', [{ spaceId: 1, name: 'Space' }])
  const conditions = [{ expression: 'asked', credentialId: id }]
  const group = { conditionRelation: 'ALL' as const, conditions, rewards: [{ rewardType: 'NFT', rewardCount: 1 }] }
  await importRecords(deps, 'quests', [
    { id: 'GCasked', spaceId: 1, name: 'Quest', type: 'Drop', status: 'Active', credentialGroups: [group, group] },
  ])
  answer = reply(true)
  const query = `{ quest(id: "GCasked") { credentialGroups(address: "${address(1)}") { conditions { eligible } rewards { rewardCount } } } }`
  const met = { conditions: [{ eligible: true }], rewards: [{ rewardCount: 1 }] }
  expect((await ask(url, query, { token })).data).toEqual({ quest: { credentialGroups: [met, met] } })
  expect(upstream.requests).toHaveLength(1)
})
