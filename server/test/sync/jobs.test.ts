import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { MINUTE, SECOND } from '../../src/clock.ts'
import { type Jobs, startJobs } from '../../src/jobs/jobs.ts'
import { syncJob } from '../../src/sync/jobs.ts'
import { LEASE } from '../../src/sync/run-sync.ts'
import { claimDueSources } from '../../src/sync/sources.queries.ts'
import { address } from '../support/evm-node.ts'
import { type Answer, startUpstream } from '../support/upstream.ts'
import { syncFixture } from './arrange.ts'

const answerOne: Answer = (_, response) => void response.end(JSON.stringify([address(1)]))
const fail: Answer = (_, response) => void response.writeHead(500, { 'retry-after': '3600' }).end()
let answer = answerOne
const upstream = await startUpstream((request, response) => answer(request, response))
const fixture = await syncFixture(upstream)
const { credential, holders, state, deps } = fixture
const instances: Jobs[] = []

const startInstance = () => instances.push(startJobs(deps, [syncJob(deps)]))
const stopInstances = () => Promise.all(instances.splice(0).map((jobs) => jobs.stop()))
const becomes = (id: string, wanted: string) => expect.poll(async () => (await state(id)).state).toBe(wanted)
const source = () => ({ kind: 'REST', url: upstream.url, everySeconds: 600 })
/** Seconds until the source is due. */
async function dueIn(id: string): Promise<number> {
  const [row] = await deps.database.query<{ next_run_at: Date }>(
    'SELECT next_run_at FROM credential_sources WHERE credential_id = $1',
    [id],
  )
  return ((row?.next_run_at.getTime() ?? NaN) - deps.clock.now()) / SECOND
}

beforeAll(() => {
  startInstance()
  startInstance()
})
afterEach(() => {
  answer = answerOne
  upstream.requests.length = 0
})
afterAll(async () => {
  await stopInstances()
  await Promise.all([fixture.close(), upstream.close()])
})

test('imports a new source automatically, in one instance, once', async () => {
  const id = await credential(source())
  await becomes(id, 'done')
  expect(await holders(id)).toEqual([address(1)])
  await sleep(1_200)
  expect(upstream.requests).toHaveLength(1)
})

test('imports a source again when it is due, and not before', async () => {
  const id = await credential(source())
  await becomes(id, 'done')
  expect(await dueIn(id)).toBe(600)
  answer = (_, response) => void response.end(JSON.stringify([address(1), address(2)]))
  deps.clock.advance(600 * SECOND)
  await expect.poll(() => holders(id)).toHaveLength(2)
  expect((await state(id)).last_sync).toEqual(new Date(deps.clock.now()))
})

test('retries a temporary failure after 30 s, 1, 2, 4 and 8 min, then at the regular time', async () => {
  answer = fail
  const id = await credential({ ...source(), everySeconds: 3_600 })
  const waits: number[] = []
  for (let failures = 1; failures <= 7; failures++) {
    await expect.poll(async () => (await state(id)).failures).toBe(failures)
    waits.push(await dueIn(id))
    deps.clock.advance((waits.at(-1) as number) * SECOND)
  }
  expect(waits).toEqual([30, 60, 120, 240, 480, 3_600, 30])
})

test('does not retry a held run', async () => {
  const id = await credential(source())
  await becomes(id, 'done')
  answer = (_, response) => void response.end('[]')
  deps.clock.advance(600 * SECOND)
  await becomes(id, 'held')
  expect(await dueIn(id)).toBe(600)
})

test('repeats the run of a dead process when its lease has expired', async () => {
  await stopInstances()
  const id = await credential(source())
  const now = deps.clock.now()
  const claim = () =>
    claimDueSources(deps.database.kysely, deps.random.uuid(), new Date(now), new Date(now + LEASE), 10)
  const claims = await Promise.all([claim(), claim(), claim()])
  expect(claims.flat().filter((claimed) => claimed === id)).toHaveLength(1)
  startInstance()
  await sleep(1_200)
  expect(upstream.requests).toHaveLength(0)
  deps.clock.advance(LEASE + SECOND)
  await becomes(id, 'done')
})

test('skips a source that cannot be decrypted until its next regular time', async () => {
  const id = await credential(source())
  await becomes(id, 'done')
  await deps.database.query(`UPDATE credential_sources SET source = '{"kind":"?"}' WHERE credential_id = $1`, [id])
  deps.clock.advance(10 * MINUTE)
  await expect.poll(() => dueIn(id)).toBe(600)
  expect((await state(id)).state).toBe('done')
})
