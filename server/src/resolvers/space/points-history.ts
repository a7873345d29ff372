import { invalidCursor, invalidSprint } from '../../errors.ts'
import type { Context } from '../../graphql/context.ts'
import { type PageInfo, pageInfo, meansNoCursor } from '../../graphql/page-info.ts'
import { checkedSprint, OVERALL } from './loyalty-ranks.ts'
import { checkedMember } from './member-address.ts'
import { type HistoryOf, type HistoryPosition, type HistoryRow, NEWEST, readHistory } from './points-history.queries.ts'
import { findSpaceAndSprint } from './space.queries.ts'
import { BOARD_PAGE, pageSize } from '../../graphql/page-size.ts'

export interface HistoryArguments {
  address: string
  sprintId?: number | null
  first?: number | null
  cursorAfter?: string | null
  cursorBefore?: string | null
}

export interface History {
  list: HistoryRow[]
  pageInfo: PageInfo
}

/** The changes of a member's points, newest first. Entries are never edited, so pages need no version. */
export async function readPointsHistory(context: Context, spaceId: number, args: HistoryArguments): Promise<History> {
  const address = checkedMember('address', args.address)
  const sprintId = checkedSprint(args.sprintId)
  const of: HistoryOf = { spaceId, sprintId, address, accountId: context.accountId }
  const size = pageSize(BOARD_PAGE, args.first)
  const after = meansNoCursor(args.cursorAfter) ? undefined : readCursor(context, of, args.cursorAfter)
  const before = meansNoCursor(args.cursorBefore) ? undefined : readCursor(context, of, args.cursorBefore)
  if (after && before) throw invalidCursor('use cursorAfter or cursorBefore, not both')
  const rows = await readHistory(context.reader, of, before ? 'newer' : 'older', before ?? after ?? NEWEST, size + 1)
  if (
    rows.length === 0 &&
    sprintId !== OVERALL &&
    !(await findSpaceAndSprint(context.reader, spaceId, sprintId)).sprint
  )
    throw invalidSprint(sprintId)
  const list = rows.slice(0, size)
  if (before) list.reverse()
  const more = rows.length > size
  const neighbours = before
    ? { hasNextPage: list.length > 0, hasPreviousPage: more }
    : { hasNextPage: more, hasPreviousPage: after !== undefined && list.length > 0 }
  return { list, pageInfo: pageInfo(list, neighbours, (row) => signCursor(context, of, row)) }
}

function signCursor({ cursors }: Context, { spaceId, sprintId, address }: HistoryOf, row: HistoryRow): string {
  return cursors.sign('history', [spaceId, sprintId, address, row.version, row.position])
}

function readCursor({ cursors }: Context, of: HistoryOf, text: string): HistoryPosition {
  const fields = cursors.verify('history', text)
  if (!fields) throw invalidCursor('not a cursor of a history of points')
  const [spaceId, sprintId, address, version, position] = fields as [number, number, string, number, number]
  if (spaceId !== of.spaceId || sprintId !== of.sprintId || address !== of.address)
    throw invalidCursor('a cursor of another member, space or sprint')
  return { version, position }
}
