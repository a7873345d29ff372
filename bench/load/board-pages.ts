/** Requests for pages of a board. */

export const PAGE_QUERY = `query Page($id: Int!, $first: Int, $cursorAfter: String, $cursorBefore: String, $sprintId: Int) {
  space(id: $id) {
    loyaltyPointsRanks(first: $first, cursorAfter: $cursorAfter, cursorBefore: $cursorBefore, sprintId: $sprintId) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      list { rank points address { username address avatar } }
    }
  }
}`

export interface Page {
  totalCount: number
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  list: { rank: number; points: number; address: { username: string; address: string; avatar: string } }[]
}

export interface QueryEndpoint {
  url: string
  token: string
}

export interface PageVariables {
  first?: number
  cursorAfter?: string | null
  cursorBefore?: string | null
  /** Left out: the overall board. */
  sprintId?: number | undefined
}

export function pageBody(spaceId: number, variables: PageVariables): string {
  return JSON.stringify({ query: PAGE_QUERY, variables: { id: spaceId, ...variables } })
}

/** @throws when the answer is not a page */
export async function readBoardPage(
  { url, token }: QueryEndpoint,
  spaceId: number,
  variables: PageVariables,
): Promise<Page> {
  const response = await fetch(`${url}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'access-token': token },
    body: pageBody(spaceId, variables),
  })
  const text = await response.text()
  const answer = JSON.parse(text) as { data?: { space: { loyaltyPointsRanks: Page } | null }; errors?: unknown }
  if (response.status !== 200 || answer.errors || !answer.data?.space)
    throw new Error(`a page was refused (${response.status}): ${text.slice(0, 500)}`)
  return answer.data.space.loyaltyPointsRanks
}

const STRIDE = 1_000
const AT_ONCE = 16

/** The cursor after this number of members, of a traversal that begins now. */
export async function cursorBehind(endpoint: QueryEndpoint, spaceId: number, members: number): Promise<string | null> {
  let cursor: string | null = null
  for (let passed = 0; passed < members; passed += STRIDE)
    cursor = (
      await readBoardPage(endpoint, spaceId, { cursorAfter: cursor, first: Math.min(STRIDE, members - passed) })
    ).pageInfo.endCursor
  return cursor
}

/** Requests for pages of 50, each behind another member, the first right behind `members` of them. */
export async function pagesBehind(
  endpoint: QueryEndpoint,
  spaceId: number,
  members: number,
  count: number,
): Promise<string[]> {
  const start = await cursorBehind(endpoint, spaceId, members)
  const bodies: string[] = []
  for (let first = 1; first <= count; first += AT_ONCE) {
    const sizes = Array.from({ length: Math.min(AT_ONCE, count - first + 1) }, (_, n) => first + n)
    const pages = await Promise.all(
      sizes.map((size) => readBoardPage(endpoint, spaceId, { cursorAfter: start, first: size })),
    )
    bodies.push(...pages.map(({ pageInfo }) => pageBody(spaceId, { cursorAfter: pageInfo.endCursor })))
  }
  return bodies
}

/** Requests for the pages of 50 of a traversal that begins now, spread over the whole board. */
export async function traversalBodies(endpoint: QueryEndpoint, spaceId: number, count: number): Promise<string[]> {
  const bodies: string[] = []
  for (let cursor: string | null = null; bodies.length < count;) {
    const page: Page = await readBoardPage(endpoint, spaceId, { cursorAfter: cursor, first: STRIDE })
    if (!page.pageInfo.hasNextPage) break
    cursor = page.pageInfo.endCursor
    // From each landmark a few pages of 50.
    for (let at = cursor, n = 0; n < 5 && at !== null; n++) {
      bodies.push(pageBody(spaceId, { cursorAfter: at }))
      at = (await readBoardPage(endpoint, spaceId, { cursorAfter: at, first: 50 })).pageInfo.endCursor
    }
  }
  return bodies
}
