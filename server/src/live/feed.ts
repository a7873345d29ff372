import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { MonotonicClock } from '../clock.ts'
import type { Board, FirstPlaces, Member } from './board.ts'
import { changesText, allPlacesText } from './differences.ts'
import { type EventStream, eventText } from './event-stream.ts'
import { STREAMS_PER_TURN } from './limits.ts'
import { createParts } from './parts.ts'

/** The streams of one board. Streams that follow the same part of it share reads and events. */
export interface Feed {
  readonly version: number
  /** The time of the clock before which no refresh should start: a slow board takes a bounded share of the database. */
  readonly restsUntil: number
  /**
   * Adds a stream, and sends it the whole state unless the client has it.
   * @param lastVersion the version that the client has received before
   * @throws RequestFailure if the board does not exist
   */
  join(stream: EventStream, lastVersion: number | undefined): Promise<void>
  leave(stream: EventStream): void
  /** Sends the whole state. */
  sendWhole(stream: EventStream): void
  /** Reads the board again, and sends the differences to the streams. */
  refresh(): Promise<void>
  /** Ends all streams. */
  end(): void
}

/** A board is not refreshed for this multiple of the duration of its last refresh. */
const REST_FACTOR = 2

/** @param readVersion returns the newest version of the board, which is at least that of each state read before the call */
export function createFeed(
  board: Board,
  firstVersion: number,
  readVersion: () => Promise<number>,
  clock: MonotonicClock,
): Feed {
  let version = firstVersion
  let restsUntil = 0
  const streams = new Set<EventStream>()
  const lists = createParts<number, FirstPlaces>()
  const members = createParts<string, Member>()
  let last: Promise<unknown> = Promise.resolve()

  /** Runs the reads one after the other, so that an older state never replaces a newer one. */
  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = last.then(run)
    last = result.catch(() => {})
    return result
  }

  async function readMissing(): Promise<void> {
    const newLists = await readLists(board, lists.missing())
    const newMembers = await readMembers(board, members.missing())
    // The states can be newer than `version`. `join` sends them to each client whose version is older than `changedAt`.
    const changedAt = await readVersion()
    for (const [first, state] of newLists) lists.set(first, { state, changedAt })
    for (const [key, state] of newMembers) members.set(key, { state, changedAt })
  }

  function sendWhole(stream: EventStream): void {
    const { first, member } = stream.subscription
    const list = lists.get(first)
    stream.send(
      eventText('board', version, dataOf(version, list && allPlacesText(list.state), members.get(member)?.state)),
    )
  }

  function leave(stream: EventStream): void {
    streams.delete(stream)
    lists.release(stream.subscription.first)
    members.release(stream.subscription.member)
  }

  async function refresh(newVersion: number): Promise<void> {
    const started = clock.monotonic()
    const newLists = await readLists(board, lists.known())
    const newMembers = await readMembers(board, members.known())
    const changedAt = await readVersion()
    const read = clock.monotonic()
    restsUntil = read + REST_FACTOR * (read - started)
    version = newVersion
    const changes = new Map<number, string>()
    for (const [first, state] of newLists) {
      const before = lists.get(first)
      const text = before && changesText(before.state, state)
      if (text !== undefined) changes.set(first, text)
      if (before) lists.set(first, { state, changedAt: text === undefined ? before.changedAt : changedAt })
    }
    const moved = new Map<string, Member>()
    for (const [key, state] of newMembers) {
      const before = members.get(key)
      const hasMoved = before !== undefined && before.state.standing !== state.standing
      if (hasMoved) moved.set(key, state)
      if (before) members.set(key, { state, changedAt: hasMoved ? changedAt : before.changedAt })
    }
    // Streams that join from now on get the new state.
    const receivers = changes.size > 0 || moved.size > 0 ? [...streams] : []
    await sendChanges(receivers, newVersion, changes, moved)
  }

  /** Reads the board again if a client has received a newer version from another process. */
  async function catchUp(lastVersion: number): Promise<void> {
    // The read for an earlier client may already have reached this version.
    if (version >= lastVersion) return
    await sleep(Math.max(0, restsUntil - clock.monotonic()), undefined, { ref: false })
    const newest = await readVersion()
    // Clients can send any number. There is nothing to read for a version that does not exist.
    if (newest >= lastVersion) await refresh(newest)
  }

  async function sendChanges(
    receivers: readonly EventStream[],
    newVersion: number,
    changes: ReadonlyMap<number | undefined, string>,
    moved: ReadonlyMap<string | undefined, Member>,
  ): Promise<void> {
    const eventOf = (list: string | undefined, member: Member | undefined) =>
      eventText('changes', newVersion, dataOf(newVersion, list, member))
    const shared = new Map([...changes].map(([first, list]) => [first, Buffer.from(eventOf(list, undefined))]))
    let sent = 0
    for (const stream of receivers) {
      const { first, member } = stream.subscription
      const own = moved.get(member)
      const event = own ? eventOf(changes.get(first), own) : shared.get(first)
      if (event === undefined) continue
      stream.send(event)
      if (++sent % STREAMS_PER_TURN === 0) await nextTurn()
    }
  }

  return {
    get version() {
      return version
    },
    get restsUntil() {
      return restsUntil
    },
    async join(stream, lastVersion) {
      const { first, member } = stream.subscription
      lists.acquire(first)
      members.acquire(member)
      try {
        // Otherwise the client would go back to an older version.
        if (lastVersion !== undefined && lastVersion > version) await inTurn(() => catchUp(lastVersion))
        if (lists.isMissing(first) || members.isMissing(member)) await inTurn(readMissing)
      } catch (error) {
        leave(stream)
        throw error
      }
      streams.add(stream)
      const changedAt = Math.max(lists.get(first)?.changedAt ?? 0, members.get(member)?.changedAt ?? 0)
      const isCurrent = lastVersion !== undefined && changedAt <= lastVersion && lastVersion <= version
      if (!isCurrent) sendWhole(stream)
    },
    leave,
    sendWhole,
    // The version is read inside the turn, because an earlier turn may have read a newer one.
    refresh: () => inTurn(async () => refresh(await readVersion())),
    end() {
      for (const stream of streams) stream.end()
    },
  }
}

function dataOf(version: number, list: string | undefined, member: Member | undefined): string {
  const fields = [`"version":"${version}"`, ...(list === undefined ? [] : [list])]
  if (member) fields.push(`"member":${member.text}`)
  return `{${fields.join(',')}}`
}

/** Returns lists of several lengths from one read. */
async function readLists(board: Board, firsts: readonly number[]): Promise<[number, FirstPlaces][]> {
  if (firsts.length === 0) return []
  const { totalCount, places } = await board.readFirst(Math.max(...firsts))
  return firsts.map((first) => [first, { totalCount, places: places.slice(0, first) }])
}

async function readMembers(board: Board, keys: readonly string[]): Promise<[string, Member][]> {
  const found: [string, Member][] = []
  for (let start = 0; start < keys.length; start += board.membersAtOnce) {
    const some = keys.slice(start, start + board.membersAtOnce)
    const states = await board.readMembers(some)
    for (const [n, key] of some.entries()) found.push([key, states[n] as Member])
  }
  return found
}
