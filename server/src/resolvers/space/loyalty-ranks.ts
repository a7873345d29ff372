import { openName } from '../../addresses/open-name.ts'
import { invalidCursor, invalidPagination, invalidSprint, memberNotFound, spaceNotFound } from '../../errors.ts'
import type { Context } from '../../graphql/context.ts'
import { type PageInfo, pageInfo, meansNoCursor } from '../../graphql/page-info.ts'
import { requireSpace } from '../public-space.ts'
import { firstPageEnd, traversalStart } from '../traversal-time.ts'
import {
  type CursorPosition,
  cursorValidator,
  readCursor,
  type Rank,
  reachOf,
  signCursor,
  type Traversal,
} from './loyalty-cursor.ts'
import { checkedMember, isHidden } from './member-address.ts'
import { readAround } from './member-rank.queries.ts'
import {
  boardValidator,
  countTiesBefore,
  findSpaceAndSprint,
  readAfter,
  readBefore,
  readFirstPage,
  type SpaceAndSprint,
} from './space.queries.ts'
import { isSpaceId, isSprintId, pageAround, positionNear, rankForward, rankNear } from './space.rules.ts'
import { BOARD_PAGE, pageSize } from '../../graphql/page-size.ts'

/** Arguments of `loyaltyPointsRanks` and `spaceLoyaltyPointsRanks`; `first` and `after` are deprecated. */
export interface RanksArguments {
  first?: number | null
  after?: string | null
  cursorAfter?: string | null
  cursorBefore?: string | null
  around?: string | null
  sprintId?: number | null
}

export interface RanksPage {
  version: string
  totalCount: number
  list: Rank[]
  pageInfo: PageInfo
  cursorOf: (rank: Rank) => string
}

export const OVERALL = 0

/**
 * Returns one page of a board: the first page, the page after or before a cursor, or the page around a member.
 * A page of a cursor shows the version of the first page.
 */
export async function readRanks(context: Context, spaceId: number, args: RanksArguments): Promise<RanksPage> {
  requireSpace(context, spaceId)
  if (!isSpaceId(spaceId)) throw spaceNotFound()
  const sprintId = checkedSprint(args.sprintId)
  const size = pageSize(BOARD_PAGE, args.first)
  const after = cursorIn(args.cursorAfter) ?? cursorIn(args.after)
  const before = cursorIn(args.cursorBefore)
  if (args.around !== null && args.around !== undefined) {
    if (after !== undefined || before !== undefined) throw invalidPagination('use around or a cursor, not both')
    const address = checkedMember('around', args.around)
    if (isHidden(context, address)) throw memberNotFound(address)
    return pageAroundMember(context, { spaceId, sprintId, address }, size)
  }
  if (after !== undefined && before !== undefined) throw invalidCursor('use cursorAfter or cursorBefore, not both')
  if (after !== undefined) return pageAfterCursor(context, readCursor(context, spaceId, sprintId, after), size)
  if (before !== undefined) return pageBeforeCursor(context, readCursor(context, spaceId, sprintId, before), size)
  return pageAtStart(context, spaceId, sprintId, size)
}

interface Board {
  spaceId: number
  sprintId: number
}

async function pageAtStart(context: Context, spaceId: number, sprintId: number, size: number): Promise<RanksPage> {
  const startedAt = traversalStart(context)
  const found = await readFirstPage(context, spaceId, sprintId, size + 1)
  if (!found) {
    const { version } = await requireBoard(context, { spaceId, sprintId })
    return page(context, { spaceId, sprintId, version: version ?? 0, totalCount: 0, startedAt }, [], NO_MORE)
  }
  const traversal = { spaceId, sprintId, version: found.version, totalCount: found.memberCount, startedAt }
  validateFirstPage(context, traversal)
  const list = rankForward(found.rows.slice(0, size), undefined)
  return page(context, traversal, list, { hasNextPage: found.rows.length > size, hasPreviousPage: false })
}

/** A page of the newest version, from which cursors lead to the members before and after it. */
async function pageAroundMember(
  context: Context,
  { spaceId, sprintId, address }: Board & { address: string },
  size: number,
): Promise<RanksPage> {
  const startedAt = traversalStart(context)
  const found = await readAround(context.reader, { spaceId, sprintId, address }, size)
  if (!found) {
    await requireBoard(context, { spaceId, sprintId })
    throw memberNotFound(address)
  }
  const traversal = { spaceId, sprintId, version: found.version, totalCount: found.memberCount, startedAt }
  validateFirstPage(context, traversal)
  const member = { points: found.points, rank: found.rank, position: -(found.asMany ?? found.rank) }
  const ranked = rankNear(found.rows, member, found.firstRank)
  const { start, end } = pageAround(found.before, found.rows.length - found.before, size)
  return page(context, traversal, ranked.slice(start, end), {
    hasNextPage: end < ranked.length,
    hasPreviousPage: start > 0,
  })
}

async function pageAfterCursor(context: Context, from: CursorPosition, size: number): Promise<RanksPage> {
  const rows = await readAfter(context, from, size + 1)
  context.cacheValidators.add(cursorValidator(from))
  return page(context, from, rankForward(rows.slice(0, size), from), {
    hasNextPage: rows.length > size,
    hasPreviousPage: rows.length > 0,
  })
}

async function pageBeforeCursor(context: Context, to: CursorPosition, size: number): Promise<RanksPage> {
  // If the position is unknown, only one more row shows whether there is a page before.
  const read = await readBefore(context, to, to.position > 0 ? size : size + 1)
  context.cacheValidators.add(cursorValidator(to))
  const rows = read.slice(0, size).reverse()
  const [first] = rows
  // An empty page has no cursors, so hasNextPage must be false to end a client's loop.
  if (!first) return page(context, to, [], NO_MORE)
  const position = to.position > 0 ? to.position - rows.length : positionNear(rows, to)
  const neighbours = { hasNextPage: true, hasPreviousPage: read.length > size || (position ?? 1) > 1 }
  if (position === undefined) return page(context, to, rankNear(rows, to), neighbours)
  // If the first row has the cursor's points, it shares its rank; otherwise count the ties before it.
  const rank =
    first.points === to.points
      ? to.rank
      : position - (await countTiesBefore(context.reader, { ...to, points: first.points, address: first.address }))
  const standing = { points: first.points, position, rank }
  const others = rankForward(rows.slice(1), standing)
  return page(context, to, [Object.assign(first, standing), ...others], neighbours)
}

function validateFirstPage(context: Context, { spaceId, version, startedAt }: Traversal): void {
  context.cacheValidators.add(boardValidator(spaceId, version), { until: firstPageEnd(startedAt) })
}

/** @throws Space not found, Invalid sprint ID */
export async function requireBoard(context: Context, { spaceId, sprintId }: Board): Promise<SpaceAndSprint> {
  const exists = await findSpaceAndSprint(context.reader, spaceId, sprintId)
  if (!exists.space) throw spaceNotFound()
  if (sprintId !== OVERALL && !exists.sprint) throw invalidSprint(sprintId)
  return exists
}

interface Neighbours {
  hasNextPage: boolean
  hasPreviousPage: boolean
}

const NO_MORE: Neighbours = { hasNextPage: false, hasPreviousPage: false }

function page(context: Context, traversal: Traversal, list: Rank[], neighbours: Neighbours): RanksPage {
  const reach = reachOf(list)
  const cursorOf = (rank: Rank) => signCursor(context, traversal, rank, reach)
  const { version, totalCount } = traversal
  const whole = {
    version: String(version),
    totalCount,
    list,
    pageInfo: pageInfo(list, neighbours, cursorOf),
    cursorOf,
  }
  return context.spacesOfToken === undefined ? whole : withoutHidden(context, whole)
}

/** The page without addresses that are not public. Its cursors still name the members. */
function withoutHidden(context: Context, page: RanksPage): RanksPage {
  const members = new Map<Rank, Rank>()
  const list = page.list.map((rank) => {
    const shown = isHidden(context, rank.address) ? { ...rank, address: '', username: openName(rank) } : rank
    members.set(shown, rank)
    return shown
  })
  return { ...page, list, cursorOf: (rank) => page.cursorOf(members.get(rank) ?? rank) }
}

export function checkedSprint(sprintId: number | null | undefined): number {
  if (sprintId === null || sprintId === undefined) return OVERALL
  if (!isSprintId(sprintId)) throw invalidSprint(sprintId)
  return sprintId
}

const cursorIn = (text: string | null | undefined): string | undefined => (meansNoCursor(text) ? undefined : text)
