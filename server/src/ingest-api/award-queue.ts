import { type Clock, SECOND } from '../clock.ts'
import { type Database, isUnreachable } from '../database/connection.ts'
import { LOCK_NOT_AVAILABLE } from '../database/sql-states.ts'
import type { Logger } from '../logging/log.ts'
import { applyEvents, type AwardEvent, type EventOutcome } from '../ranking/award-events.ts'
import { updateChangedProfiles } from '../ranking/profile-changes.ts'
import { beginAwards } from '../ranking/award-events.queries.ts'
import { overloaded, tooManyAtOnce } from './ingest-error.ts'
import { AWARDS_TOGETHER, MAX_QUEUED_AWARDS, MAX_QUEUED_AWARDS_PER_TOKEN } from './limits.ts'

/** Stores awards. Awards that wait for the same space are stored in one transaction. */
export interface AwardQueue {
  /**
   * Resolves when all events are committed, with the outcomes by space.
   * @param who the sender; limits how much of the queue one sender can fill
   * @throws UNAVAILABLE if the queue is full or the database is unreachable; QUOTA_EXCEEDED if the sender's part is
   * full
   */
  submit(who: string, bySpace: ReadonlyMap<number, readonly AwardEvent[]>): Promise<Map<number, EventOutcome[]>>
  /** The number of awards that are not stored yet. */
  waiting: () => number
}

interface Submission {
  events: readonly AwardEvent[]
  resolve: (outcomes: EventOutcome[]) => void
  reject: (error: unknown) => void
}

/** The queue of one space. The space lock admits one transaction at a time, so the lane runs one at a time. */
interface Lane {
  spaceId: number
  waiting: Submission[]
  /** Another transaction, such as a large import, has held the space for longer than LOCK_WAIT. */
  busy: boolean
}

/** Concurrent transactions, for different spaces. The other connections of the pool remain available. */
const MAX_TRANSACTIONS = 4

/** Milliseconds to wait for the lock of a space, and for the lock of a busy space while other spaces wait. */
const LOCK_WAIT = SECOND / 2
const SHORT_LOCK_WAIT = SECOND / 20

export function createAwardQueue(
  { database, clock, log }: { database: Database; clock: Clock; log: Logger },
  { together = AWARDS_TOGETHER, mostWaiting = MAX_QUEUED_AWARDS, mostOfOne = MAX_QUEUED_AWARDS_PER_TOKEN } = {},
): AwardQueue {
  /** The lanes with pending or running work. */
  const lanes = new Map<number, Lane>()
  const ready: Lane[] = []
  let transactions = 0
  let waiting = 0

  const waitingOf = new Map<string, number>()

  const store = ({ spaceId, busy }: Lane, events: readonly AwardEvent[]) =>
    database.kysely.transaction().execute(async (trx) => {
      await beginAwards(trx, busy && ready.length > 0 ? SHORT_LOCK_WAIT : LOCK_WAIT)
      return applyEvents(trx, spaceId, events, clock)
    })

  /** Returns the submissions that must continue to wait because the space is busy. */
  async function storeTogether(lane: Lane, group: readonly Submission[]): Promise<Submission[]> {
    try {
      const { outcomes, joined } = await store(
        lane,
        group.flatMap(({ events }) => events),
      )
      lane.busy = false
      let at = 0
      for (const { events, resolve } of group) resolve(outcomes.slice(at, (at += events.length)))
      await updateChangedProfiles(database.kysely, clock, joined).catch((error: unknown) =>
        log.warn({ err: error }, 'a changed name is not on all boards yet; the periodic task retries'),
      )
    } catch (error) {
      lane.busy = (error as { code?: unknown }).code === LOCK_NOT_AVAILABLE
      if (lane.busy) return [...group]
      // Retry separately, so that one failing request does not fail the others.
      if (group.length > 1 && !isUnreachable(error)) {
        const left: Submission[] = []
        for (const one of group) left.push(...(await storeTogether(lane, [one])))
        return left
      }
      for (const { reject } of group) reject(error)
    }
    return []
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
    const left = await storeTogether(lane, group)
    lane.waiting.unshift(...left)
    waiting -= left.reduce((sum, { events }) => sum - events.length, size)
    transactions--
    if (lane.waiting.length > 0) ready.push(lane)
    else lanes.delete(lane.spaceId)
    start()
  }

  function start(): void {
    while (transactions < MAX_TRANSACTIONS && ready.length > 0) {
      transactions++
      void work(ready.shift() as Lane)
    }
  }

  function wait(spaceId: number, events: readonly AwardEvent[]): Promise<EventOutcome[]> {
    return new Promise((resolve, reject) => {
      let lane = lanes.get(spaceId)
      if (!lane) {
        lane = { spaceId, waiting: [], busy: false }
        lanes.set(spaceId, lane)
        ready.push(lane)
      }
      lane.waiting.push({ events, resolve, reject })
      waiting += events.length
    })
  }

  return {
    waiting: () => waiting,
    async submit(who, bySpace) {
      const count = [...bySpace.values()].reduce((sum, events) => sum + events.length, 0)
      if (waiting > 0 && waiting + count > mostWaiting) throw overloaded()
      const own = waitingOf.get(who) ?? 0
      if (own > 0 && own + count > mostOfOne)
        throw tooManyAtOnce(`This token has ${own} awards waiting to be stored; allowed: ${mostOfOne}`)
      waitingOf.set(who, own + count)
      const stored = [...bySpace].map(async ([spaceId, events]) => [spaceId, await wait(spaceId, events)] as const)
      start()
      // Wait for all parts, so that no rejection is unhandled.
      const settled = await Promise.allSettled(stored)
      const rest = (waitingOf.get(who) ?? 0) - count
      if (rest === 0) waitingOf.delete(who)
      else waitingOf.set(who, rest)
      return new Map(
        settled.map((part) => {
          if (part.status === 'rejected') throw part.reason
          return part.value
        }),
      )
    },
  }
}
