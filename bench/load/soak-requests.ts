import { randomInt } from 'node:crypto'
import { RANKED } from '../data/ranked-starboard.ts'
import { pageBody } from './board-pages.ts'

export interface SoakPlan {
  url: string
  token: string
  /** Of the ingest API. */
  writer: string
  spaceId: number
  members: number
  credentialId: string
  starboardUsers: number
  /** What the app sends with each request, and who signed in to it. */
  app: { credentials: string; users: readonly SoakUser[] }
}

export interface SoakUser {
  access_token: string
  refresh_token: string
}

/** Sends one request. @returns what was wrong with the answer */
export type Send = () => Promise<string | undefined>

/** Shares of a hundred requests. */
const SHARES = {
  pages: 40,
  lookUps: 20,
  ranks: 10,
  quests: 10,
  awards: 5,
  refreshes: 3,
  tokenDetails: 7,
  nothing: 5,
} as const

export const MIX =
  '40 % pages of 50 at all depths of a board of points, 20 % look-ups of holders, half of them with the address in the document, 10 % ranks on a starboard, 10 % pages of quests, 5 % awards on that board, 3 % refresh tokens redeemed, 7 % token details, 5 % that ask for nothing'

export function drawRequests(plan: SoakPlan): () => Send {
  const kinds: Record<keyof typeof SHARES, Send> = {
    pages: pages(plan),
    lookUps: () => ask(plan, lookUp(plan)),
    ranks: () => ask(plan, rank(plan)),
    quests: () => ask(plan, QUESTS),
    awards: () => award(plan),
    ...signedIn(plan),
    nothing: () => ask(plan, '{"query":"{ __typename }"}'),
  }
  const drawn = Object.entries(SHARES).flatMap(([kind, share]) =>
    Array<Send>(share).fill(kinds[kind as keyof typeof SHARES]),
  )
  return () => drawn[randomInt(drawn.length)] as Send
}

const QUESTS = JSON.stringify({
  query: '{ quests(input: { first: 10 }) { totalCount list { id name status space { name } } } }',
})

function pages(plan: SoakPlan): Send {
  const cursors: string[] = []
  return async () => {
    const cursorAfter = cursors.length > 0 && randomInt(4) > 0 ? (cursors[randomInt(cursors.length)] as string) : null
    const { text, problem } = await query(plan, pageBody(plan.spaceId, { cursorAfter }))
    const next = /"endCursor":"([^"]+)"/.exec(text)?.[1]
    // Those that are kept are young: a cursor answers for half an hour.
    if (next !== undefined) cursors[cursors.length < 50 ? cursors.length : randomInt(50)] = next
    return problem
  }
}

function lookUp({ credentialId: id }: SoakPlan): string {
  const address = `0x${randomInt(2 ** 40)
    .toString(16)
    .padStart(40, '0')}`
  if (randomInt(2) === 0)
    return JSON.stringify({ query: `{ credential(id: ${id}) { eligible(address: "${address}") } }` })
  const document = 'query ($id: ID!, $address: String!) { credential(id: $id) { eligible(address: $address) } }'
  return JSON.stringify({ query: document, variables: { id, address } })
}

function rank({ starboardUsers }: SoakPlan): string {
  const document = `query ($handle: String!) {
    starboard(id: "${RANKED}") { leaderboard(twitterId: $handle) { edges { node { rank { value } influenceScore { value } } } } }
  }`
  return JSON.stringify({ query: document, variables: { handle: `user_${randomInt(starboardUsers) + 1}` } })
}

async function award({ url, writer, spaceId, members }: SoakPlan): Promise<string | undefined> {
  const address = `m${randomInt(members)}`
  const item = { key: `soak-${crypto.randomUUID()}`, spaceId, address, points: randomInt(1, 50) }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${writer}` }
  const body = JSON.stringify({ items: [item] })
  const response = await fetch(`${url}/ingest/v1/awards`, { method: 'POST', headers, body })
  return problemOf(response, await response.text(), '"applied"')
}

/** The users of an app. A user with an open request is skipped, because a new token ends the previous one. */
function signedIn({ url, app }: SoakPlan): { refreshes: Send; tokenDetails: Send } {
  const users = [...app.users]
  const asOne = (send: (user: SoakUser) => Promise<string | undefined>) => async () => {
    const [user] = users.splice(randomInt(users.length), 1) as [SoakUser]
    const problem = await send(user)
    if (problem === undefined) users.push(user)
    return problem
  }
  return {
    refreshes: asOne(async (user) => {
      const response = await fetch(`${url}/oauth/auth/2/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `${app.credentials}&grant_type=refresh_token&refresh_token=${user.refresh_token}`,
      })
      const text = await response.text()
      const problem = problemOf(response, text, '"refresh_token"')
      if (problem === undefined) Object.assign(user, JSON.parse(text))
      return problem
    }),
    tokenDetails: asOne(async (user) => {
      const headers = { authorization: `Bearer ${user.access_token}` }
      const response = await fetch(`${url}/oauth/api/2/token`, { headers })
      return problemOf(response, await response.text(), '"scope')
    }),
  }
}

async function ask(plan: SoakPlan, body: string): Promise<string | undefined> {
  return (await query(plan, body)).problem
}

async function query({ url, token }: SoakPlan, body: string): Promise<{ text: string; problem: string | undefined }> {
  const headers = { 'content-type': 'application/json', 'access-token': token }
  const response = await fetch(`${url}/query`, { method: 'POST', headers, body })
  const text = await response.text()
  return { text, problem: text.includes('"errors"') ? text.slice(0, 300) : problemOf(response, text, '"data"') }
}

function problemOf({ status }: Response, text: string, has: string): string | undefined {
  return status === 200 && text.includes(has) ? undefined : `${status} ${text.slice(0, 300)}`
}
