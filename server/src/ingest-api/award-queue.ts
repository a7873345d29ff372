import type { Clock } from '../clock.ts'
import { type Database, isUnreachable } from '../database/connection.ts'
import { applyEvents, type AwardEvent, type EventOutcome } from '../ranking/award-events.ts'
import { overloaded } from './ingest-error.ts'
import { AWARDS_TOGETHER, MOST_WAITING_AWARDS } from './limits.ts'

/** Stores awards; those that wait for the same space at the same time share one transaction. */
export interface AwardQueue {
  /**
   * Answers when all events are committed, with the outcome of each, space by space.
   * @throws UNAVAILABLE when too many awards wait already, or the database cannot be reached
   */
  submit(bySpace: ReadonlyMap<number, readonly AwardEvent[]>): Promise<Map<number, EventOutcome[]>>
}

interface Submission {
  events: readonly AwardEvent[]
  resolve: (outcomes: EventOutcome[]) => void
  reject: (error: unknown) => void
}

/** What waits for one space. Its lock lets one transaction through at a time, so there is one at a time here. */
interface Lane {
  spaceId: number
  waiting: Submission[]
}

/** Transactions at the same time, of different spaces; the rest of the pool's connections is for others. */
const MOST_TRANSACTIONS = 4

export function createAwardQueue(
  { database, clock }: { database: Database; clock: Clock },
  { together = AWARDS_TOGETHER, mostWaiting = MOST_WAITING_AWARDS } = {},
): AwardQueue {
  /** Lanes with something to do, those that are at work included. */
  const lanes = new Map<number, Lane>()
  const ready: Lane[] = []
  let transactions = 0
  let waiting = 0

  const store = (spaceId: number, events: readonly AwardEvent[]) =>
    database.kysely.transaction().execute((trx) => applyEvents(trx, spaceId, events, clock))

  async function storeTogether(spaceId: number, group: readonly Submission[]): Promise<void> {
    try {
      const outcomes = await store(
        spaceId,
        group.flatMap(({ events }) => events),
      )
      let at = 0
      for (const { events, resolve } of group) resolve(outcomes.slice(at, (at += events.length)))
    } catch (error) {
      // What fails in company may succeed alone: nobody pays for another's request.
      if (group.length > 1 && !isUnreachable(error)) for (const one of group) await storeTogether(spaceId, [one])
      else for (const { reject } of group) reject(error)
    }
  }

  async function work(lane: Lane): Promise<void> {
    const group: Submission[] = []
    let size = 0
    while (
      lane.waiting.length > 0 &&
      (size === 0 || size + (lane.waiting[0] as Submission).events.length <= together)
    ) {
      const next = lane.waiting.shift() as Submission
      group.push(next)
      size += next.events.length
    }
    await storeTogether(lane.spaceId, group)
    waiting -= size
    transactions--
    if (lane.waiting.length > 0) ready.push(lane)
    else lanes.delete(lane.spaceId)
    start()
  }

  function start(): void {
    while (transactions < MOST_TRANSACTIONS && ready.length > 0) {
      transactions++
      void work(ready.shift() as Lane)
    }
  }

  function wait(spaceId: number, events: readonly AwardEvent[]): Promise<EventOutcome[]> {
    return new Promise((resolve, reject) => {
      let lane = lanes.get(spaceId)
      if (!lane) {
        lane = { spaceId, waiting: [] }
        lanes.set(spaceId, lane)
        ready.push(lane)
      }
      lane.waiting.push({ events, resolve, reject })
      waiting += events.length
    })
  }

  return {
    async submit(bySpace) {
      const count = [...bySpace.values()].reduce((sum, events) => sum + events.length, 0)
      if (waiting > 0 && waiting + count > mostWaiting) throw overloaded()
      const stored = [...bySpace].map(async ([spaceId, events]) => [spaceId, await wait(spaceId, events)] as const)
      start()
      // Every part is waited for, so that a failed one leaves no answer that nobody takes.
      const settled = await Promise.allSettled(stored)
      return new Map(
        settled.map((part) => {
          if (part.status === 'rejected') throw part.reason
          return part.value
        }),
      )
    },
  }
}
