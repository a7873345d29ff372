import { invalidCursor } from '../../errors.ts'
import type { CacheValidator } from '../../graphql/cache-validators.ts'
import type { Context } from '../../graphql/context.ts'
import type { CursorField } from '../../graphql/signed-cursors.ts'
import { traversalEnd } from '../traversal-time.ts'
import type { EntryRow, BoardPosition } from './space.queries.ts'
import type { RankedPosition } from './space.rules.ts'

/** The fields that all cursors of one board share. They fix the version that all pages show. */
export interface Traversal {
  spaceId: number
  sprintId: number
  version: number
  totalCount: number
  startedAt: number // start of the five-minute period of the first page (traversalStart), in seconds since 1970
}

/** A member of a page. */
export type Rank = EntryRow & RankedPosition

/** The member of a cursor, in the version of its first page. */
export type CursorPosition = Traversal & BoardPosition & RankedPosition

/** Stored in one byte of the cursor: an estimate of the range of points of the next page. */
const MAX_REACH = 31
export const reachOf = (list: readonly Rank[]): number =>
  Math.min(MAX_REACH, Math.ceil(Math.log2((list[0]?.points ?? 0) - (list.at(-1)?.points ?? 0) + 1)))

export function signCursor(context: Context, traversal: Traversal, rank: Rank, reach: number): string {
  const { spaceId, sprintId, version, totalCount, startedAt } = traversal
  const place: CursorField[] = [rank.points, rank.position, rank.rank, rank.address, reach]
  return context.cursors.sign('loyalty', [spaceId, sprintId, version, totalCount, startedAt, ...place])
}

export function readCursor(context: Context, spaceId: number, sprintId: number, text: string): CursorPosition {
  const fields = context.cursors.verify('loyalty', text)
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
  } as CursorPosition
  if (context.clock.now() > traversalEnd(traversal.startedAt)) throw invalidCursor('expired')
  return traversal
}

/** The rows next to a cursor do not change while the cursor is valid. */
export function cursorValidator(traversal: Traversal): CacheValidator {
  return { until: traversalEnd(traversal.startedAt) }
}
