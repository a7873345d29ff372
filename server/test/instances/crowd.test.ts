import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { openDoors } from '../../src/http/doors.ts'
import { watchCrowd } from '../../src/workers/crowd.ts'
import type { ToWorker } from '../../src/workers/messages.ts'
import { createOwnDoors } from '../../src/workers/own-doors.ts'

const AT = { host: '127.0.0.1', port: 4_000 }
const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const end of cleanUp.splice(0)) await end()
})

function crowdOf(period: number) {
  const told: ToWorker['kind'][] = []
  const crowd = watchCrowd({ tell: ({ kind }) => told.push(kind), at: () => AT, period })
  cleanUp.push(crowd.end)
  return { crowd, told }
}

test('a crowd is told of once, and its end when it has been quiet for a whole period', async () => {
  const { crowd, told } = crowdOf(50)
  expect(crowd.news).toBeUndefined()
  crowd.gathers()
  crowd.gathers()
  expect(told).toEqual(['crowd'])
  // Whoever begins to take requests now has to know.
  expect(crowd.news).toEqual({ kind: 'crowd', at: AT })
  await expect.poll(() => told).toEqual(['crowd', 'quiet'])
  expect(crowd.news).toBeUndefined()
  crowd.gathers()
  expect(told).toEqual(['crowd', 'quiet', 'crowd'])
})

test('as long as many come to the workers themselves, the crowd lasts', async () => {
  const { crowd, told } = crowdOf(50)
  crowd.gathers()
  const coming = setInterval(() => crowd.came(100), 5)
  await sleep(300)
  expect(told).toEqual(['crowd'])
  clearInterval(coming)
  await expect.poll(() => told).toEqual(['crowd', 'quiet'])
})

// Elsewhere there is one listening socket for all.
test.runIf(process.platform === 'linux')('a worker listens itself until it is told that it is quiet', async () => {
  const first = await openDoors((socket) => void socket.destroy(), { host: '127.0.0.1', port: 0 }, 1)
  cleanUp.push(first.close)
  let [taken, came] = [0, 0]
  const warnings: unknown[] = []
  const doors = createOwnDoors({
    take: (socket: Socket) => {
      taken++
      socket.destroy()
    },
    came: (count) => (came += count),
    log: { warn: (...what: unknown[]) => void warnings.push(what) },
    tellEvery: 10,
  })
  cleanUp.push(doors.close)
  await doors.open(first.at)
  await doors.open(first.at)
  const visit = async (): Promise<void> => {
    const sockets = Array.from({ length: 100 }, () => connect(first.at.port, first.at.host).on('error', () => {}))
    await Promise.all(sockets.map((socket) => once(socket, 'close')))
  }
  await visit()
  // Of 65 sockets that share the port 64 are the worker's.
  expect(taken).toBeGreaterThan(80)
  await expect.poll(() => came).toBe(taken)
  await doors.close()
  const before = taken
  await visit()
  expect(taken).toBe(before)
  // Where it cannot listen it goes on without.
  await doors.open({ ...first.at, host: '192.0.2.1' })
  expect(warnings).toHaveLength(1)
})
