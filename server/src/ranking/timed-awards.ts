import type { Kysely } from 'kysely'
import { type Clock, HOUR } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { beginAwards } from './awards.queries.ts'
import { emitAwardEvents, type EmittedAward } from './board-events.ts'
import { addPoints, fits, isMember, joinedOf, readTotals, storeTotals, type Totals } from './board-totals.ts'
import { MAX_POINTS, versionTime } from './boards.ts'
import { lockSpace } from './boards.queries.ts'
import { enterChanges, type NewEntry } from './ledger-entries.queries.ts'
import { noteAwards } from './rule-events.queries.ts'
import { type DueAward, dueAwards, reschedule, unschedule } from './timed-awards.queries.ts'

/** Small, because awards of the space wait during a batch. */
const BATCH = 1_000
/** Points that do not fit into the total of the member wait for this long. */
const POSTPONED = HOUR

export interface SettleOptions {
  /** The time of the entries and of the version, read after the space is locked. */
  clock: Clock
  /** Applies the changes that are due at this time. By default, the time of the call. */
  dueBy?: Date
  /** Milliseconds to wait for a space that another transaction has locked. */
  lockWait: number
}

export interface Settled {
  /** The number of applied or postponed changes. */
  count: number
  /** Changes that were postponed, because the points did not fit into 32 bits. */
  postponed: number
  /** Members that are new on a board. */
  joined: string[]
}

/** The effect of a due change. Points are null if the member is on no board. */
type Step =
  | { kind: 'enter'; award: DueAward; entry: NewEntry; emitted: EmittedAward | undefined; next: Date | undefined }
  | { kind: 'postpone'; award: DueAward }

/**
 * Applies some changes of awards that are due in a space: points become available, or expire. Each change and its removal
 * from the schedule are one transaction under the lock of the space, so any number of instances can run it.
 */
export async function settleSpace(
  trx: Kysely<DB>,
  spaceId: number,
  { clock, dueBy = new Date(clock.now()), lockWait }: SettleOptions,
): Promise<Settled> {
  await beginAwards(trx, lockWait)
  await lockSpace(trx, spaceId, clock)
  const time = versionTime(clock)
  const due = await dueAwards(trx, spaceId, dueBy, BATCH)
  const totals = await readTotals(trx, spaceId, due.flatMap(boardsOf))
  const steps = due.map((award) => stepOf(totals, award, dueBy))
  const entered = steps.filter((step) => step.kind === 'enter')
  const postponed = steps.filter(({ kind }) => kind === 'postpone')
  const again = new Date(time.now.getTime() + POSTPONED)
  await reschedule(trx, spaceId, [
    ...postponed.map(({ award }) => ({ ...award, due: again })),
    ...entered.flatMap(({ award, next }) => (next ? [{ ...award, available: true, due: next }] : [])),
  ])
  await unschedule(
    trx,
    spaceId,
    entered.flatMap(({ award, next }) => (next ? [] : [award])),
  )
  const settled = { count: due.length, postponed: postponed.length }
  if (entered.length === 0) return { ...settled, joined: [] }
  const changed = await storeTotals(trx, spaceId, totals, time)
  const entries = entered.map(({ entry }) => entry)
  await enterChanges(trx, spaceId, entries, time.now)
  if (totals.hasRules) await noteAwards(trx, spaceId, entries, time.now)
  const emitted = entered.flatMap((step) => step.emitted ?? [])
  await emitAwardEvents(trx, spaceId, emitted, changed, time.now)
  return { ...settled, joined: joinedOf(changed) }
}

const boardsOf = ({ sprintId, address }: DueAward) =>
  (sprintId === 0 ? [0] : [0, sprintId]).map((board) => ({ sprintId: board, address }))

function stepOf(totals: Totals, award: DueAward, now: Date): Step {
  if (award.available) return expire(totals, award)
  // After a long stop, both times can have passed.
  if (award.expiresAt && award.expiresAt <= now)
    return { kind: 'enter', award, entry: withoutChange(award), emitted: undefined, next: undefined }
  return makeAvailable(totals, award)
}

const idOf = ({ version, position }: DueAward) => `${version}-${position}`

const common = ({ sprintId, address, reason }: DueAward) => ({ sprintId, address, reason: reason ?? undefined })

function makeAvailable(totals: Totals, award: DueAward): Step {
  const { points, address, sprintId, expiresAt } = award
  const members = boardsOf(award).map((board) => totals.of(board.sprintId, address))
  if (!members.every((member) => fits(member.points + points))) return { kind: 'postpone', award }
  const [overall, sprint] = members.map((member) => addPoints(member, points))
  return {
    kind: 'enter',
    award,
    entry: { ...common(award), source: 'availability', award: idOf(award), pending: -points, overall, sprint },
    emitted: { sprintId, address, points, cause: 'availability' },
    next: expiresAt ?? undefined,
  }
}

/** The entry of an award that expires before its points became available. */
const withoutChange = (award: DueAward): NewEntry => ({
  ...common(award),
  source: 'expiry',
  reverses: idOf(award),
  pending: -award.points,
  overall: undefined,
  sprint: undefined,
})

/** Subtracts the points of an award, but at most the total of the member, so that an expiry makes no total negative. */
function expire(totals: Totals, award: DueAward): Step {
  const { points, address, sprintId } = award
  const [overall, sprint] = boardsOf(award).map((board) => {
    const member = totals.of(board.sprintId, address)
    if (!isMember(member)) return undefined
    const taken =
      points > 0 ? Math.min(points, Math.max(member.points, 0)) : Math.max(points, member.points - MAX_POINTS)
    return addPoints(member, -taken)
  })
  const amount = overall ? overall.after - (overall.before ?? 0) : 0
  return {
    kind: 'enter',
    award,
    entry: { ...common(award), source: 'expiry', reverses: idOf(award), overall, sprint },
    emitted: amount === 0 ? undefined : { sprintId, address, points: amount, cause: 'expiry' },
    next: undefined,
  }
}
