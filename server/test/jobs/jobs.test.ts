import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { HOUR } from '../../src/clock.ts'
import { type Job, startJobs } from '../../src/jobs/jobs.ts'
import { runningWork } from '../../src/jobs/running-work.ts'
import { testClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

function dependencies(clock = testClock()) {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>)
  return { deps: { database, clock, log: pino({}, { write }) }, lines }
}

it('logs a failed job, runs it again, and keeps running the others', async () => {
  const { deps, lines } = dependencies()
  const calls = { failing: 0, other: 0 }
  const failing: Job = {
    name: 'failing',
    run: () => (calls.failing++ === 0 ? Promise.reject(new Error('once')) : Promise.resolve(1)),
  }
  const other: Job = { name: 'other', run: () => Promise.resolve(calls.other++ && 1) }
  const jobs = startJobs(deps, [failing, other])
  await expect.poll(() => calls.failing).toBeGreaterThan(1)
  await jobs.stop()
  expect(calls.other).toBeGreaterThan(calls.failing)
  expect(lines).toMatchObject([{ job: 'failing', msg: 'a background job failed; retrying' }])
})

it('runs no job while the clocks of the process and the database differ', async () => {
  const { deps, lines } = dependencies({ ...testClock(), now: () => Date.now() + HOUR, maxDifference: 5_000 })
  let calls = 0
  const jobs = startJobs(deps, [{ name: 'any', run: () => Promise.resolve(++calls) }])
  await expect.poll(() => lines.length).toBe(1)
  await jobs.stop()
  expect(calls).toBe(0)
})

it('waits at the stop for running work, and aborts work that takes too long', async () => {
  const { deps } = dependencies()
  const running = runningWork()
  const ended: string[] = []
  const quick = Promise.withResolvers<void>()
  running.add(quick.promise.then(() => void ended.push('quick')))
  running.add(
    new Promise((resolve) => {
      running.signal.addEventListener('abort', () => {
        ended.push(String(running.signal.reason))
        resolve()
      })
    }),
  )
  const jobs = startJobs(deps, [
    { name: 'any', run: () => Promise.resolve(1), stop: () => running.stop(50, new Error('late')) },
  ])
  const stopping = jobs.stop()
  quick.resolve()
  await stopping
  expect(ended).toEqual(['quick', 'Error: late'])
  expect(running.size).toBe(0)
})
