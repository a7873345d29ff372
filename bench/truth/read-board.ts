import { setTimeout as sleep } from 'node:timers/promises'
import { type QueryEndpoint, readBoardPage, type Page } from '../load/board-pages.ts'
import type { AwardLog } from './award-log.ts'
import type { ShownRank, Traversal } from './traversal.ts'

const TIMEOUT_MS = 60_000

/** Sends a query to the endpoints in turn until one responds. A service may be stopping or restarting. */
export async function persistently<Answer>(
  endpoints: () => readonly QueryEndpoint[],
  query: (endpoint: QueryEndpoint) => Promise<Answer>,
): Promise<Answer> {
  const deadline = performance.now() + TIMEOUT_MS
  for (let turn = Math.floor(Math.random() * 2); ; turn++) {
    const all = endpoints()
    const next = all[turn % all.length]
    try {
      if (next) return await query(next)
    } catch (error) {
      const lost = error instanceof TypeError || (error instanceof Error && error.message.includes('(503)'))
      if (!lost || performance.now() > deadline) throw error
    }
    await sleep(20)
  }
}

interface Reading {
  endpoints: () => readonly QueryEndpoint[]
  spaceId: number
  sprintId?: number
  log: AwardLog
}

/** Reads the whole board from its first page to its last, each page from any of the services. */
export async function readForwards({ endpoints, spaceId, sprintId, log }: Reading, size: number): Promise<Traversal> {
  const from = log.acknowledged
  let to = from
  const pages: Page[] = []
  for (let cursor: string | null = null; ;) {
    const page = await persistently(endpoints, (endpoint) =>
      readBoardPage(endpoint, spaceId, { cursorAfter: cursor, first: size, sprintId }),
    )
    if (pages.length === 0) to = log.sent
    pages.push(page)
    if (!page.pageInfo.hasNextPage) break
    cursor = page.pageInfo.endCursor
  }
  return { list: pages.flatMap(ranksOf), totals: pages.map(({ totalCount }) => totalCount), from, to }
}

/** Goes to the end in large steps, then reads the whole board backwards from there. */
export async function readBackwards({ endpoints, spaceId, sprintId, log }: Reading, size: number): Promise<Traversal> {
  const from = log.acknowledged
  let to: number | undefined
  let last: Page
  for (let cursor: string | null = null; ;) {
    last = await persistently(endpoints, (endpoint) =>
      readBoardPage(endpoint, spaceId, { cursorAfter: cursor, first: 1_000, sprintId }),
    )
    to ??= log.sent
    if (!last.pageInfo.hasNextPage) break
    cursor = last.pageInfo.endCursor
  }
  // The end of the board, after the place from which the way back begins.
  const tail = ranksOf(last).slice(-1)
  const pages: Page[] = []
  for (let cursor = last.pageInfo.endCursor; ;) {
    const before = cursor
    const page = await persistently(endpoints, (endpoint) =>
      readBoardPage(endpoint, spaceId, { cursorBefore: before, first: size, sprintId }),
    )
    pages.unshift(page)
    if (!page.pageInfo.hasPreviousPage) break
    cursor = page.pageInfo.startCursor
  }
  return { list: [...pages.flatMap(ranksOf), ...tail], totals: pages.map(({ totalCount }) => totalCount), from, to }
}

function ranksOf({ list }: Page): ShownRank[] {
  return list.map(({ rank, points, address }) => ({ rank, points, address: address.address }))
}
