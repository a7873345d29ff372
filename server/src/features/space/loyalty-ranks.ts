import { SECOND } from '../../clock.ts'
import type { CursorField } from '../../graphql/cursor.ts'
import { invalidCursor, invalidPagination, invalidSprint, spaceNotFound } from '../../errors.ts'
import type { Context } from '../../graphql/context.ts'
import { type PageInfo, pageInfo, startsAnew } from '../../graphql/page-info.ts'
import type { CacheValidator } from '../../graphql/cache-validators.ts'
import { CURSOR_LIFETIME, FIRST_PAGE_LIFETIME } from '../../lifetimes.ts'
import {
  boardValidator,
  countTiesBefore,
  type EntryRow,
  findSpaceAndSprint,
  type Place,
  readAfter,
  readBefore,
  readFirstPage,
} from './space.queries.ts'
import { isSpaceId, isSprintId, rankForward, type Standing } from './space.rules.ts'

/** Arguments of `loyaltyPointsRanks` and `spaceLoyaltyPointsRanks`; `first` and `after` are deprecated (spec 9.1). */
export interface RanksArguments {
  first?: number | null
  after?: string | null
  cursorAfter?: string | null
  cursorBefore?: string | null
  sprintId?: number | null
}

export type Rank = EntryRow & Standing

export interface RanksPage {
  totalCount: number
  list: Rank[]
  pageInfo: PageInfo
}

const PAGE_SIZE = 50
const MAX_PAGE_SIZE = 1_000
const OVERALL = 0
export const LOYALTY_CURSOR = 1

/** The snapshot that all pages read: the board version of the first page. */
interface Traversal {
  spaceId: number
  sprintId: number
  version: number
  totalCount: number
  startedAt: number // seconds since 1970
}

/** One page of a board (spec 4.4): the first, or the one after or before a cursor, as of the first page. */
export async function readRanks(context: Context, spaceId: number, args: RanksArguments): Promise<RanksPage> {
  if (!isSpaceId(spaceId)) throw spaceNotFound()
  const sprintId = checkedSprint(args.sprintId)
  const size = pageSize(args.first)
  const after = cursorIn(args.cursorAfter) ?? cursorIn(args.after)
  const before = cursorIn(args.cursorBefore)
  if (after !== undefined && before !== undefined) throw invalidCursor('use cursorAfter or cursorBefore, not both')
  if (after !== undefined) return pageAfterCursor(context, openCursor(context, spaceId, sprintId, after), size)
  if (before !== undefined) return pageBeforeCursor(context, openCursor(context, spaceId, sprintId, before), size)
  return pageAtStart(context, spaceId, sprintId, size)
}

async function pageAtStart(context: Context, spaceId: number, sprintId: number, size: number): Promise<RanksPage> {
  const startedAt = Math.floor(context.clock.now() / SECOND)
  const found = await readFirstPage(context, spaceId, sprintId, size + 1)
  if (!found) {
    const exists = await findSpaceAndSprint(context.reader, spaceId, sprintId)
    if (!exists.space) throw spaceNotFound()
    if (sprintId !== OVERALL && !exists.sprint) throw invalidSprint(sprintId)
    return page(context, { spaceId, sprintId, version: 0, totalCount: 0, startedAt }, [], false)
  }
  context.cacheValidators.add(boardValidator(spaceId, found.version), {
    until: startedAt * SECOND + FIRST_PAGE_LIFETIME,
  })
  const traversal = { spaceId, sprintId, version: found.version, totalCount: found.memberCount, startedAt }
  return page(context, traversal, rankForward(found.rows.slice(0, size), undefined), found.rows.length > size)
}

async function pageAfterCursor(context: Context, from: Traversal & Place & Standing, size: number): Promise<RanksPage> {
  const rows = await readAfter(context, from, size + 1)
  context.cacheValidators.add(validatorOf(from))
  return page(context, from, rankForward(rows.slice(0, size), from), rows.length > size)
}

async function pageBeforeCursor(context: Context, to: Traversal & Place & Standing, size: number): Promise<RanksPage> {
  const rows = (await readBefore(context, to, size)).reverse()
  context.cacheValidators.add(validatorOf(to))
  const [first] = rows
  // An empty page has no cursors, so hasNextPage must be false to end a client's loop.
  if (!first) return page(context, to, [], false)
  const position = to.position - rows.length
  // If the first row has the cursor's points, it shares its rank; otherwise count the ties before it.
  const rank =
    first.points === to.points
      ? to.rank
      : position - (await countTiesBefore(context.reader, { ...to, points: first.points, address: first.address }))
  const standing = { points: first.points, position, rank }
  const others = rankForward(rows.slice(1), standing)
  return page(context, to, [Object.assign(first, standing), ...others], true)
}

/** The rows after a cursor do not change while the cursor is valid. */
function validatorOf(traversal: Traversal): CacheValidator {
  return { until: traversal.startedAt * SECOND + CURSOR_LIFETIME }
}

function page(context: Context, traversal: Traversal, list: Rank[], hasNextPage: boolean): RanksPage {
  const reach = reachOf(list)
  return {
    totalCount: traversal.totalCount,
    list,
    pageInfo: pageInfo(list, { hasNextPage, hasPreviousPage: (list[0]?.position ?? 1) > 1 }, (rank) =>
      sealCursor(context, traversal, rank, reach),
    ),
  }
}

/** Stored in one byte of the cursor: an estimate of the range of points of the next page. */
const MAX_REACH = 31
const reachOf = (list: readonly Rank[]): number =>
  Math.min(MAX_REACH, Math.ceil(Math.log2((list[0]?.points ?? 0) - (list.at(-1)?.points ?? 0) + 1)))

function sealCursor(context: Context, traversal: Traversal, rank: Rank, reach: number): string {
  const { spaceId, sprintId, version, totalCount, startedAt } = traversal
  const place: CursorField[] = [rank.points, rank.position, rank.rank, rank.address, reach]
  return context.cursors.seal(LOYALTY_CURSOR, [spaceId, sprintId, version, totalCount, startedAt, ...place])
}

function openCursor(context: Context, spaceId: number, sprintId: number, text: string): Traversal & Place & Standing {
  const fields = context.cursors.open(LOYALTY_CURSOR, text)
  if (!fields) throw invalidCursor('not a cursor of a loyalty points board')
  const [ofSpace, ofSprint, version, totalCount, startedAt, points, position, rank] = fields as number[]
  if (ofSpace !== spaceId || ofSprint !== sprintId) throw invalidCursor('a cursor of another space or sprint')
  const traversal = {
    spaceId,
    sprintId,
    version,
    totalCount,
    startedAt,
    points,
    position,
    rank,
    address: fields[8],
    reach: fields[9] ?? MAX_REACH, // a cursor of an older release has no reach
  } as Traversal & Place & Standing
  if (context.clock.now() - traversal.startedAt * SECOND > CURSOR_LIFETIME) throw invalidCursor('expired')
  return traversal
}

function checkedSprint(sprintId: number | null | undefined): number {
  if (sprintId === null || sprintId === undefined) return OVERALL
  if (!isSprintId(sprintId)) throw invalidSprint(sprintId)
  return sprintId
}

function pageSize(first: number | null | undefined): number {
  if (first === null || first === undefined) return PAGE_SIZE
  if (first < 1) throw invalidPagination('first must be at least 1')
  return Math.min(first, MAX_PAGE_SIZE)
}

const cursorIn = (text: string | null | undefined): string | undefined => (startsAnew(text) ? undefined : text)
