import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { openListeners } from '../../src/http/listeners.ts'
import type { ToWorker } from '../../src/workers/messages.ts'
import { detectSurges } from '../../src/workers/surge-detection.ts'
import { createWorkerListeners } from '../../src/workers/worker-listeners.ts'

const AT = { host: '127.0.0.1', port: 4_000 }
const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const end of cleanUp.splice(0)) await end()
})

function detectorWith(period: number) {
  const told: ToWorker['kind'][] = []
  const surges = detectSurges({ broadcast: ({ kind }) => told.push(kind), address: () => AT, period })
  cleanUp.push(surges.end)
  return { surges, told }
}

test('workers are told once to listen, and to stop when few have come for a whole period', async () => {
  const { surges, told } = detectorWith(50)
  expect(surges.order).toBeUndefined()
  surges.queueIsLong()
  surges.queueIsLong()
  expect(told).toEqual(['listen'])
  // Whoever begins to take requests now has to know.
  expect(surges.order).toEqual({ kind: 'listen', address: AT })
  await expect.poll(() => told).toEqual(['listen', 'stop listening'])
  expect(surges.order).toBeUndefined()
  surges.queueIsLong()
  expect(told).toEqual(['listen', 'stop listening', 'listen'])
})

test('as long as workers accept many themselves, the surge lasts', async () => {
  const { surges, told } = detectorWith(50)
  surges.queueIsLong()
  const coming = setInterval(() => surges.accepted(100), 5)
  await sleep(300)
  expect(told).toEqual(['listen'])
  clearInterval(coming)
  await expect.poll(() => told).toEqual(['listen', 'stop listening'])
})

// Elsewhere there is one listening socket for all.
test.runIf(process.platform === 'linux')('a worker listens itself until it is told to stop', async () => {
  const first = await openListeners((socket) => void socket.destroy(), { host: '127.0.0.1', port: 0 }, 1)
  cleanUp.push(first.close)
  let [accepted, reported] = [0, 0]
  const warnings: unknown[] = []
  const listeners = createWorkerListeners({
    accept: (socket: Socket) => {
      accepted++
      socket.destroy()
    },
    onAccepted: (count) => (reported += count),
    log: { warn: (...what: unknown[]) => void warnings.push(what) },
    tellEvery: 10,
  })
  cleanUp.push(listeners.close)
  const { address } = first
  await listeners.open(address)
  await listeners.open(address)
  const visit = async (): Promise<void> => {
    const sockets = Array.from({ length: 100 }, () => connect(address.port, address.host).on('error', () => {}))
    await Promise.all(sockets.map((socket) => once(socket, 'close')))
  }
  await visit()
  // Of 65 sockets that share the port 64 are the worker's.
  expect(accepted).toBeGreaterThan(80)
  await expect.poll(() => reported).toBe(accepted)
  await listeners.close()
  const before = accepted
  await visit()
  expect(accepted).toBe(before)
  // Where it cannot listen it goes on without.
  await listeners.open({ ...address, host: '192.0.2.1' })
  expect(warnings).toHaveLength(1)
})
