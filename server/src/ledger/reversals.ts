import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { emitAwardEvents } from '../ranking/board-events.ts'
import { newestVersions } from '../ranking/board-events.queries.ts'
import { addPoints, fits, isMember, readTotals, storeTotals, type Totals } from '../ranking/board-totals.ts'
import { MAX_POINTS, MIN_POINTS, versionTime } from '../ranking/boards.ts'
import { lockSpace } from '../ranking/boards.queries.ts'
import { enterChanges, type NewEntry } from '../ranking/ledger-entries.queries.ts'
import { ERASED, type LedgerSource } from '../ranking/ledger.ts'
import { unschedule } from '../ranking/timed-awards.queries.ts'
import { type Fault, fault, unknownReference } from '../texts/faults.ts'
import { idOf, type EntryPosition, type EntryRow } from './entry.ts'
import { type Aftermath, findTargets, readAftermath, type Target } from './reversals.queries.ts'

/** A request to reverse an entry, which is identified by its ID or by the key of its award. */
export interface Reversal {
  entry?: EntryPosition | undefined
  key?: string | undefined
  /** The reason, stored in the ledger. */
  reason: string
  /** The id of the ingest token or account. */
  actor?: string | undefined
}

export type ReversalField = 'spaceId' | 'entry' | 'key'
export type ReversalCode = 'NOT_FOUND' | 'CONFLICT' | 'OUT_OF_RANGE'

export type ReversalOutcome =
  /** `entry` is the id of the new entry. */
  | { status: 'applied'; entry: string }
  /** The entry was already reversed; nothing changed. */
  | { status: 'duplicate' }
  | { status: 'refused'; code: ReversalCode; field: ReversalField; reason: string; fault: Fault }

/** The reasons why entries of these sources cannot be reversed. */
const irreversible: Partial<Record<LedgerSource, string>> = {
  opening: 'is an opening balance; correct it with an award',
  expiry: 'is the expiry of an award; to give the points again, send another award',
  reversal: 'is a reversal; to give the points again, send another award with another key',
  erasure: 'is the erasure of a member',
  removal: 'is the deletion of a sprint',
}

/** A planned reversal: the amount to subtract on each board that the entry changed. */
interface Taken {
  target: Target
  reversal: Reversal
  /** Undefined if the board did not change, or no longer exists. */
  overall: number | undefined
  sprint: number | undefined
  /** The points that were not available yet. */
  pending: number | undefined
  sprintId: number
}

/**
 * Reverses entries of one space in order, each completely or not at all. All reversals create one version. Holds the
 * lock of the space until the transaction ends.
 */
export async function applyReversals(
  trx: Kysely<DB>,
  spaceId: number,
  reversals: readonly Reversal[],
  clock: Clock,
): Promise<ReversalOutcome[]> {
  if (!(await lockSpace(trx, spaceId, clock))) {
    const unknown = refused('NOT_FOUND', 'spaceId', `${spaceId} is not a known space`, unknownReference(spaceId))
    return reversals.map(() => unknown)
  }
  const time = versionTime(clock)
  const { of, aftermath } = await readTargets(trx, spaceId, reversals)
  const planned = reversals.map((reversal) => plan(reversal, of(reversal), aftermath))
  const totals = await readTotals(trx, spaceId, planned.flatMap(boardsOf))
  const done = new Set<string>()
  const entries: NewEntry[] = []
  const decided = planned.map((step): ReversalOutcome | { position: number } => {
    if ('status' in step) return step
    const id = idOf(step.target)
    if (done.has(id)) return { status: 'duplicate' }
    const entry = entryOf(totals, step)
    if ('status' in entry) return entry
    done.add(id)
    return { position: entries.push(entry) }
  })
  if (entries.length === 0) return decided.filter((outcome) => 'status' in outcome)
  const version = await store(trx, spaceId, { entries, totals, ends: [...done].map(positionOf), time })
  return decided.map((outcome) =>
    'status' in outcome ? outcome : { status: 'applied', entry: idOf({ version, ...outcome }) },
  )
}

/** Whether an entry was or can be reversed. */
export interface ReversalState {
  /** The id of the reversal; null if the entry was not reversed. */
  reversedBy: string | null
  /** Whether the entry can be reversed now, unless the total of the member would leave its range. */
  reversible: boolean
}

const NO_REVERSAL: ReversalState = { reversedBy: null, reversible: false }

/** Finds out whether entries of a space were or can be reversed. */
export async function readReversalStates(
  kysely: Kysely<DB>,
  spaceId: number,
  entries: readonly EntryRow[],
): Promise<(entry: EntryPosition) => ReversalState> {
  const reversals = entries
    .filter(({ source }) => irreversible[source] === undefined)
    .map((entry) => ({ entry, reason: '' }))
  if (reversals.length === 0) return () => NO_REVERSAL
  const { of, aftermath } = await readTargets(kysely, spaceId, reversals)
  const states = new Map(
    reversals.map((reversal) => {
      const target = of(reversal)
      const takenBack = target && aftermath.takenBack.get(idOf(target))
      const reversedBy = takenBack?.source === 'reversal' ? idOf(takenBack) : null
      const reversible = !('status' in plan(reversal, target, aftermath))
      return [idOf(reversal.entry), { reversedBy, reversible }]
    }),
  )
  return (entry) => states.get(idOf(entry)) ?? NO_REVERSAL
}

const refused = (code: ReversalCode, field: ReversalField, reason: string, fault: Fault): ReversalOutcome => ({
  status: 'refused',
  code,
  field,
  reason,
  fault,
})

const fieldOf = ({ entry }: Reversal) => (entry ? 'entry' : 'key')

async function readTargets(trx: Kysely<DB>, spaceId: number, reversals: readonly Reversal[]) {
  const places = reversals.flatMap(({ entry }) => entry ?? [])
  const named = await findTargets(trx, spaceId, { places, keys: reversals.flatMap(({ key }) => key ?? []) })
  // For an entry that made an award available, the award itself is reversed.
  const awards = named.flatMap(({ award }) => (award === null ? [] : [positionOf(award)]))
  const origins = awards.length === 0 ? [] : await findTargets(trx, spaceId, { places: awards, keys: [] })
  const byId = new Map([...named, ...origins].map((target) => [idOf(target), target]))
  const newest = new Map<string, Target>()
  for (const target of named)
    if (target.key !== null && target.version >= (newest.get(target.key)?.version ?? 0)) newest.set(target.key, target)
  const aftermath = await readAftermath(trx, spaceId, [...byId.values()])
  const of = ({ entry, key }: Reversal) => {
    const target = entry ? byId.get(idOf(entry)) : newest.get(key ?? '')
    return target?.award ? byId.get(target.award) : target
  }
  return { of, aftermath }
}

function positionOf(id: string): EntryPosition {
  const [version = '', position = ''] = id.split('-')
  return { version: Number(version), position: Number(position) }
}

function plan(reversal: Reversal, target: Target | undefined, aftermath: Aftermath): Taken | ReversalOutcome {
  const field = fieldOf(reversal)
  const conflict = (reason: string, fault: Fault) => refused('CONFLICT', field, reason, fault)
  if (!target) {
    const { entry, key = '' } = reversal
    const reason = field === 'key' ? 'is not the key of an entry' : 'is not the id of an entry'
    return refused('NOT_FOUND', field, reason, unknownReference(entry ? idOf(entry) : key))
  }
  const id = idOf(target)
  const never = irreversible[target.source]
  if (never !== undefined) return conflict(`${id} ${never}`, fault('not_reversible'))
  const before = aftermath.takenBack.get(id)?.source
  if (before === 'reversal') return { status: 'duplicate' }
  if (before === 'expiry') return conflict(`${id} has expired`, fault('entry_expired'))
  if (target.address.startsWith(ERASED))
    return conflict(`${id} belongs to a member who was erased`, fault('member_erased'))
  if (aftermath.isPending(target))
    return {
      target,
      reversal,
      overall: undefined,
      sprint: undefined,
      pending: target.pending ?? 0,
      sprintId: target.sprintId,
    }
  const changed = target.pending === null ? target : (aftermath.madeAvailable.get(id) ?? target)
  const lost = changed.sprintId !== 0 && aftermath.lostSprint(changed)
  const overall = amountOf(changed.pointsBefore, changed.pointsAfter)
  const sprint = lost ? undefined : amountOf(changed.sprintBefore, changed.sprintAfter)
  if (overall === undefined && sprint === undefined)
    return conflict(`${id} changed a sprint that was deleted`, fault('sprint_deleted'))
  return { target, reversal, overall, sprint, pending: undefined, sprintId: lost ? 0 : changed.sprintId }
}

const amountOf = (before: number | null, after: number | null) => (after === null ? undefined : after - (before ?? 0))

function boardsOf(step: Taken | ReversalOutcome): { sprintId: number; address: string }[] {
  if ('status' in step) return []
  const { target, overall, sprint, sprintId } = step
  const boards = [...(overall === undefined ? [] : [0]), ...(sprint === undefined ? [] : [sprintId])]
  return boards.map((board) => ({ sprintId: board, address: target.address }))
}

/** Subtracts the amounts from the totals. Refuses if a total would be out of range. */
function entryOf(totals: Totals, step: Taken): NewEntry | ReversalOutcome {
  const { target, reversal, overall, sprint, pending, sprintId } = step
  const parts = ([[0, overall] as const, [sprintId, sprint] as const] as const).map(([board, amount]) =>
    amount === undefined ? undefined : { member: totals.of(board, target.address), amount },
  )
  for (const part of parts) {
    if (part && !isMember(part.member))
      return refused(
        'CONFLICT',
        fieldOf(reversal),
        'belongs to a member who is no longer on the board',
        fault('member_erased'),
      )
    const total = part && part.member.points - part.amount
    if (total !== undefined && !fits(total))
      return refused(
        'OUT_OF_RANGE',
        fieldOf(reversal),
        `would make the points of ${target.address} ${total}; allowed: a total from ${MIN_POINTS} to ${MAX_POINTS}`,
        fault('total_out_of_range', { min: MIN_POINTS, max: MAX_POINTS }),
      )
  }
  const [first, second] = parts.map((part) => part && addPoints(part.member, -part.amount))
  return {
    source: 'reversal',
    reverses: idOf(target),
    address: target.address,
    sprintId,
    overall: first,
    sprint: second,
    pending: pending === undefined ? undefined : -pending,
    reason: reversal.reason,
    actor: reversal.actor,
  }
}

/** @param ends the awards that no longer become available or expire. @returns the new version of the space */
async function store(
  trx: Kysely<DB>,
  spaceId: number,
  {
    entries,
    totals,
    ends,
    time,
  }: { entries: NewEntry[]; totals: Totals; ends: EntryPosition[]; time: ReturnType<typeof versionTime> },
): Promise<number> {
  const changed = await storeTotals(trx, spaceId, totals, time)
  await enterChanges(trx, spaceId, entries, time.now)
  await unschedule(trx, spaceId, ends)
  const emitted = entries.flatMap(({ sprintId, address, overall }) => {
    const points = overall ? overall.after - (overall.before ?? 0) : 0
    return points === 0 ? [] : [{ sprintId, address, points, cause: 'reversal' as const }]
  })
  await emitAwardEvents(trx, spaceId, emitted, changed, time.now)
  return (await newestVersions(trx, [spaceId])).get(spaceId) ?? 0
}
