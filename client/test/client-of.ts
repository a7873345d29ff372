import { type Clock, createQuestboard, type Fetch, type Questboard, type QuestboardOptions } from '@questboard/client'
import type { TestClock } from '../../server/test/support/clock.ts'

/** A client that waits by moving a test's clock, and that remembers what it did. */
export interface ObservedClient extends Questboard {
  /** How long it waited, in milliseconds, wait by wait. */
  waits: number[]
  /** The variables of each request that it sent. */
  requests: Array<Record<string, unknown> | undefined>
}

export function observedClient(
  clock: TestClock,
  options: QuestboardOptions,
  send: Fetch = (url, init) => fetch(url, init),
): ObservedClient {
  const waits: number[] = []
  const requests: ObservedClient['requests'] = []
  const observing: Fetch = (url, init) => {
    requests.push((JSON.parse(init.body ?? '{}') as { variables?: Record<string, unknown> }).variables)
    return send(url, init)
  }
  const questboard = createQuestboard({
    clock: waitingClock(clock, waits),
    random: () => 0.5,
    ...options,
    fetch: observing,
  })
  return { ...questboard, waits, requests }
}

/** Time that passes only by waiting. */
export function waitingClock(clock: TestClock, waits: number[] = []): Clock {
  return {
    now: () => clock.now(),
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted()
      waits.push(milliseconds)
      clock.advance(milliseconds)
    },
  }
}

/** All of a list. */
export async function all<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}
