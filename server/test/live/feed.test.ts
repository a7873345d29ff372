import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import type { Board } from '../../src/live/board.ts'
import { createFeed, type Feed } from '../../src/live/feed.ts'
import type { EventStream } from '../../src/live/event-stream.ts'

/** A board that changes at each look at its version, as under constant awards. */
let newest: number
let reads: number
let feed: Feed
let time: number
const board: Board = {
  membersAtOnce: 100,
  async readFirst() {
    reads++
    time += 100
    return { totalCount: 1, places: [`{"points":${newest}}`] }
  },
  readMembers: async () => [],
}

/** A stream that keeps the events that it is sent. */
function stream(): EventStream & { events: string[] } {
  const events: string[] = []
  return {
    subscription: { first: 1, member: undefined },
    isOver: false,
    events,
    send: (event) => void events.push(event.toString()),
    beat() {},
    end() {},
  }
}

beforeEach(async () => {
  newest = 100
  reads = 0
  time = 0
  feed = createFeed(board, newest, async () => newest++, { monotonic: () => time })
  await feed.join(stream(), undefined)
  reads = 0
})

test('reads the board once for all clients that another process has sent a newer version', async () => {
  newest = 120
  const clients = Array.from({ length: 10 }, stream)
  await Promise.all(clients.map((client) => feed.join(client, 110)))
  expect(reads).toBe(1)
  expect(feed.version).toBe(120)
  for (const { events } of clients)
    expect(events.filter((event) => event.startsWith('id: 120\nevent: '))).toHaveLength(1)
})

test('reads nothing for a version that does not exist', async () => {
  const client = stream()
  await feed.join(client, 999_999_999_999_999)
  expect(reads).toBe(0)
  expect(client.events).toEqual([expect.stringMatching(/^id: 100\nevent: board\n/)])
})

test('rests for twice the time of a read before a client causes the next one', async () => {
  newest = 120
  await feed.join(stream(), 110)
  expect(feed.restsUntil).toBe(time + 2 * 100)
  const next = feed.join(stream(), feed.version + 1)
  await nextTurn()
  expect(reads).toBe(1)
  await next
  expect(reads).toBe(2)
})
