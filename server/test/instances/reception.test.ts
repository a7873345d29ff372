import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createReception, type ReceptionOptions } from '../../src/workers/reception.ts'

/** A connection that nobody reads from. */
const connection = (name: string): Socket => ({ name, on: () => undefined }) as unknown as Socket
const nameOf = (socket: Socket): string => (socket as unknown as { name: string }).name

/** A reception before one worker that is free when the test says so. */
function before(options: Partial<ReceptionOptions> = {}) {
  const told = { taken: '', turnedAway: '', crowds: 0 }
  let free = false
  const worker = {
    take(socket: Socket) {
      free = false
      told.taken += nameOf(socket)
    },
  }
  const reception = createReception({
    free: () => (free ? worker : undefined),
    turnAway: (socket) => (told.turnedAway += nameOf(socket)),
    crowded: () => told.crowds++,
    patience: 60_000,
    ...options,
  })
  const makeFree = (): void => {
    free = true
    reception.handOn()
  }
  const receive = (names: string): void => {
    for (const name of names) reception.receive(connection(name))
  }
  return { told, reception, makeFree, receive }
}

test('a worker is given one connection, and the next when it has taken that, in the order in which they came', () => {
  const { told, makeFree, receive } = before()
  makeFree()
  receive('abc')
  expect(told.taken).toBe('a')
  makeFree()
  expect(told.taken).toBe('ab')
  makeFree()
  makeFree()
  receive('d')
  expect(told).toEqual({ taken: 'abcd', turnedAway: '', crowds: 0 })
})

test('who is more than may wait is turned away at once, and who has waited too long then', async () => {
  const { told, makeFree, receive } = before({ most: 3, patience: 100 })
  receive('abcd')
  expect(told.turnedAway).toBe('d')
  makeFree()
  await expect.poll(() => told.turnedAway).toBe('dbc')
  expect(told.taken).toBe('a')
})

test('a crowd is told of once a second, and few who wait are none', async () => {
  const { told, receive } = before()
  receive('x'.repeat(20))
  expect(told.crowds).toBe(0)
  receive('x'.repeat(50))
  expect(told.crowds).toBe(1)
  await sleep(1_050)
  receive('xx')
  expect(told.crowds).toBe(2)
})

test('closing waits until everybody has been handed on or turned away', async () => {
  const { told, reception, makeFree, receive } = before({ patience: 200 })
  receive('ab')
  let closed = false
  const closing = reception.close().then(() => (closed = true))
  makeFree()
  await sleep(20)
  expect({ closed, ...told }).toMatchObject({ closed: false, taken: 'a' })
  await closing
  expect(told.turnedAway).toBe('b')
  await before().reception.close()
})
