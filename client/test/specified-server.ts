import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { buildSchema, graphql } from 'graphql'

/** A server without Questboard's additions to the query API (specification.graphql). */
export interface SpecifiedServer {
  url: string
  /** The number of requests for each operation name. */
  asked: Map<string, number>
  stop(): Promise<void>
}

/** The largest list that it returns, and the number of its quests. */
export interface SpecifiedOptions {
  questsAtOnce?: number
}

export const SPECIFIED_QUESTS = 30

export async function startSpecifiedServer({ questsAtOnce = 100 }: SpecifiedOptions = {}): Promise<SpecifiedServer> {
  const schema = buildSchema(await readFile(join(import.meta.dirname, 'specification.graphql'), 'utf8'))
  const rootValue = data(questsAtOnce)
  const asked = new Map<string, number>()
  const server = createServer((request, response) => {
    void (async () => {
      const body = JSON.parse(await text(request)) as { query: string; variables?: Record<string, unknown> }
      const operation = /^query (\w+)/.exec(body.query)?.[1] ?? ''
      asked.set(operation, (asked.get(operation) ?? 0) + 1)
      const answer = await graphql({ schema, source: body.query, rootValue, variableValues: body.variables })
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async stop() {
      server.close()
      await once(server, 'close')
    },
  }
}

const metric = { value: '1', delta: 0, deltaRate: 0, percentage: 100 }
const node = (username: string) => ({
  xUserProfile: { username, followersCount: 3, verifiedType: 'notable' },
  rank: metric,
  influenceScore: metric,
  change24H: metric,
  change7D: metric,
  change30D: metric,
})

function data(questsAtOnce: number) {
  const starboard = {
    basicInfo: { id: '1', name: 'One', tags: [], type: 'PODCAST' },
    leaderboard: ({ twitterId, pagination }: Leaderboard) => {
      const users = ['ann', 'bob', 'cid'].filter((name) => (twitterId ?? name) === name)
      const { first, after } = pagination.forward
      const start = after ? Number(after) : 0
      const edges = users.slice(start, start + first).map((name) => ({ node: node(name) }))
      return { edges, pageInfo: { hasNextPage: start + first < users.length, endCursor: String(start + first) } }
    },
    twitterHandleByEvmAddress: null,
  }
  const loyaltyPointsRanks = ({ cursorAfter }: { cursorAfter?: string | null }) => {
    const rank = cursorAfter ? 2 : 1
    const address = { username: `m${rank}`, address: `0x${String(rank).repeat(40)}`, avatar: '' }
    const pageInfo = { hasNextPage: rank === 1, endCursor: `after ${rank}` }
    return { totalCount: 2, pageInfo, list: [{ rank, points: 10 - rank, address }] }
  }
  const quest = (n: number) => ({
    id: `GC${n}`,
    name: `Quest ${n}`,
    type: 'Raffle',
    status: n === 1 ? 'Paused' : 'Active',
    participantsCount: 0,
    loyaltyPoints: 1,
    gasType: 'Sponsored',
    space: { id: '40', name: 'Forty' },
    credentialGroups: () => [
      { id: '1', conditionRelation: 'SOME', conditions: [{ expression: 'x', eligible: true }], rewards: [] },
    ],
  })
  const everyQuest = Array.from({ length: SPECIFIED_QUESTS }, (_, n) => quest(n + 1))
  return {
    starboard: ({ id }: { id: string }) => (id === '1' ? starboard : null),
    space: ({ id }: { id: number }) => (id === 40 ? { id: '40', name: 'Forty', loyaltyPointsRanks } : null),
    spaceLoyaltyPointsRanks: loyaltyPointsRanks,
    credential: ({ id }: { id: string }) => ({
      id,
      name: 'Holder',
      credType: 'PASSPORT',
      credSource: 'ORACLE',
      syncStatus: 'PAUSED',
      eligible: ({ address }: { address: string }) => Number(address === 'yes'),
    }),
    quest: ({ id }: { id: string }) => everyQuest.find((quest) => quest.id === id) ?? null,
    quests: ({ input: { first } }: { input: { first: number } }) => {
      const list = everyQuest.slice(0, Math.min(first, questsAtOnce))
      const pageInfo = { hasNextPage: list.length < SPECIFIED_QUESTS, endCursor: `after ${list.length}` }
      return { totalCount: SPECIFIED_QUESTS, pageInfo, list }
    },
  }
}

interface Leaderboard {
  twitterId?: string
  pagination: { forward: { first: number; after?: string | null } }
}
