import { type Connection, found } from './connection.ts'
import { invalidResponse, QuestboardError } from './errors.ts'
import { idText } from './ids.ts'
import type { RequestOptions } from './options.ts'
import { createList, type List, type ListOptions, type PagePlace, type ReadSoFar } from './paging.ts'
import { QUEST_FIELDS, type QuestInfo } from './quest.ts'
import type { ListQuestInput, QuestOrder, QuestStatus, QuestType } from './schema.ts'

/** Filter, order and page size. */
export interface QuestFilter {
  spaceId?: string | number | null
  statuses?: readonly QuestStatus[] | null
  types?: readonly QuestType[] | null
  /** Default: newest first. Only Questboard has other orders; without a value, no order is sent. */
  order?: QuestOrder | null
  /** The page size. Default 20. */
  first?: number | null
}

export interface QuestPage {
  totalCount: number
  pageInfo: PagePlace
  list: QuestInfo[]
}

const PAGE_SIZE = 20

const QUESTS =
  `query quests($input:ListQuestInput!){quests(input:$input){totalCount pageInfo{hasNextPage endCursor}list{${QUEST_FIELDS}}}}` as const

/** One page. Some servers refuse the argument `after`, so it is sent only if it is given. */
export async function questPage(
  connection: Connection,
  { spaceId, first, after, order, ...filter }: QuestFilter & { after?: string | null },
  options: RequestOptions | undefined,
): Promise<QuestPage> {
  const input: ListQuestInput = { ...filter, first: first ?? PAGE_SIZE }
  if (spaceId !== null && spaceId !== undefined) input.spaceId = idText(spaceId)
  if (after) input.after = after
  if (order) input.order = order
  const { quests } = await connection.ask('quest', QUESTS, { input }, options)
  return found(quests, 'Quests not found')
}

export function questList(
  connection: Connection,
  filter: QuestFilter,
  { signal, fresh, ...options }: ListOptions,
): List<QuestInfo, QuestPage> {
  const read = (more: QuestFilter & { after?: string | null }) =>
    questPage(connection, { ...filter, ...more }, { signal, fresh })
  const readPage = async (after: string | null, soFar: ReadSoFar<QuestPage>) => {
    try {
      return await read({ after })
    } catch (error) {
      if (!soFar.page || !refusesAfter(error)) throw error
      return readRest(read, soFar.page.totalCount, soFar.items)
    }
  }
  return createList(connection.settings, { readPage, itemsOf: ({ list }) => list }, { signal, ...options })
}

/**
 * Some servers return a cursor, but have no argument for it. There the client requests one page with all quests and skips
 * those already read.
 */
async function readRest(
  read: (more: QuestFilter) => Promise<QuestPage>,
  totalCount: number,
  alreadyRead: number,
): Promise<QuestPage> {
  const page = await read({ first: totalCount })
  const list = page.list.slice(alreadyRead)
  if (list.length === 0)
    throw invalidResponse(`The service lists only the first ${alreadyRead} of ${totalCount} quests; narrow the filter`)
  return { ...page, list }
}

/** Whether the server rejects the input field `after`; matches messages of all GraphQL libraries. */
function refusesAfter(error: unknown): boolean {
  if (!(error instanceof QuestboardError)) return false
  return error.errors.some(
    ({ message, path = [] }) => /\bafter\b/.test(`${message} ${path.join(' ')}`) && !/^invalid cursor/i.test(message),
  )
}
