import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { bannedAmong, keepPoints } from './banned-members.queries.ts'
import { applyTotals, type StoredEntry, storedEntriesOf, type VersionTime } from './board-totals.queries.ts'
import { MAX_POINTS, MIN_POINTS } from './boards.ts'
import type { Change } from './ledger.ts'
import { namesOfNewcomers } from './newcomer-names.queries.ts'

/** A member of one board: the current row (undefined for a new member), and the points including the changes so far. */
export interface Total {
  sprintId: number
  address: string
  place: StoredEntry | undefined
  /** A banned member is not on the board. Its points are kept, and count when the ban ends. */
  banned: boolean
  /** The stored points; undefined for a new member. */
  stored: number | undefined
  points: number
  /** Whether a change was added. */
  touched: boolean
}

/** Totals of members of one space while changes are added to them, under the lock of the space. */
export interface Totals {
  of(sprintId: number, address: string): Total
  /** The totals that differ from the stored points. */
  changed(): Total[]
  /** Whether rules of the space need its awards. */
  hasRules: boolean
}

/** Reads the totals of members on boards of a space, which the caller has locked. Sprint 0 is the overall board. */
export async function readTotals(
  trx: Kysely<DB>,
  spaceId: number,
  members: Iterable<{ sprintId: number; address: string }>,
): Promise<Totals> {
  const boards = new Map<number, Map<string, Total>>()
  const all: Total[] = []
  for (const { sprintId, address } of members) {
    const board = boards.get(sprintId) ?? new Map<string, Total>()
    boards.set(sprintId, board)
    if (board.has(address)) continue
    const total = { sprintId, address, place: undefined, banned: false, stored: undefined, points: 0, touched: false }
    board.set(address, total)
    all.push(total)
  }
  const hasRules = await readPlaces(trx, spaceId, all)
  return {
    of(sprintId, address) {
      const total = boards.get(sprintId)?.get(address)
      if (!total) throw new Error(`the total of a member of board ${spaceId}/${sprintId} was not read`)
      return total
    },
    changed: () => all.filter(({ touched, points, stored }) => touched && points !== stored),
    hasRules,
  }
}

/** @returns whether rules of the space need its awards */
async function readPlaces(trx: Kysely<DB>, spaceId: number, all: readonly Total[]): Promise<boolean> {
  if (all.length === 0) return false
  const { places, bans, rules } = await storedEntriesOf(trx, spaceId, all)
  const banned = bans ? await bannedAmong(trx, spaceId, all) : new Map<number, number | null>()
  for (const [index, total] of all.entries()) {
    total.place = places[index]
    // A member stays on the board until its ban has reached the board.
    total.banned = !total.place && banned.has(index)
    total.stored = total.place?.points ?? banned.get(index) ?? undefined
    total.points = total.stored ?? 0
  }
  return rules
}

export const isMember = ({ stored, touched }: Total): boolean => stored !== undefined || touched

export const fits = (points: number): boolean => points >= MIN_POINTS && points <= MAX_POINTS

/** Adds points to a total. A member without a row joins the board. */
export function addPoints(total: Total, points: number): Change {
  const before = isMember(total) ? total.points : undefined
  total.points += points
  total.touched = true
  return { before, after: total.points }
}

/** Creates the next version of the space with the changed totals. @returns the changed totals on boards */
export async function storeTotals(
  trx: Kysely<DB>,
  spaceId: number,
  totals: Totals,
  time: VersionTime,
): Promise<Total[]> {
  const all = totals.changed()
  const changed = all.filter(({ banned }) => !banned)
  const kept = all.filter(({ banned }) => banned)
  const newcomers = new Set(changed.filter(({ place }) => !place).map(({ address }) => address))
  await applyTotals(trx, spaceId, changed, await namesOfNewcomers(trx, [...newcomers]), time)
  if (kept.length > 0) await keepPoints(trx, spaceId, kept)
  return changed
}

/** The members that are new on a board. */
export const joinedOf = (changed: readonly Total[]): string[] =>
  changed.filter(({ place }) => !place).map(({ address }) => address)
