import { SECOND } from '../clock.ts'
import { overloaded, ServiceError } from '../errors.ts'
import { beyondAnswer } from './answered.ts'
import { isUnreachable } from './connection.ts'
import { DEADLOCK_DETECTED, LOCK_NOT_AVAILABLE } from './sql-states.ts'

/** Stores items that wait for the same row in one transaction: the row's lock admits one transaction at a time. */
export interface GroupCommit<Key, Item, Outcome> {
  /**
   * Resolves when all items are committed, with the outcomes by key.
   * @param sender limits how much of the queue one sender can fill
   * @throws UNAVAILABLE if the queue is full or the database is unreachable; QUOTA_EXCEEDED if the sender's part is
   * full
   */
  submit(sender: string, byKey: ReadonlyMap<Key, readonly Item[]>): Promise<Map<Key, Outcome[]>>
  /** The number of items that are not stored yet. */
  waiting: () => number
}

export interface GroupCommitOptions<Key, Item, Outcome> {
  /** The name of the items, for errors. */
  items: string
  /**
   * Stores items in one transaction. `lockWait` is its lock timeout in milliseconds; if the lock is not available, the
   * items wait for their next turn. `afterwards` runs after the senders got their outcomes and before the next one.
   */
  store: (
    key: Key,
    items: readonly Item[],
    lockWait: number,
  ) => Promise<{ outcomes: Outcome[]; afterwards?: () => Promise<void> }>
  /**
   * The row besides that of the key which the items of a submission lock. Submissions with a different row are stored
   * apart while one of these rows is not available.
   */
  rowOf?: (item: Item) => string
  /** Items per transaction, unless a single request has more. */
  together: number
  /** Items that wait to be stored, in all and of one sender. */
  maxWaiting: number
  maxPerSender: number
}

interface Submission<Item, Outcome> {
  items: readonly Item[]
  resolve: (outcomes: Outcome[]) => void
  reject: (error: unknown) => void
}

/** The queue of one key, which runs one transaction at a time. */
interface Lane<Key, Item, Outcome> {
  key: Key
  waiting: Submission<Item, Outcome>[]
  /** Another transaction, such as a large import, has held a row for longer than LOCK_WAIT. */
  busy: boolean
}

/** Concurrent transactions, for different keys. The other connections of the pool remain available. */
const MAX_TRANSACTIONS = 3

/** Milliseconds to wait for a lock, and for the locks of a busy key while others wait. */
const LOCK_WAIT = SECOND / 2
const SHORT_LOCK_WAIT = SECOND / 20

export function createGroupCommit<Key, Item, Outcome>(
  options: GroupCommitOptions<Key, Item, Outcome>,
): GroupCommit<Key, Item, Outcome> {
  type Waiting = Submission<Item, Outcome>
  const { store, rowOf, together, maxWaiting, maxPerSender } = options
  /** The lanes with pending or running work. */
  const lanes = new Map<Key, Lane<Key, Item, Outcome>>()
  const ready: Lane<Key, Item, Outcome>[] = []
  let transactions = 0
  let waiting = 0

  const waitingOf = new Map<string, number>()

  /** Returns the submissions that must continue to wait because a row is locked. */
  async function storeTogether(
    lane: Lane<Key, Item, Outcome>,
    group: readonly Waiting[],
    othersWait: boolean,
  ): Promise<Waiting[]> {
    try {
      const { outcomes, afterwards } = await store(
        lane.key,
        group.flatMap(({ items }) => items),
        lane.busy && othersWait ? SHORT_LOCK_WAIT : LOCK_WAIT,
      )
      lane.busy = false
      let at = 0
      for (const { items, resolve } of group) resolve(outcomes.slice(at, (at += items.length)))
      await afterwards?.()
    } catch (error) {
      const { code } = error as { code?: unknown }
      lane.busy = code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED
      if (lane.busy) return [...group]
      // Retry separately, so that one failing request does not fail the others.
      if (group.length > 1 && !isUnreachable(error)) {
        const left: Waiting[] = []
        for (const one of group) left.push(...(await storeTogether(lane, [one], othersWait)))
        return left
      }
      for (const { reject } of group) reject(error)
    }
    return []
  }

  /** Like storeTogether, but submissions whose rows are available do not wait for the others. */
  async function storeGroup(lane: Lane<Key, Item, Outcome>, group: readonly Waiting[]): Promise<Waiting[]> {
    const byRow = [...Map.groupBy(group, ({ items: [first] }) => first && rowOf?.(first)).values()]
    const left = await storeTogether(lane, group, ready.length > 0 || byRow.length > 1)
    if (!lane.busy || byRow.length === 1) return left
    left.length = 0
    for (const part of byRow) {
      lane.busy = true
      left.push(...(await storeTogether(lane, part, true)))
    }
    lane.busy = left.length > 0
    return left
  }

  async function work(lane: Lane<Key, Item, Outcome>): Promise<void> {
    const group: Waiting[] = []
    let size = 0
    while (lane.waiting.length > 0 && (size === 0 || size + (lane.waiting[0] as Waiting).items.length <= together)) {
      const next = lane.waiting.shift() as Waiting
      group.push(next)
      size += next.items.length
    }
    const left = await storeGroup(lane, group)
    lane.waiting.unshift(...left)
    waiting -= left.reduce((sum, { items }) => sum - items.length, size)
    transactions--
    if (lane.waiting.length > 0) ready.push(lane)
    else lanes.delete(lane.key)
    start()
  }

  function start(): void {
    while (transactions < MAX_TRANSACTIONS && ready.length > 0) {
      transactions++
      // Without the request that happened to start it: the work goes on for others after the response to that request.
      void beyondAnswer(() => work(ready.shift() as Lane<Key, Item, Outcome>))
    }
  }

  function wait(key: Key, items: readonly Item[]): Promise<Outcome[]> {
    return new Promise((resolve, reject) => {
      let lane = lanes.get(key)
      if (!lane) {
        lane = { key, waiting: [], busy: false }
        lanes.set(key, lane)
        ready.push(lane)
      }
      lane.waiting.push({ items, resolve, reject })
      waiting += items.length
    })
  }

  return {
    waiting: () => waiting,
    async submit(sender, byKey) {
      const count = [...byKey.values()].reduce((sum, items) => sum + items.length, 0)
      if (waiting > 0 && waiting + count > maxWaiting) throw overloaded()
      const own = waitingOf.get(sender) ?? 0
      if (own > 0 && own + count > maxPerSender)
        throw ownPartIsFull(`This token has ${own} ${options.items} waiting to be stored; allowed: ${maxPerSender}`)
      waitingOf.set(sender, own + count)
      const stored = [...byKey].map(async ([key, items]) => [key, await wait(key, items)] as const)
      start()
      // Wait for all parts, so that no rejection is unhandled.
      const settled = await Promise.allSettled(stored)
      const rest = (waitingOf.get(sender) ?? 0) - count
      if (rest === 0) waitingOf.delete(sender)
      else waitingOf.set(sender, rest)
      return new Map(
        settled.map((part) => {
          if (part.status === 'rejected') throw part.reason
          return part.value
        }),
      )
    },
  }
}

const ownPartIsFull = (message: string) =>
  new ServiceError('QUOTA_EXCEEDED', message, { headers: { 'retry-after': '1' } })
