import { createHash } from 'node:crypto'
import { invalidArgument, invalidCursor, spaceRequired } from '../../errors.ts'
import type { Context } from '../../graphql/context.ts'
import { type PageInfo, pageInfo, meansNoCursor } from '../../graphql/page-info.ts'
import { requireSpace } from '../public-space.ts'
import { traversalEnd, traversalStart } from '../traversal-time.ts'
import { type OpenFirstPosition, readOpenFirst } from './open-first.ts'
import { isTransitionDue, type ListedQuestRow, type QuestFilter, readCatalogue, readListed } from './quest.queries.ts'
import { QUEST_PAGE, pageSize } from '../../graphql/page-size.ts'

/** The input of the GraphQL field `quests`. */
export interface ListQuestInput {
  spaceId?: string | null
  statuses?: string[] | null
  types?: string[] | null
  order?: QuestOrder | null
  first?: number | null
  after?: string | null
}

type QuestOrder = 'NEWEST' | 'OPEN_FIRST'

export interface QuestList {
  totalCount: number
  pageInfo: PageInfo
  list: ListedQuestRow[]
}

const MAX_SPACE_ID = 2_147_483_647

/** The fields that all cursors of one list share. They fix the version that all pages show. */
interface Traversal {
  version: number
  totalCount: number
  startedAt: number // start of the five-minute period of the first page (traversalStart), in seconds since 1970
}

/**
 * Returns one page of public quests. All pages show the version of the list that the first page showed, with the types and
 * statuses of that time. Quests that have since become private, Draft or Deleted are left out. After an expired cursor,
 * pages show the current list.
 */
export async function listQuests(context: Context, input: ListQuestInput): Promise<QuestList> {
  const size = pageSize(QUEST_PAGE, input.first)
  const filter = checkedFilter(input)
  if (filter.spaceId !== undefined) requireSpace(context, filter.spaceId)
  // A publishable token can list only the quests of a space.
  else if (context.spacesOfToken) throw spaceRequired('input.spaceId')
  const order = input.order ?? 'NEWEST'
  const filterHash = hashOfFilter(filter, order)
  const after = meansNoCursor(input.after) ? undefined : readCursor(context, filterHash, input.after)
  const traversal = after && isFresh(context, after) ? after : await startTraversal(context, filter)
  const rows = await readOrdered(context, order, traversal.version, filter, after, size + 1)
  const page = rows.slice(0, size)
  return {
    totalCount: traversal.totalCount,
    // Cursors are made from all rows, because the last row can be a quest that is left out.
    list: page.filter(({ hidden }) => !hidden),
    pageInfo: pageInfo(page, { hasNextPage: rows.length > size, hasPreviousPage: after !== undefined }, (quest) =>
      signCursor(context, filterHash, traversal, quest),
    ),
  }
}

type Position = Omit<OpenFirstPosition, 'part'> & { part?: number | undefined }

/** A quest; with its position if the order is OPEN_FIRST. */
type OrderedQuestRow = ListedQuestRow & { position?: Position }

function readOrdered(
  { reader }: Context,
  order: QuestOrder,
  version: number,
  filter: QuestFilter,
  after: Position | undefined,
  limit: number,
): Promise<OrderedQuestRow[]> {
  if (order === 'OPEN_FIRST')
    return readOpenFirst(reader, version, filter, after && { ...after, part: after.part ?? 0 }, limit)
  return readListed(reader, version, filter, after && { createdAt: after.time ?? 0, id: after.id }, limit)
}

async function startTraversal(context: Context, filter: QuestFilter): Promise<Traversal> {
  const startedAt = traversalStart(context)
  // Apply status changes that are due, so that the list shows the new status.
  if (await isTransitionDue(context.reader, new Date(context.clock.now()))) await context.applyDueTransitions()
  const { version, total: totalCount } = await readCatalogue(context.reader, filter)
  return { version, totalCount, startedAt }
}

function signCursor(context: Context, filterHash: string, traversal: Traversal, quest: OrderedQuestRow): string {
  const { version, totalCount, startedAt } = traversal
  const { time, id, part } = quest.position ?? { time: quest.created_at.getTime(), id: quest.id }
  const fields = [filterHash, version, totalCount, startedAt, time ?? '', id]
  return context.cursors.sign('quests', part === undefined ? fields : [...fields, part])
}

function readCursor(context: Context, filterHash: string, text: string): Traversal & Position {
  const fields = context.cursors.verify('quests', text)
  if (!fields) throw invalidCursor('not a cursor of a list of quests')
  const [ofFilter, version, totalCount, startedAt, time, id, part] = fields as [
    string,
    number,
    number,
    number,
    number | '',
    string,
    number | undefined,
  ]
  if (ofFilter !== filterHash) throw invalidCursor('a cursor of a list with other filters')
  return { version, totalCount, startedAt, time: time === '' ? null : time, id, part }
}

/**
 * Whether a cursor can still read the version of its first page. An expired cursor does not fail, because clients keep
 * cursors for days: it continues in the current list.
 */
function isFresh(context: Context, { startedAt }: Traversal): boolean {
  return context.clock.now() <= traversalEnd(startedAt)
}

/** A cursor contains this hash, so that it is valid only for the list with these filters and this order. */
function hashOfFilter({ spaceId, statuses, types }: QuestFilter, order: QuestOrder): string {
  // Clients have stored cursors from before there was another order.
  const filters = [spaceId ?? null, statuses.toSorted(), types.toSorted(), ...(order === 'NEWEST' ? [] : [order])]
  return createHash('sha256').update(JSON.stringify(filters)).digest('base64url').slice(0, 8)
}

function checkedFilter(input: ListQuestInput): QuestFilter {
  const { spaceId, statuses, types } = input
  if (spaceId && !(/^[1-9][0-9]{0,9}$/.test(spaceId) && Number(spaceId) <= MAX_SPACE_ID))
    throw invalidArgument('Invalid space ID', `spaceId: ${spaceId}`, `allowed: 1 to ${MAX_SPACE_ID}`)
  return {
    spaceId: spaceId ? Number(spaceId) : undefined,
    statuses: [...new Set(statuses)],
    types: [...new Set(types)],
  }
}
