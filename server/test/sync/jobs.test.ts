import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { closeQueue, openQueue, type Queue } from '../../src/sync/queue.ts'
import { silentLog } from '../../src/logging/log.ts'
import { enqueueDue, startSyncJobs, type SyncJobs } from '../../src/sync/jobs.ts'
import { address } from '../support/evm-node.ts'
import { type Answer, startUpstream } from '../support/upstream.ts'
import { syncFixture } from './arrange.ts'

let answer: Answer = (_, response) => void response.end(JSON.stringify([address(1)]))
const upstream = await startUpstream((request, response) => answer(request, response))
const fixture = await syncFixture(upstream)
const { credential, holders, state, deps } = fixture
const instances: { queue: Queue; jobs: SyncJobs }[] = []

async function instance() {
  const queue = await openQueue(deps.database, silentLog)
  const jobs = await startSyncJobs({ ...deps, queue })
  instances.push({ queue, jobs })
  return queue
}
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(50)
}
const source = () => ({ kind: 'REST', url: upstream.url, everySeconds: 600 })

beforeAll(async () => {
  await Promise.all([instance(), instance()])
})
afterEach(() => {
  upstream.requests.length = 0
})
afterAll(async () => {
  await Promise.all(instances.map(async ({ queue, jobs }) => jobs.stop().then(() => closeQueue(queue))))
  await Promise.all([fixture.close(), upstream.close()])
})

test('a new source is brought in without anybody asking, by one of the instances, once', async () => {
  const id = await credential(source())
  await until(async () => (await state(id)).state === 'done')
  expect(await holders(id)).toEqual([address(1)])
  await sleep(300)
  expect(upstream.requests).toHaveLength(1)
})

test('a source is brought in again when its time has come, and not before', async () => {
  const id = await credential(source())
  await until(async () => (await state(id)).state === 'done')
  const queue = instances[0]?.queue as Queue
  deps.clock.advance(599_000)
  expect(await enqueueDue({ ...deps, queue })).toBe(0)
  answer = (_, response) => void response.end(JSON.stringify([address(1), address(2)]))
  deps.clock.advance(1_000)
  await until(async () => (await holders(id)).length === 2)
  expect((await state(id)).last_sync).toEqual(new Date(deps.clock.now()))
})

test('a run that fails for a moment is planned again by the queue, not forgotten', async () => {
  answer = (_, response) => void response.writeHead(500, { 'retry-after': '3600' }).end()
  const id = await credential(source())
  await until(async () => (await state(id)).state === 'failed')
  const planned = () =>
    deps.database.query<{ state: string; retry_count: number; later: boolean }>(
      `SELECT state::text, retry_count, start_after > now() AS later FROM jobs.job
       WHERE name = 'credential-sync' AND data->>'credentialId' = $1`,
      [id],
    )
  await until(async () => (await planned())[0]?.state === 'retry')
  expect(await planned()).toMatchObject([{ state: 'retry', later: true }])
})

test('a run that is held is not repeated by the queue', async () => {
  answer = (_, response) => void response.end(JSON.stringify([address(1)]))
  const id = await credential(source())
  await until(async () => (await state(id)).state === 'done')
  answer = (_, response) => void response.end('[]')
  deps.clock.advance(600_000)
  await until(async () => (await state(id)).state === 'held')
  await sleep(200)
  const jobs = await deps.database.query(
    `SELECT FROM jobs.job WHERE data->>'credentialId' = $1 AND state IN ('created', 'retry')`,
    [id],
  )
  expect(jobs).toHaveLength(0)
})
