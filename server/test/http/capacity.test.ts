import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { measureCapacity } from '../../src/http/capacity.ts'
import { FairQueue } from '../../src/http/fair-queue.ts'

const MOST = { running: 128, waiting: 2_000, wait: 250 }

/** Computes, and so keeps the event loop busy. */
function compute(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

const times = (count: number, what: () => void): void => {
  for (let n = 0; n < count; n++) what()
}

/** One that was busy for 60 ms, in which it answered so many and refused ten. */
async function busyWith(answers: number) {
  const capacity = measureCapacity(MOST)
  capacity.restart()
  await sleep(1)
  compute(60)
  times(answers, capacity.answered)
  times(10, capacity.refused)
  capacity.judge()
  return capacity
}

test('a process that is busy and refuses works on as many at once as a short turn has time for', async () => {
  // A millisecond each.
  expect((await busyWith(60)).running).toBeLessThan(12)
})

test('one that waits for the database takes on more again, also while it refuses', async () => {
  const capacity = await busyWith(20)
  expect(capacity.running).toBeLessThan(8)
  for (let look = 0; look < 10; look++) {
    await sleep(20)
    capacity.refused()
    capacity.judge()
  }
  expect(capacity.running).toBe(MOST.running)
})

test('as many may wait as can be answered in time, at the rate of the moments before', async () => {
  const capacity = measureCapacity(MOST)
  capacity.restart()
  expect(capacity.waiting).toBe(MOST.waiting)
  for (let look = 0; look < 40; look++) {
    await sleep(10)
    capacity.judge()
  }
  // Nothing ended; few may wait all the same.
  expect(capacity.waiting).toBe(20)
  const start = performance.now()
  let answered = 0
  for (let look = 0; look < 20; look++) {
    await sleep(10)
    times(20, capacity.answered)
    answered += 20
    capacity.judge()
  }
  const perMs = answered / (performance.now() - start)
  expect(capacity.waiting).toBeGreaterThan(perMs * MOST.wait * 0.5)
  expect(capacity.waiting).toBeLessThan(perMs * MOST.wait * 2)
  capacity.restart()
  expect(capacity.waiting).toBe(MOST.waiting)
})

test('of lines that are equally long the one loses its last whose turn comes last', () => {
  const queue = new FairQueue<string>()
  for (const name of ['a', 'b', 'c']) queue.add(name, `${name}1`)
  expect(queue.dropLast()).toBe('c1')
  queue.add('b', 'b2')
  expect([queue.dropLast(), queue.take(), queue.take(), queue.take()]).toEqual(['b2', 'a1', 'b1', undefined])
})
