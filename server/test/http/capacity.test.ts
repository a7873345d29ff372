import { describe, expect, it } from 'vitest'
import { type Capacity, measureCapacity } from '../../src/http/capacity.ts'
import { FairQueue } from '../../src/http/fair-queue.ts'

const LIMITS = { running: 128, waiting: 2_000, wait: 250 }

/** A process with a clock that the test controls. */
function startProcess() {
  let now = 0
  let busy = 0
  const takeBusy = (): number => {
    const taken = busy
    busy = 0
    return taken
  }
  const capacity = measureCapacity(LIMITS, { monotonic: () => now }, takeBusy)
  capacity.restart()
  return {
    capacity,
    pass: (milliseconds: number, { share = 1, answered = 0, refused = 0 } = {}): Capacity => {
      now += milliseconds
      busy += share * milliseconds
      for (let n = 0; n < answered; n++) capacity.answered()
      for (let n = 0; n < refused; n++) capacity.refused()
      capacity.judge()
      return capacity
    },
  }
}

describe('measureCapacity', () => {
  it('limits running queries to a turn of 20 ms while the process is busy', () => {
    // 60 responses in 60 ms: 1 ms each.
    expect(startProcess().pass(60, { answered: 60 }).running).toBe(20)
  })

  it('limits running queries to a turn of 5 ms while requests are refused', () => {
    // A refusal counts as a tenth of a response: 61 in 60 ms.
    expect(startProcess().pass(60, { answered: 60, refused: 10 }).running).toBe(5)
  })

  it('runs at least four queries', () => {
    expect(startProcess().pass(1_000, { answered: 1, refused: 1 }).running).toBe(4)
  })

  it('raises the limit while the process waits for the database, even if requests are refused', () => {
    const { capacity, pass } = startProcess()
    pass(60, { answered: 20, refused: 10 })
    expect(capacity.running).toBe(4)
    const limits = Array.from({ length: 9 }, () => pass(20, { share: 0.5, refused: 1 }).running)
    expect(limits).toEqual([6, 9, 14, 21, 32, 48, 72, 108, 128])
  })

  it('queues as many requests as the process completes within the wait', () => {
    const { capacity, pass } = startProcess()
    for (let n = 0; n < 50; n++) pass(10, { answered: 20 })
    // Two responses a millisecond, 250 ms.
    expect(capacity.waiting).toBe(500)
  })

  it('queues at least twenty requests while no query ends', () => {
    const { capacity, pass } = startProcess()
    for (let n = 0; n < 50; n++) pass(10)
    expect(capacity.waiting).toBe(20)
  })

  it('accepts a full queue after a restart', () => {
    const { capacity, pass } = startProcess()
    for (let n = 0; n < 50; n++) pass(10)
    capacity.restart()
    expect(capacity.waiting).toBe(LIMITS.waiting)
  })
})

describe('FairQueue', () => {
  it('drops the last request of the caller whose turn comes last when all queues are equally long', () => {
    const queue = new FairQueue<string>()
    for (const name of ['a', 'b', 'c']) queue.add(name, `${name}1`)
    expect(queue.dropLast()).toBe('c1')
    queue.add('b', 'b2')
    expect([queue.dropLast(), queue.take(), queue.take(), queue.take()]).toEqual(['b2', 'a1', 'b1', undefined])
  })
})
