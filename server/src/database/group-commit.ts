import { SECOND } from '../clock.ts'
import { overloaded, ServiceError } from '../errors.ts'
import { allowAfterResponse } from './request-context.ts'
import { isUnavailable } from './connection.ts'
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
  /** The second row that the items of a submission lock, after the row of the key (RowLocked). */
  rowOf?: (item: Item) => string
  /** Items per transaction, unless a single request has more. */
  together: number
  /** Items that wait to be stored, in all and of one sender. */
  maxWaiting: number
  maxPerSender: number
}

/** Thrown by `store` if the row of some items is not available. The other items do not wait for it. */
export class RowLocked extends Error {
  override name = 'RowLocked'
  readonly row: string

  constructor(row: string, cause: unknown) {
    super(`another transaction holds ${row}`, { cause })
    this.row = row
  }
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
  /** Submissions whose row is locked, by row. The row that was tried last is the last one. */
  aside: Map<string, Submission<Item, Outcome>[]>
  /** Another transaction, such as a large import, has held the row of the key for longer than LOCK_WAIT. */
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

  const rowFor = ({ items: [first] }: Waiting) => (first === undefined ? undefined : rowOf?.(first))

  /** Returns the submissions that must continue to wait for the row of the key. */
  async function storeTogether(lane: Lane<Key, Item, Outcome>, group: readonly Waiting[]): Promise<Waiting[]> {
    const othersWait = ready.length > 0 || lane.waiting.length > 0
    const isRetry = lane.busy || lane.aside.size > 0
    try {
      const { outcomes, afterwards } = await store(
        lane.key,
        group.flatMap(({ items }) => items),
        isRetry && othersWait ? SHORT_LOCK_WAIT : LOCK_WAIT,
      )
      lane.busy = false
      let at = 0
      for (const { items, resolve } of group) {
        waiting -= items.length
        resolve(outcomes.slice(at, (at += items.length)))
      }
      await afterwards?.()
    } catch (error) {
      const blocked = error instanceof RowLocked ? group.filter((one) => rowFor(one) === error.row) : []
      if (error instanceof RowLocked && blocked.length > 0) {
        lane.aside.set(error.row, [...blocked, ...(lane.aside.get(error.row) ?? [])])
        const others = group.filter((one) => rowFor(one) !== error.row)
        return others.length > 0 ? storeTogether(lane, others) : []
      }
      const { code } = error as { code?: unknown }
      lane.busy = code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED
      if (lane.busy) return [...group]
      // Retry separately, so that one failing request does not fail the others.
      if (group.length > 1 && !isUnavailable(error)) {
        const left: Waiting[] = []
        for (const one of group) left.push(...(await storeTogether(lane, [one])))
        return left
      }
      for (const { items, reject } of group) {
        waiting -= items.length
        reject(error)
      }
    }
    return []
  }

  /** Removes the first submissions of a list that fit in one transaction. */
  function take(list: Waiting[]): Waiting[] {
    let size = 0
    const end = list.findIndex(({ items }) => (size += items.length) > together)
    return list.splice(0, end === -1 ? list.length : Math.max(end, 1))
  }

  /** Stores the next submissions, and tries one of the locked rows again. */
  async function work(lane: Lane<Key, Item, Outcome>): Promise<void> {
    for (const row of lane.aside.keys()) {
      const same = lane.waiting.filter((one) => rowFor(one) === row)
      lane.aside.get(row)?.push(...same)
      lane.waiting = lane.waiting.filter((one) => rowFor(one) !== row)
    }
    const [locked] = lane.aside
    if (lane.waiting.length > 0) lane.waiting.unshift(...(await storeTogether(lane, take(lane.waiting))))
    if (locked && !lane.busy) {
      const [row, list] = locked
      const again = take(list)
      lane.aside.delete(row)
      if (list.length > 0) lane.aside.set(row, list)
      lane.waiting.unshift(...(await storeTogether(lane, again)))
    }
    transactions--
    if (lane.waiting.length > 0 || lane.aside.size > 0) ready.push(lane)
    else lanes.delete(lane.key)
    start()
  }

  function start(): void {
    while (transactions < MAX_TRANSACTIONS && ready.length > 0) {
      transactions++
      // Runs outside of the request that started it, because the work continues for others after the response to that
      // request.
      void allowAfterResponse(() => work(ready.shift() as Lane<Key, Item, Outcome>))
    }
  }

  function wait(key: Key, items: readonly Item[]): Promise<Outcome[]> {
    return new Promise((resolve, reject) => {
      let lane = lanes.get(key)
      if (!lane) {
        lane = { key, waiting: [], aside: new Map(), busy: false }
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
