import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { AWARD_KEY_RETENTION } from '../lifetimes.ts'
import { applyTotals, deleteEvents, findEvents, insertEvents, type Place, placesOf } from './award-events.queries.ts'
import { emitAwardEvents } from './board-events.ts'
import { MIN_POINTS, MAX_POINTS, versionTime } from './boards.ts'
import { knownSprints, lockSpace, namesOf } from './boards.queries.ts'

/** An award with the key of its sender. */
export interface AwardEvent {
  /** 1 to 200 characters, unique in the space; an award with a known key is not counted again. */
  key: string
  /** 0: only the overall board. */
  sprintId: number
  /** In canonical form (addresses.ts). */
  address: string
  points: number
}

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
  /** Members that are new on a board, for showChangedMeanwhile. */
  joined: string[]
}

/** A member of one board: the current row (undefined for a new member), and the points including the events so far. */
interface Total {
  sprintId: number
  address: string
  place: Place | undefined
  points: number
  /** Whether an accepted event changed it. */
  touched: boolean
}

const applied: EventOutcome = { status: 'applied' }
const duplicate: EventOutcome = { status: 'duplicate' }
const refused = (
  code: 'NOT_FOUND' | 'CONFLICT' | 'OUT_OF_RANGE',
  field: 'spaceId' | 'sprintId' | 'key' | 'points',
  reason: string,
): EventOutcome => ({ status: 'refused', code, field, reason })

/**
 * Adds events to the boards of one space; each is accepted or rejected separately, in order. The accepted events create
 * one version. Holds the lock of the space until the transaction ends, which also protects the check of keys.
 */
export async function applyEvents(
  trx: Kysely<DB>,
  spaceId: number,
  events: readonly AwardEvent[],
  clock: Clock,
): Promise<Applied> {
  if (!(await lockSpace(trx, spaceId))) {
    const unknown = refused('NOT_FOUND', 'spaceId', `${spaceId} is not a known space; create it first`)
    return { outcomes: events.map(() => unknown), joined: [] }
  }
  const known = await knownBoards(trx, spaceId, events)
  const seen = await readEvents(trx, spaceId, events)
  const fresh = events.map((event) => (known.has(event.sprintId) && !seen.has(event.key) ? event : undefined))
  const { totals, totalsOf } = await readTotals(trx, spaceId, fresh)
  const taken: AwardEvent[] = []
  const outcomes = events.map((event, index): EventOutcome => {
    if (!known.has(event.sprintId))
      return refused('NOT_FOUND', 'sprintId', `${event.sprintId} is not a known sprint of space ${spaceId}`)
    const before = seen.get(event.key)
    if (before)
      return sameAward(before, event)
        ? duplicate
        : refused('CONFLICT', 'key', 'was used for another award; give each award a different key')
    const members = totalsOf[index] as Total[]
    const over = members.find(({ points }) => !fits(points + event.points))
    if (over) {
      const reason = `would make the points of ${event.address} ${over.points + event.points}; allowed: a total from ${MIN_POINTS} to ${MAX_POINTS}`
      return refused('OUT_OF_RANGE', 'points', reason)
    }
    for (const member of members) {
      member.points += event.points
      member.touched = true
    }
    seen.set(event.key, event)
    taken.push(event)
    return applied
  })
  const changed = await store(trx, spaceId, taken, totals, clock)
  return { outcomes, joined: changed.filter(({ place }) => !place).map(({ address }) => address) }
}

const fits = (points: number) => points >= MIN_POINTS && points <= MAX_POINTS
const sameAward = (a: AwardEvent, b: AwardEvent) =>
  a.sprintId === b.sprintId && a.address === b.address && a.points === b.points

/** The existing sprints of the events; 0, the overall board, always exists. */
async function knownBoards(trx: Kysely<DB>, spaceId: number, events: readonly AwardEvent[]): Promise<Set<number>> {
  const named = [...new Set(events.map((event) => event.sprintId))].filter((sprintId) => sprintId !== 0)
  if (named.length === 0) return new Set([0])
  return (await knownSprints(trx, spaceId, named)).add(0)
}

/** The stored events of the space by key. */
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

/** The totals of all members in the events, and for each event its totals: overall, and in its sprint. */
async function readTotals(
  trx: Kysely<DB>,
  spaceId: number,
  events: readonly (AwardEvent | undefined)[],
): Promise<{ totals: Total[]; totalsOf: (Total[] | undefined)[] }> {
  const totals: Total[] = []
  const boards = new Map<number, Map<string, Total>>()
  const totalOf = (sprintId: number, address: string): Total => {
    const board = boards.get(sprintId) ?? new Map<string, Total>()
    boards.set(sprintId, board)
    let total = board.get(address)
    if (!total) {
      total = { sprintId, address, place: undefined, points: 0, touched: false }
      board.set(address, total)
      totals.push(total)
    }
    return total
  }
  const totalsOf = events.map((event) => {
    if (!event) return undefined
    const overall = totalOf(0, event.address)
    return event.sprintId === 0 ? [overall] : [overall, totalOf(event.sprintId, event.address)]
  })
  if (totals.length === 0) return { totals, totalsOf }
  const places = await placesOf(trx, spaceId, totals)
  for (const [index, total] of totals.entries()) {
    total.place = places[index]
    total.points = total.place?.points ?? 0
  }
  return { totals, totalsOf }
}

async function store(
  trx: Kysely<DB>,
  spaceId: number,
  taken: readonly AwardEvent[],
  totals: readonly Total[],
  clock: Clock,
): Promise<Total[]> {
  if (taken.length === 0) return []
  const time = versionTime(clock)
  await insertEvents(trx, spaceId, taken, time.now)
  const changed = totals.filter((total) => total.touched && total.points !== total.place?.points)
  if (changed.length > 0) {
    const newcomers = new Set(changed.filter(({ place }) => !place).map(({ address }) => address))
    await applyTotals(trx, spaceId, changed, await namesOf(trx, [...newcomers]), time)
  }
  await emitAwardEvents(trx, spaceId, taken, changed, time.now)
  return changed
}

const BATCH = 10_000

/** Deletes the keys of old awards in small batches. @returns the number of deleted keys */
export async function sweepEvents(kysely: Kysely<DB>, now: number): Promise<number> {
  let swept = 0
  for (;;) {
    const deleted = await deleteEvents(kysely, new Date(now - AWARD_KEY_RETENTION), BATCH)
    swept += deleted
    if (deleted < BATCH) return swept
  }
}
