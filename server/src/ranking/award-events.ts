import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { AWARD_KEY_RETENTION } from '../lifetimes.ts'
import { deleteEvents, findEvents, insertEvents } from './award-events.queries.ts'
import { tellOfAwards } from './board-events.ts'
import { LEAST_POINTS, MOST_POINTS, recordVersions } from './boards.ts'
import { addedStandings, applyChanges, knownBoards, lockSpaces, type Standing } from './boards.queries.ts'
import { standingsAsChanges } from './boards.queries.ts'

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
): Promise<EventOutcome[]> {
  if ((await lockSpaces(trx, [spaceId])) === 0)
    return events.map(() => refused('NOT_FOUND', 'spaceId', `${spaceId} is not a known space; create it first`))
  const known = await knownSprints(trx, spaceId, events)
  const seen = await readEvents(trx, spaceId, events)
  const fresh = events.filter((event) => known.has(event.sprintId) && !seen.has(event.key))
  const standings = await readStandings(trx, spaceId, fresh)
  const taken: AwardEvent[] = []
  const outcomes = events.map((event): EventOutcome => {
    if (!known.has(event.sprintId))
      return refused('NOT_FOUND', 'sprintId', `${event.sprintId} is not a known sprint of space ${spaceId}`)
    const before = seen.get(event.key)
    if (before)
      return sameAward(before, event)
        ? duplicate
        : refused('CONFLICT', 'key', 'was used for another award; give each award a key of its own')
    const members = boardsOf(event).map((board) => standings.get(`${board} ${event.address}`) as Standing)
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
  await store(trx, spaceId, taken, standings, clock)
  return outcomes
}

const boardsOf = ({ sprintId }: AwardEvent) => (sprintId === 0 ? [0] : [0, sprintId])
const fits = (points: number) => points >= LEAST_POINTS && points <= MOST_POINTS
const sameAward = (a: AwardEvent, b: AwardEvent) =>
  a.sprintId === b.sprintId && a.address === b.address && a.points === b.points

/** Those of the events' sprints that exist; 0, the overall board, always does. */
async function knownSprints(trx: Kysely<DB>, spaceId: number, events: readonly AwardEvent[]): Promise<Set<number>> {
  const named = [...new Set(events.map((event) => event.sprintId))].filter((sprintId) => sprintId !== 0)
  if (named.length === 0) return new Set([0])
  const boards = named.map((sprintId) => ({ spaceId, sprintId }))
  return new Set([0, ...(await knownBoards(trx, boards)).map((board) => board.sprint_id)])
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

async function readStandings(
  trx: Kysely<DB>,
  spaceId: number,
  events: readonly AwardEvent[],
): Promise<Map<string, Standing>> {
  const members = new Map<string, { spaceId: number; sprintId: number; address: string; points: number }>()
  for (const event of events)
    for (const board of boardsOf(event))
      members.set(`${board} ${event.address}`, { spaceId, sprintId: board, address: event.address, points: 0 })
  if (members.size === 0) return new Map()
  const standings = await addedStandings(trx, [...members.values()])
  return new Map(standings.map((standing) => [`${standing.sprint_id} ${standing.address}`, standing]))
}

async function store(
  trx: Kysely<DB>,
  spaceId: number,
  taken: readonly AwardEvent[],
  standings: ReadonlyMap<string, Standing>,
  clock: Clock,
): Promise<void> {
  if (taken.length === 0) return
  const now = new Date(clock.now())
  await insertEvents(trx, spaceId, taken, now)
  const touched = new Set(taken.flatMap((event) => boardsOf(event).map((board) => `${board} ${event.address}`)))
  const members = [...touched].map((member) => standings.get(member) as Standing)
  const changed = members.filter((standing) => standing.points !== standing.before)
  if (changed.length > 0) {
    await applyChanges(trx, standingsAsChanges(changed))
    await recordVersions(trx, [spaceId], clock)
  }
  const awards = taken.map((event) => ({ ...event, spaceId, sprintId: event.sprintId || undefined }))
  await tellOfAwards(trx, awards, members, now)
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
