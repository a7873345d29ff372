import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { AWARD_KEY_RETENTION } from '../lifetimes.ts'
import { applyTotals, deleteEvents, findEvents, insertEvents, type Place, placesOf } from './award-events.queries.ts'
import { tellOfAwards } from './board-events.ts'
import { LEAST_POINTS, MOST_POINTS, versionTime } from './boards.ts'
import { knownSprints, lockSpaces, namesOf } from './boards.queries.ts'

/** An award with the key that its sender gave it. */
export interface AwardEvent {
  /** 1 to 200 characters, bound to the space: what comes again under it is not counted again. */
  key: string
  /** 0: the overall board alone. */
  sprintId: number
  /** In canonical form (addresses.ts). */
  address: string
  points: number
}

/** What happened to one event. */
export type EventOutcome =
  | { status: 'applied' }
  /** The same event was applied before; nothing changed. */
  | { status: 'duplicate' }
  | {
      status: 'refused'
      code: 'NOT_FOUND' | 'CONFLICT' | 'OUT_OF_RANGE'
      field: 'spaceId' | 'sprintId' | 'key' | 'points'
      reason: string
    }

export interface Applied {
  /** In the order of the events. */
  outcomes: EventOutcome[]
  /** Who stands on a board for the first time, under the name that the transaction read (showChangedMeanwhile). */
  joined: string[]
}

/** A member of one board, where it stands until now (undefined for a new one), and its points with the events so far. */
interface Total {
  sprintId: number
  address: string
  place: Place | undefined
  points: number
}

const applied: EventOutcome = { status: 'applied' }
const duplicate: EventOutcome = { status: 'duplicate' }
const refused = (
  code: 'NOT_FOUND' | 'CONFLICT' | 'OUT_OF_RANGE',
  field: 'spaceId' | 'sprintId' | 'key' | 'points',
  reason: string,
): EventOutcome => ({ status: 'refused', code, field, reason })

/**
 * Adds events to the boards of one space, each by itself and in their order: one that is refused does not hold up the
 * others. All that are applied make one new version. Holds the lock of the space until the transaction ends, under
 * which every instance looks for keys and notes them.
 */
export async function applyEvents(
  trx: Kysely<DB>,
  spaceId: number,
  events: readonly AwardEvent[],
  clock: Clock,
): Promise<Applied> {
  if ((await lockSpaces(trx, [spaceId])) === 0) {
    const unknown = refused('NOT_FOUND', 'spaceId', `${spaceId} is not a known space; create it first`)
    return { outcomes: events.map(() => unknown), joined: [] }
  }
  const known = await knownBoards(trx, spaceId, events)
  const seen = await readEvents(trx, spaceId, events)
  const fresh = events.filter((event) => known.has(event.sprintId) && !seen.has(event.key))
  const totals = await readTotals(trx, spaceId, fresh)
  const taken: AwardEvent[] = []
  const outcomes = events.map((event): EventOutcome => {
    if (!known.has(event.sprintId))
      return refused('NOT_FOUND', 'sprintId', `${event.sprintId} is not a known sprint of space ${spaceId}`)
    const before = seen.get(event.key)
    if (before)
      return sameAward(before, event)
        ? duplicate
        : refused('CONFLICT', 'key', 'was used for another award; give each award a key of its own')
    const members = boardsOf(event).map((board) => totals.get(memberKey(board, event.address)) as Total)
    const over = members.find(({ points }) => !fits(points + event.points))
    if (over) {
      const reason = `would make the points of ${event.address} ${over.points + event.points}; allowed: a total from ${LEAST_POINTS} to ${MOST_POINTS}`
      return refused('OUT_OF_RANGE', 'points', reason)
    }
    for (const member of members) member.points += event.points
    seen.set(event.key, event)
    taken.push(event)
    return applied
  })
  const changed = await store(trx, spaceId, taken, totals, clock)
  return { outcomes, joined: changed.filter(({ place }) => !place).map(({ address }) => address) }
}

const memberKey = (sprintId: number, address: string) => `${sprintId} ${address}`
const boardsOf = ({ sprintId }: AwardEvent) => (sprintId === 0 ? [0] : [0, sprintId])
const fits = (points: number) => points >= LEAST_POINTS && points <= MOST_POINTS
const sameAward = (a: AwardEvent, b: AwardEvent) =>
  a.sprintId === b.sprintId && a.address === b.address && a.points === b.points

/** Those of the events' sprints that exist; 0, the overall board, always does. */
async function knownBoards(trx: Kysely<DB>, spaceId: number, events: readonly AwardEvent[]): Promise<Set<number>> {
  const named = [...new Set(events.map((event) => event.sprintId))].filter((sprintId) => sprintId !== 0)
  if (named.length === 0) return new Set([0])
  return (await knownSprints(trx, spaceId, named)).add(0)
}

/** The events that the space has seen, by key. */
async function readEvents(
  trx: Kysely<DB>,
  spaceId: number,
  events: readonly AwardEvent[],
): Promise<Map<string, AwardEvent>> {
  const keys = events.map((event) => event.key)
  const stored = await findEvents(trx, spaceId, keys)
  return new Map(
    stored.map(({ key, sprint_id, address, points }) => [key, { key, sprintId: sprint_id, address, points }]),
  )
}

async function readTotals(
  trx: Kysely<DB>,
  spaceId: number,
  events: readonly AwardEvent[],
): Promise<Map<string, Total>> {
  const totals = new Map<string, Total>()
  for (const event of events)
    for (const sprintId of boardsOf(event))
      totals.set(memberKey(sprintId, event.address), { sprintId, address: event.address, place: undefined, points: 0 })
  if (totals.size === 0) return totals
  const members = [...totals.values()]
  const places = await placesOf(trx, spaceId, members)
  members.forEach((member, i) => {
    member.place = places[i]
    member.points = places[i]?.points ?? 0
  })
  return totals
}

async function store(
  trx: Kysely<DB>,
  spaceId: number,
  taken: readonly AwardEvent[],
  totals: ReadonlyMap<string, Total>,
  clock: Clock,
): Promise<Total[]> {
  if (taken.length === 0) return []
  const time = versionTime(clock)
  await insertEvents(trx, spaceId, taken, time.now)
  const touched = new Set(
    taken.flatMap((event) => boardsOf(event).map((board) => totals.get(memberKey(board, event.address)) as Total)),
  )
  const changed = [...touched].filter((total) => total.points !== total.place?.points)
  if (changed.length > 0) {
    const newcomers = new Set(changed.filter(({ place }) => !place).map(({ address }) => address))
    await applyTotals(trx, spaceId, changed, await namesOf(trx, [...newcomers]), time)
  }
  await tellOfAwards(trx, spaceId, taken, changed, time.now)
  return changed
}

const BATCH = 10_000

/** Forgets the keys of old awards, in small batches. @returns how many were forgotten */
export async function sweepEvents(kysely: Kysely<DB>, now: number): Promise<number> {
  let swept = 0
  for (;;) {
    const deleted = await deleteEvents(kysely, new Date(now - AWARD_KEY_RETENTION), BATCH)
    swept += deleted
    if (deleted < BATCH) return swept
  }
}
