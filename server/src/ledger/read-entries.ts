import type { Kysely } from 'kysely'
import { HOUR, type MonotonicClock, SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { firstVersionsSince, newestVersion, scanEntries } from './entries.queries.ts'
import { LEDGER_END, type EntryRow, type EntryPosition, LEDGER_START } from './entry.ts'
import type { LedgerFilter } from './filter.ts'
import { spaceNotFound } from './ledger-error.ts'

/** A position after the opening balances, and before all other entries. */
const OPENINGS_END: EntryPosition = { version: 1, position: 0 }

/** The maximum number of entries that a page reads. If few of them match, the page is short and has a next page. */
const SCANNED_PER_PAGE = 20_000

/** Such pages are read for people until theirs is full, but no more than this number, and none after this time. */
const MAX_SHORT_PAGES = 10
const MAX_READ_TIME = SECOND

/** Versions are in the order of their times, apart from differences between clocks and waits for locks. */
const MAX_VERSION_DISORDER = HOUR

export interface EntryPage {
  entries: EntryRow[]
  /** The start of the next page; undefined on the last page. */
  next: EntryPosition | undefined
}

/** The versions that can have entries of a filter, without version 0, which has the opening balances. */
interface Versions {
  first: number
  last: number
}

/** One page of entries, oldest first. @throws LedgerError if the space does not exist */
export async function readPage(
  kysely: Kysely<DB>,
  filter: LedgerFilter,
  { after, first }: { after?: EntryPosition | undefined; first: number },
): Promise<EntryPage> {
  return pageWithin(kysely, filter, await versionsOf(kysely, filter), { after: after ?? LEDGER_START, first })
}

/** One page of entries, newest first. @throws LedgerError if the space does not exist */
export async function readNewest(
  kysely: Kysely<DB>,
  filter: LedgerFilter,
  { before = LEDGER_END, first }: { before?: EntryPosition | undefined; first: number },
  clock: MonotonicClock,
): Promise<EntryPage> {
  const until = clock.monotonic() + MAX_READ_TIME
  const versions = await versionsOf(kysely, filter)
  const entries: EntryRow[] = []
  let next: EntryPosition | undefined = before
  for (let pages = 0; next && entries.length < first && pages < MAX_SHORT_PAGES; pages++) {
    if (pages > 0 && clock.monotonic() >= until) break
    const page: EntryPage = await newestWithin(kysely, filter, versions, {
      before: next,
      first: first - entries.length,
    })
    entries.push(...page.entries)
    next = page.next
  }
  return { entries, next }
}

async function newestWithin(
  kysely: Kysely<DB>,
  filter: LedgerFilter,
  versions: Versions,
  { before, first }: { before: EntryPosition; first: number },
): Promise<EntryPage> {
  const limits = { first: first + 1, scan: SCANNED_PER_PAGE }
  const found: EntryRow[] = []
  let after = earlierOf(before, { version: versions.last + 1, position: 0 })
  if (filter.from && after.version > 0) {
    const range = { after, through: versions.first, order: 'newest first' } as const
    const later = await scanEntries(kysely, filter, range, limits)
    found.push(...later.found)
    if (found.length > first || later.scanned === limits.scan) return cut(found, first, later.last)
    limits.scan -= later.scanned
    limits.first -= found.length
    after = OPENINGS_END
  }
  // Opening balances have the version 0, whatever their time is.
  const range = { after, through: LEDGER_START.version, order: 'newest first' } as const
  const { found: earlier, last, scanned } = await scanEntries(kysely, filter, range, limits)
  found.push(...earlier)
  return cut(found, first, scanned === limits.scan ? last : undefined)
}

const earlierOf = (a: EntryPosition, b: EntryPosition) => (a.version < b.version ? a : b)

/**
 * All entries of a filter, one page at a time, oldest first, up to the newest entry at the time of the first page. No
 * transaction is open between pages, because new changes have later versions.
 * @param progress receives the version that was read, and the first and the last version
 * @throws LedgerError if the space does not exist
 */
export async function* readAll(
  kysely: Kysely<DB>,
  filter: LedgerFilter,
  {
    after,
    progress,
  }: { after?: EntryPosition | undefined; progress?: (version: number, versions: Versions) => void } = {},
): AsyncGenerator<EntryRow[]> {
  const versions = await versionsOf(kysely, filter)
  for (let at: EntryPosition | undefined = after ?? LEDGER_START; at;) {
    const { entries, next }: EntryPage = await pageWithin(kysely, filter, versions, { after: at, first: ROWS_PER_READ })
    progress?.(next?.version ?? versions.last, versions)
    yield entries
    at = next
  }
}

const ROWS_PER_READ = 5_000

async function pageWithin(
  kysely: Kysely<DB>,
  filter: LedgerFilter,
  versions: Versions,
  { after, first }: { after: EntryPosition; first: number },
): Promise<EntryPage> {
  // One more than the page, to know whether a next page exists.
  const limits = { first: first + 1, scan: Math.max(SCANNED_PER_PAGE, first + 1) }
  const found: EntryRow[] = []
  let from = after
  if (from.version === 0) {
    const openings = await scanEntries(kysely, filter, { after: from, through: 0, order: 'oldest first' }, limits)
    found.push(...openings.found)
    if (found.length > first || openings.scanned === limits.scan) return cut(found, first, openings.last)
    limits.scan -= openings.scanned
    limits.first -= found.length
    from = { version: versions.first, position: 0 }
  } else if (from.version < versions.first) from = { version: versions.first, position: 0 }
  const {
    found: later,
    last,
    scanned,
  } = await scanEntries(kysely, filter, { after: from, through: versions.last, order: 'oldest first' }, limits)
  found.push(...later)
  return cut(found, first, scanned === limits.scan ? last : undefined)
}

/** @param unread the position after which entries were not read */
function cut(found: EntryRow[], first: number, unread: EntryPosition | undefined): EntryPage {
  if (found.length <= first) return { entries: found, next: unread }
  const entries = found.slice(0, first)
  return { entries, next: entries.at(-1) }
}

async function versionsOf(kysely: Kysely<DB>, { spaceId, from, to }: LedgerFilter): Promise<Versions> {
  const newest = await newestVersion(kysely, spaceId)
  if (newest === undefined) throw spaceNotFound(spaceId)
  const times = [
    ...(from ? [from.getTime() - MAX_VERSION_DISORDER] : []),
    ...(to ? [to.getTime() + MAX_VERSION_DISORDER] : []),
  ]
  const found = times.length === 0 ? [] : await firstVersionsSince(kysely, spaceId, times, newest)
  return { first: from ? (found[0] ?? 1) : 1, last: to ? (found.at(-1) ?? 1) - 1 : newest }
}
