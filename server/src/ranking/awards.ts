import { type Fault, fault, unknownReference } from '../texts/faults.ts'
import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { AWARD_KEY_RETENTION } from '../lifetimes.ts'
import { type AwardEvent, deleteKeys, findAwards } from './awards.queries.ts'
import { CoordinatorNeeded } from '../distribution/coordinator-needed.ts'
import { emitAwardEvents } from './board-events.ts'
import { addPoints, fits, joinedOf, readTotals, storeTotals, type Total, type Totals } from './board-totals.ts'
import type { VersionTime } from './board-totals.queries.ts'
import { MAX_POINTS, MIN_POINTS, versionTime } from './boards.ts'
import { knownSprints, lockSpace } from './boards.queries.ts'
import { enterChanges, type NewEntry } from './ledger-entries.queries.ts'
import { ERASED } from './ledger.ts'
import { noteAwards } from './rule-events.queries.ts'
import { scheduleAwards, type TimedAward } from './timed-awards.queries.ts'

type Field = 'spaceId' | 'sprintId' | 'key' | 'points' | 'expiresAt'
type Code = 'NOT_FOUND' | 'CONFLICT' | 'OUT_OF_RANGE'

export type EventOutcome =
  /** `banned`: the points would count now, but the member is banned, so they count when the ban ends. */
  | { status: 'applied'; banned?: true }
  /** The same event was applied before; nothing changed. */
  | { status: 'duplicate' }
  | { status: 'refused'; code: Code; field: Field; reason: string; fault: Fault }

export interface Applied {
  /** In the order of the events. */
  outcomes: EventOutcome[]
  /** Members that are new on a board, for showChangedMeanwhile. */
  joined: string[]
}

const applied: EventOutcome = { status: 'applied' }
const appliedToBanned: EventOutcome = { status: 'applied', banned: true }
const duplicate: EventOutcome = { status: 'duplicate' }
const refused = (code: Code, field: Field, reason: string, fault: Fault): EventOutcome => ({
  status: 'refused',
  code,
  field,
  reason,
  fault,
})

/**
 * Adds events to the boards of one space; each is accepted or rejected separately, in order. The accepted events create
 * one version. Holds the lock of the space until the transaction ends, which also protects the check of keys.
 * @param options `atOwner`: the transaction runs at the node that owns the space. Call it only if no webhook listens
 * (hasListeners), because the messages are at the coordinator. `moreVersions`: the transaction creates several versions
 * of the space, and calls recordVersions at its end.
 * @throws CoordinatorNeeded with `atOwner`, if the node does not have the space, or if a member joins, or is banned and has
 * no points yet: profile_changes.barrier does not count transactions of other nodes, so a change of the name, a ban or its
 * end at the same time could be missed
 */
export async function applyEvents(
  trx: Kysely<DB>,
  spaceId: number,
  events: readonly AwardEvent[],
  clock: Clock,
  { atOwner = false, moreVersions = false } = {},
): Promise<Applied> {
  if (!(await lockSpace(trx, spaceId, clock, atOwner))) {
    // A node that failed while the space was created may get it later; a refusal would be final.
    if (atOwner) throw new CoordinatorNeeded('the space is unknown')
    const unknown = refused(
      'NOT_FOUND',
      'spaceId',
      `${spaceId} is not a known space; create it first`,
      unknownReference(spaceId),
    )
    return { outcomes: events.map(() => unknown), joined: [] }
  }
  const { now, since } = versionTime(clock)
  const time = { now, since: moreVersions ? null : since }
  const known = await knownBoards(trx, spaceId, events)
  const seen = await readAwards(trx, spaceId, events, new Date(time.now.getTime() - AWARD_KEY_RETENTION))
  const fresh = events.filter(({ key, sprintId }) => known.has(sprintId) && !seen.has(key))
  const totals = await readTotals(trx, spaceId, membersOf(fresh))
  const taken: (AwardEvent & NewEntry)[] = []
  const outcomes = events.map((event): EventOutcome => {
    if (!known.has(event.sprintId)) {
      const unknown = unknownReference(event.sprintId)
      return refused('NOT_FOUND', 'sprintId', `${event.sprintId} is not a known sprint of space ${spaceId}`, unknown)
    }
    const before = seen.get(event.key)
    if (before)
      return sameAward(before, event)
        ? duplicate
        : refused('CONFLICT', 'key', 'was used for another award; give each award a different key', fault('not_unique'))
    if (event.expiresAt && event.expiresAt <= time.now)
      return refused(
        'OUT_OF_RANGE',
        'expiresAt',
        `must be in the future; now: ${time.now.toISOString()}`,
        fault('not_in_future'),
      )
    const pending = event.availableAt !== undefined && event.availableAt > time.now
    const members = totalsOf(totals, event)
    const over = pending ? undefined : members.find(({ points }) => !fits(points + event.points))
    if (over) {
      const reason = `would make the points of ${event.address} ${over.points + event.points}; allowed: a total from ${MIN_POINTS} to ${MAX_POINTS}`
      return refused(
        'OUT_OF_RANGE',
        'points',
        reason,
        fault('total_out_of_range', { min: MIN_POINTS, max: MAX_POINTS }),
      )
    }
    const [overall, sprint] = pending ? [] : members.map((member) => addPoints(member, event.points))
    seen.set(event.key, event)
    const { source = 'award' } = event
    taken.push({ ...event, source, overall, sprint, pending: pending ? event.points : undefined })
    return !pending && members.some(({ banned }) => banned) ? appliedToBanned : applied
  })
  return { outcomes, joined: await store(trx, spaceId, taken, totals, time, atOwner) }
}

function* membersOf(events: readonly AwardEvent[]): Generator<{ sprintId: number; address: string }> {
  for (const { sprintId, address } of events) {
    yield { sprintId: 0, address }
    if (sprintId !== 0) yield { sprintId, address }
  }
}

/** The totals that an event changes: overall, and in its sprint. */
function totalsOf(totals: Totals, { sprintId, address }: AwardEvent): Total[] {
  const overall = totals.of(0, address)
  return sprintId === 0 ? [overall] : [overall, totals.of(sprintId, address)]
}

type KeyedAward = Pick<AwardEvent, 'sprintId' | 'address' | 'points' | 'availableAt' | 'expiresAt'>

/** The member of a stored award may have been erased since. */
const sameAward = (stored: KeyedAward, award: AwardEvent) =>
  stored.sprintId === award.sprintId &&
  (stored.address === award.address || stored.address.startsWith(ERASED)) &&
  stored.points === award.points &&
  stored.availableAt?.getTime() === award.availableAt?.getTime() &&
  stored.expiresAt?.getTime() === award.expiresAt?.getTime()

/** The existing sprints of the events; 0, the overall board, always exists. */
async function knownBoards(trx: Kysely<DB>, spaceId: number, events: readonly AwardEvent[]): Promise<Set<number>> {
  const named = [...new Set(events.map((event) => event.sprintId))].filter((sprintId) => sprintId !== 0)
  if (named.length === 0) return new Set([0])
  return (await knownSprints(trx, spaceId, named)).add(0)
}

/** The stored awards of the space by key. */
async function readAwards(
  trx: Kysely<DB>,
  spaceId: number,
  events: readonly AwardEvent[],
  since: Date,
): Promise<Map<string, KeyedAward>> {
  const keys = events.map((event) => event.key)
  const stored = await findAwards(trx, spaceId, keys, since)
  return new Map(
    stored.map(({ key, availableAt, expiresAt, ...award }) => [
      key,
      { ...award, availableAt: availableAt ?? undefined, expiresAt: expiresAt ?? undefined },
    ]),
  )
}

/** @returns the members that joined a board */
async function store(
  trx: Kysely<DB>,
  spaceId: number,
  taken: readonly (AwardEvent & NewEntry)[],
  totals: Totals,
  time: VersionTime,
  atOwner: boolean,
): Promise<string[]> {
  if (taken.length === 0) return []
  if (atOwner && totals.changed().some(({ stored }) => stored === undefined))
    throw new CoordinatorNeeded('a member joins')
  const changed = await storeTotals(trx, spaceId, totals, time)
  await enterChanges(trx, spaceId, taken, time.now)
  if (totals.hasRules) await noteAwards(trx, spaceId, taken, time.now)
  await scheduleAwards(trx, spaceId, timedAmong(taken), time.now)
  if (!atOwner) await emitAwards(trx, spaceId, taken, changed, time)
  return joinedOf(changed)
}

async function emitAwards(
  trx: Kysely<DB>,
  spaceId: number,
  taken: readonly (AwardEvent & NewEntry)[],
  changed: readonly Total[],
  time: VersionTime,
): Promise<void> {
  const counted = taken.filter(({ pending }) => pending === undefined)
  const emitted = counted.map((award) => ({
    ...award,
    cause: award.source === 'reversal' ? ('reversal' as const) : ('award' as const),
  }))
  await emitAwardEvents(trx, spaceId, emitted, changed, time.now)
}

/** The awards that become available later, or expire. */
function timedAmong(taken: readonly (AwardEvent & NewEntry)[]): TimedAward[] {
  return taken.flatMap(({ sprintId, address, pending, availableAt, expiresAt }, index) => {
    const available = pending === undefined
    const due = available ? expiresAt : availableAt
    return due ? [{ position: index + 1, sprintId, address, available, due }] : []
  })
}

const BATCH = 10_000

/** Deletes old keys from before the ledger in small batches. @returns the number of deleted keys */
export async function sweepEvents(kysely: Kysely<DB>, now: number): Promise<number> {
  let swept = 0
  for (;;) {
    const deleted = await deleteKeys(kysely, new Date(now - AWARD_KEY_RETENTION), BATCH)
    swept += deleted
    if (deleted < BATCH) return swept
  }
}
