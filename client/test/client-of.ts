import { type Clock, createQuestboard, type Fetch, type Questboard, type QuestboardOptions } from '@questboard/client'
import type { TestClock } from '../../server/test/support/clock.ts'

/** A client that waits by advancing a test clock and records its requests. */
export interface ObservedClient extends Questboard {
  /** Each wait in milliseconds. */
  waits: number[]
  /** The variables of each request. */
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

/** A clock that only waiting advances. */
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

export async function all<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}
