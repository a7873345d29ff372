import { DAY } from '../../clock.ts'
import { invalidArgument, invalidCursor, versionExpired } from '../../errors.ts'
import type { Context } from '../../graphql/context.ts'
import { type PageInfo, meansNoCursor } from '../../graphql/page-info.ts'
import { BOARD_PAGE, pageSize } from '../../graphql/page-size.ts'
import { CURSOR_LIFETIME } from '../../lifetimes.ts'
import { type ChangedMember, type ChangePosition, IN_LEDGER, readChanges } from './board-changes.queries.ts'
import { checkedSprint, requireBoard } from './loyalty-ranks.ts'
import { boardValidator } from './space.queries.ts'

export interface ChangesArguments {
  sinceVersion: string
  sprintId?: number | null
  first?: number | null
  cursorAfter?: string | null
}

export interface ChangesPage {
  version: string
  totalCount: number
  pageInfo: PageInfo
  list: ChangedMember[]
}

interface Since {
  spaceId: number
  sprintId: number
  version: number
}

/**
 * The members of a board with changes since a version. They have the points of the newest version. A
 * reader that applies all pages to its copy has the board in the version of the last page.
 */
export async function readBoardChanges(
  context: Context,
  spaceId: number,
  args: ChangesArguments,
): Promise<ChangesPage> {
  const since: Since = { spaceId, sprintId: checkedSprint(args.sprintId), version: checkedVersion(args.sinceVersion) }
  const size = pageSize(BOARD_PAGE, args.first)
  const place = meansNoCursor(args.cursorAfter) ? undefined : readCursor(context, since, args.cursorAfter)
  const now = context.clock.now()
  const found = await readChanges(
    context.reader,
    {
      ...since,
      from: place ?? { version: since.version + 1, kind: IN_LEDGER, position: 0 },
      since: place ? place.version - 1 : since.version,
      horizon: new Date(now - CURSOR_LIFETIME),
      earliest: new Date(now - DAY),
    },
    size,
  )
  const { version, total, expired, list, next } = found
  if (total === undefined) await requireBoard(context, since)
  if (expired) throw versionExpired('too old, or the board was deleted and created again')
  if (since.version > version) throw versionExpired('newer than the board; the database may have been restored')
  if (version > 0) context.cacheValidators.add(boardValidator(spaceId, version), { until: now + CURSOR_LIFETIME })
  return {
    version: String(version),
    totalCount: total ?? 0,
    list,
    // Cursors lead forward only.
    pageInfo: {
      hasNextPage: next !== undefined,
      hasPreviousPage: false,
      first: undefined,
      last: next && (() => signCursor(context, since, next)),
    },
  }
}

function checkedVersion(text: string): number {
  if (!/^(0|[1-9]\d{0,14})$/.test(text))
    throw invalidArgument('Invalid sinceVersion', 'allowed: the version of a board or of a page of changes')
  return Number(text)
}

function signCursor({ cursors }: Context, since: Since, { version, kind, position }: ChangePosition): string {
  return cursors.sign('changes', [since.spaceId, since.sprintId, since.version, version, kind, position])
}

function readCursor({ cursors }: Context, since: Since, text: string): ChangePosition {
  const fields = cursors.verify('changes', text)
  if (!fields) throw invalidCursor('not a cursor of changes')
  const [spaceId, sprintId, sinceVersion, version, kind, position] = fields as number[]
  if (spaceId !== since.spaceId || sprintId !== since.sprintId || sinceVersion !== since.version)
    throw invalidCursor('a cursor of another space, sprint or version')
  return { version, kind, position } as ChangePosition
}
