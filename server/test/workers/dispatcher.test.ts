import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDispatcher, type DispatcherOptions } from '../../src/workers/dispatcher.ts'

/** A connection that nobody reads from. */
const connection = (name: string): Socket => ({ name, on: () => undefined }) as unknown as Socket
const nameOf = (socket: Socket): string => (socket as unknown as { name: string }).name

/** A dispatcher with one worker that is free when the test says so. */
function withOneWorker(options: Partial<DispatcherOptions> = {}) {
  const told = { taken: '', overflowed: '', longQueues: 0 }
  let free = false
  const worker = {
    give(socket: Socket) {
      free = false
      told.taken += nameOf(socket)
    },
  }
  const dispatcher = createDispatcher({
    nextFree: () => (free ? worker : undefined),
    overflow: (socket) => (told.overflowed += nameOf(socket)),
    onLongQueue: () => told.longQueues++,
    patience: 60_000,
    ...options,
  })
  const makeFree = (): void => {
    free = true
    dispatcher.dispatch()
  }
  const enqueue = (names: string): void => {
    for (const name of names) dispatcher.enqueue(connection(name))
  }
  return { told, dispatcher, makeFree, enqueue }
}

test('a worker is given one connection, and the next when it has taken that, in the order in which they came', () => {
  const { told, makeFree, enqueue } = withOneWorker()
  makeFree()
  enqueue('abc')
  expect(told.taken).toBe('a')
  makeFree()
  expect(told.taken).toBe('ab')
  makeFree()
  makeFree()
  enqueue('d')
  expect(told).toEqual({ taken: 'abcd', overflowed: '', longQueues: 0 })
})

test('what is more than may wait overflows at once, and what has waited too long then', async () => {
  const { told, makeFree, enqueue } = withOneWorker({ most: 3, patience: 100 })
  enqueue('abcd')
  expect(told.overflowed).toBe('d')
  makeFree()
  await expect.poll(() => told.overflowed).toBe('dbc')
  expect(told.taken).toBe('a')
})

test('of a long queue is told once a second, of a short one never', async () => {
  const { told, enqueue } = withOneWorker()
  enqueue('x'.repeat(20))
  expect(told.longQueues).toBe(0)
  enqueue('x'.repeat(50))
  expect(told.longQueues).toBe(1)
  await sleep(1_050)
  enqueue('xx')
  expect(told.longQueues).toBe(2)
})

test('closing waits until every connection has been taken or has overflowed', async () => {
  const { told, dispatcher, makeFree, enqueue } = withOneWorker({ patience: 2_000 })
  enqueue('ab')
  let closed = false
  const closing = dispatcher.close().then(() => (closed = true))
  makeFree()
  await sleep(20)
  expect({ closed, ...told }).toMatchObject({ closed: false, taken: 'a' })
  await closing
  expect(told.overflowed).toBe('b')
  await withOneWorker().dispatcher.close()
})
