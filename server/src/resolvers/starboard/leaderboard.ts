import { createHash } from 'node:crypto'
import { invalidPagination, twitterUserNotFound } from '../../errors.ts'
import type { Context, FieldInfo } from '../../graphql/context.ts'
import { type PageInfo, pageInfo, meansNoCursor } from '../../graphql/page-info.ts'
import { traversalEnd, traversalStart } from '../traversal-time.ts'
import { countRanks, type Place } from './count-ranks.ts'
import { findCurrentRanking, findRankedUser, type RankedUserRow, readRanking } from './starboard.queries.ts'
import { BOARD_PAGE, pageSize } from '../../graphql/page-size.ts'

export interface LeaderboardArguments {
  twitterId?: string | null
  pagination?: { forward: { first: number; after?: string | null } } | null
}

/** A user, and the number of ranked users. */
export interface Node {
  row: RankedUserRow
  userCount: number
}

interface Edge {
  node: Node
  cursor: () => string
}

export interface Leaderboard {
  totalCount: number
  edges: Edge[]
  pageInfo: PageInfo
}

/** The format of handles. */
const HANDLE = /^[a-z0-9_]{1,50}$/

/** The fields that all cursors of one ranking share. They fix the version that all pages show. */
interface Traversal {
  starboardId: string
  version: number
  userCount: number
  startedAt: number // start of the five-minute period of the first page (traversalStart), in seconds since 1970
}

/** One page of the ranking, or one user. */
export async function readLeaderboard(
  context: Context,
  starboardId: string,
  args: LeaderboardArguments,
  field: FieldInfo,
): Promise<Leaderboard> {
  const { size, after } = checkedPagination(args.pagination)
  if (args.twitterId) return onlyUser(context, starboardId, args.twitterId, field)
  const from = after === undefined ? undefined : readCursor(context, starboardId, after)
  const traversal = from?.traversal ?? (await startTraversal(context, starboardId))
  if (!traversal) return leaderboard(context, { starboardId, version: 0, userCount: 0, startedAt: 0 }, [], false)
  const rows = await readRanking(context.reader, starboardId, traversal.version, from?.place, size + 1)
  return leaderboard(context, traversal, countRanks(rows.slice(0, size), from?.place), rows.length > size)
}

async function onlyUser(
  context: Context,
  starboardId: string,
  twitterId: string,
  field: FieldInfo,
): Promise<Leaderboard> {
  const traversal = await startTraversal(context, starboardId)
  const handle = twitterId.trim().replace(/^@/, '').toLowerCase()
  const row =
    traversal && HANDLE.test(handle)
      ? await findRankedUser(context.reader, starboardId, traversal.version, handle)
      : undefined
  // Clients check either the edges or the errors, so a user who does not belong to the starboard is reported in both.
  if (!row) field.report(twitterUserNotFound())
  const alone = leaderboard(
    context,
    traversal ?? { starboardId, version: 0, userCount: 0, startedAt: 0 },
    row ? [row] : [],
    false,
  )
  return { ...alone, totalCount: row ? 1 : 0 }
}

function leaderboard(context: Context, traversal: Traversal, rows: RankedUserRow[], hasNextPage: boolean): Leaderboard {
  const { version, userCount, startedAt } = traversal
  const list = listName(traversal.starboardId)
  const cursorOf = ({ position, rank, score, handle }: Place) =>
    context.cursors.sign('starboard', [list, version, userCount, startedAt, position, rank, score, handle])
  const edges = rows.map((row) => ({ node: { row, userCount }, cursor: () => cursorOf(row) }))
  const hasPreviousPage = (rows[0]?.position ?? 1) > 1
  return {
    totalCount: traversal.userCount,
    edges,
    pageInfo: pageInfo(edges, { hasNextPage, hasPreviousPage }, (edge) => edge.cursor()),
  }
}

/** A hash, because the cursor has no room for the id of a starboard. */
const listName = (starboardId: string): string =>
  createHash('sha256').update(starboardId).digest('base64url').slice(0, 16)

async function startTraversal(context: Context, starboardId: string): Promise<Traversal | undefined> {
  const startedAt = traversalStart(context)
  const current = await findCurrentRanking(context.reader, starboardId)
  return current && { starboardId, version: current.version, userCount: current.user_count, startedAt }
}

/** The number of fields of a cursor. Cursors of older versions of the service have fewer. */
const FIELDS = 8

function readCursor(context: Context, starboardId: string, text: string): { traversal: Traversal; place: Place } {
  const fields = context.cursors.verify('starboard', text)
  if (!fields) throw invalidPagination('after is not a cursor of a starboard')
  if (fields.length !== FIELDS) throw invalidPagination('expired')
  const [list, version, userCount, startedAt, position, rank, score, handle] = fields as [
    ...[string, number, number, number, number, number, string, string],
  ]
  if (list !== listName(starboardId)) throw invalidPagination('after is a cursor of another starboard')
  if (context.clock.now() > traversalEnd(startedAt)) throw invalidPagination('expired')
  return { traversal: { starboardId, version, userCount, startedAt }, place: { position, rank, score, handle } }
}

function checkedPagination(pagination: LeaderboardArguments['pagination']): {
  size: number
  after: string | undefined
} {
  const { first, after } = pagination?.forward ?? {}
  return { size: pageSize(BOARD_PAGE, first), after: meansNoCursor(after) ? undefined : after }
}
