import type { Kysely } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SystemClock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { queryCodes } from '../error-codes.ts'
import { RequestFailure, ServiceError, spaceNotFound, starboardNotFound } from '../errors.ts'
import type { ServiceQuery } from '../http/service-query.ts'
import { LIVE_CHECK_INTERVAL, LIVE_RETRY } from '../lifetimes.ts'
import type { Logger } from '../logging/log.ts'
import { boardOf } from './board.ts'
import type { EventStream } from './event-stream.ts'
import { createFeed, type Feed } from './feed.ts'
import type { BoardName } from './subscription.ts'
import { versionsOfSpaces, versionsOfStarboards } from './versions.queries.ts'

/** The feeds of the boards that streams of this process follow. */
export interface Feeds {
  /**
   * Adds a stream to its board until `leave` is called.
   * @throws NOT_FOUND, INVALID_ARGUMENT
   */
  join(name: BoardName, view: View, stream: EventStream, lastVersion: number | undefined): Promise<Membership>
  close(): void
}

/** The members that streams of a board show: `public` leaves out those that publishable tokens must not read. */
export type View = 'all' | 'public'

export interface Membership {
  leave(): void
  sendWhole(): void
}

interface Entry {
  key: string
  name: BoardName
  feed: Feed
  /** The number of streams that follow the feed or are joining it. */
  followers: number
  refreshing: boolean
  /** Not refreshed before this time, because a refresh has failed. */
  retryAfter: number
}

/** One exists for each stream, so it has no closures. */
class FeedMembership implements Membership {
  readonly #entry: Entry
  readonly #stream: EventStream
  readonly #abandon: (entry: Entry) => void

  constructor(entry: Entry, stream: EventStream, abandon: (entry: Entry) => void) {
    this.#entry = entry
    this.#stream = stream
    this.#abandon = abandon
  }

  leave(): void {
    this.#entry.feed.leave(this.#stream)
    this.#abandon(this.#entry)
  }

  sendWhole(): void {
    this.#entry.feed.sendWhole(this.#stream)
  }
}

export function createFeeds(deps: {
  kysely: Kysely<DB>
  queryAs: (view: View, board: BoardName) => ServiceQuery
  clock: SystemClock
  log: Logger
}): Feeds {
  const { kysely, queryAs, clock, log } = deps
  const entries = new Map<string, Entry>()
  let watching = false
  let closed = false

  const versionsOf = async (names: readonly BoardName[]): Promise<(name: BoardName) => number | undefined> => {
    const spaces = names.flatMap((name) => (name.kind === 'space' ? [name.id] : []))
    const starboards = names.flatMap((name) => (name.kind === 'starboard' ? [name.id] : []))
    const [ofSpaces, ofStarboards] = [
      await versionsOfSpaces(kysely, [...new Set(spaces)]),
      await versionsOfStarboards(kysely, starboards),
    ]
    return (name) => (name.kind === 'space' ? ofSpaces.get(name.id) : ofStarboards.get(name.id))
  }

  /** Reads the versions of all boards, and starts the refreshes that are due. */
  async function checkVersions(): Promise<void> {
    const all = [...entries.values()]
    const versionOf = await versionsOf(all.map(({ name }) => name))
    for (const entry of all) {
      const version = versionOf(entry.name)
      const waitsUntil = Math.max(entry.feed.restsUntil, entry.retryAfter)
      if (version === undefined) entry.feed.end()
      else if (version !== entry.feed.version && !entry.refreshing && clock.monotonic() >= waitsUntil)
        void refresh(entry)
    }
  }

  async function refresh(entry: Entry): Promise<void> {
    entry.refreshing = true
    try {
      await entry.feed.refresh()
    } catch (error) {
      entry.retryAfter = clock.monotonic() + LIVE_RETRY
      if (isGone(error)) return entry.feed.end()
      log.warn({ err: error, board: entry.name }, 'a live board could not be read; retrying')
    } finally {
      entry.refreshing = false
    }
  }

  async function watch(): Promise<void> {
    watching = true
    while (entries.size > 0 && !closed) {
      const wait = await checkVersions().then(
        () => LIVE_CHECK_INTERVAL,
        (error: unknown) => {
          log.warn({ err: error }, 'the versions of live boards could not be read; retrying')
          return LIVE_RETRY
        },
      )
      await sleep(wait, undefined, { ref: false })
    }
    watching = false
  }

  async function entryOf(name: BoardName, view: View): Promise<Entry> {
    const key = keyOf(name, view)
    const known = entries.get(key)
    if (known) return known
    const readVersion = async () => {
      const version = (await versionsOf([name]))(name)
      if (version === undefined) throw name.kind === 'space' ? spaceNotFound() : starboardNotFound()
      return version
    }
    const version = await readVersion()
    // A concurrent call may have created the entry.
    const created = entries.get(key)
    if (created) return created
    const feed = createFeed(boardOf(name, queryAs(view, name)), version, readVersion, clock)
    const entry: Entry = { key, name, feed, followers: 0, refreshing: false, retryAfter: 0 }
    entries.set(key, entry)
    return entry
  }

  function abandon(entry: Entry): void {
    if (--entry.followers === 0) entries.delete(entry.key)
  }

  return {
    async join(name, view, stream, lastVersion) {
      const entry = await entryOf(name, view)
      entry.followers++
      if (!watching) void watch()
      try {
        await entry.feed.join(stream, lastVersion)
      } catch (error) {
        abandon(entry)
        throw error
      }
      return new FeedMembership(entry, stream, abandon)
    },
    close() {
      closed = true
      for (const { feed } of entries.values()) feed.end()
    },
  }
}

/** Whether the board no longer exists, for example because its sprint was deleted. */
const isGone = (error: unknown): boolean => {
  const errors = error instanceof RequestFailure ? error.errors : error instanceof ServiceError ? [error] : []
  return errors.length > 0 && errors.every(({ status }) => status < queryCodes.INTERNAL_ERROR.status)
}

const keyOf = (name: BoardName, view: View): string =>
  name.kind === 'space' ? `${view} space ${name.id} ${name.sprintId ?? ''}` : `${view} starboard ${name.id}`
