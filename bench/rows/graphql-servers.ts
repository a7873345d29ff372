import { isDeepStrictEqual } from 'node:util'
import type { Measure, Row } from '../harness/row.ts'
import { compareFirstTime, CONNECTIONS, newLookups, newPages, type Peer } from '../load/compare-first-time.ts'
import { PINNING } from '../processes/cores.ts'
import { installPeers } from '../processes/reference-packages.ts'

const PAGES = 6_000
const LOOKUPS = 10_000

const peer = (name: string, file: string, takes: Peer['takes'], limit: number | undefined) => {
  return { name, file: `peers/${file}`, path: '/graphql', takes, limit }
}

const PEERS = [
  peer('PostGraphile', 'postgraphile', 'postgraphile', 8),
  peer('Apollo Server', 'apollo', 'resolvers', 4),
  peer('Mercurius', 'mercurius', 'resolvers', 1.5),
  peer('GraphQL Yoga', 'yoga', 'resolvers', undefined),
]

/** Of the peers that a limit is set for. */
function judged<Value>(values: readonly Value[]): Value[] {
  return values.filter((_value, at) => PEERS[at]?.limit !== undefined)
}

const measures = (what: string): Measure[] =>
  judged(PEERS).map(({ name, limit = NaN }) => {
    return { title: `${what}: requests/s in those of ${name}`, bound: '>=', limit }
  })

export const row: Row = {
  name: 'S4',
  title: 'the requests of S2 and S3 against other GraphQL servers on the same tables',
  measures: [...measures('a page of 50'), ...measures('eligible')],
  async run(context) {
    installPeers(context.say)
    const database = await context.reading()
    const pages = await newPages(database, context, PAGES)
    const lookups = await newLookups(database, context, LOOKUPS)
    const [page, eligible] = await compareFirstTime(database, context.rounds, PEERS, [pages, lookups], sameData)
    if (!page || !eligible) throw new Error('both questions were to be compared')
    return {
      values: [...judged(page.values), ...judged(eligible.values)],
      figures: [...page.figures, ...eligible.figures],
      notes: [
        `${pages.count} pages and ${lookups.count} addresses a round, none asked before, ${CONNECTIONS} connections, one process a side; three rounds before them warm up. GraphQL Yoga is shown for comparison, without a bound. No peer has a token, quota, log or signed cursor, and PostGraphile returns no ranks. README.md says how each is configured.`,
        PINNING,
      ],
    }
  },
}

/** @throws when a peer's answer has other data than the service's */
function sameData(answers: ReadonlyMap<string, unknown>): void {
  for (const [name, answer] of answers) {
    const ours = contentOf(answers.get('the service'), name !== 'PostGraphile')
    if (!isDeepStrictEqual(contentOf(answer, true), ours))
      throw new Error(`${name} answered ${JSON.stringify(answer)}, not ${JSON.stringify(ours)}`)
  }
}

interface Person {
  address: string
  username: string
  avatar: string
}

type Answer =
  | { credential: { eligible: number } }
  | { holder: object | null }
  | {
      spaceLoyaltyPointsRanks: {
        totalCount: number
        pageInfo: { hasNextPage: boolean }
        list: { rank: number; points: number; address: Person }[]
      }
    }
  | {
      board: { memberCount: number }
      page: { pageInfo: { hasNextPage: boolean }; nodes: ({ points: number } & Person)[] }
    }

/** The content of a response, in whatever form. Cursors differ between servers, and tables contain no ranks. */
function contentOf(data: unknown, ranks: boolean): unknown {
  const answer = data as Answer
  if ('credential' in answer) return answer.credential.eligible === 1
  if ('holder' in answer) return answer.holder !== null
  if ('board' in answer) {
    const { memberCount, nodes, pageInfo } = { ...answer.board, ...answer.page }
    return { totalCount: memberCount, hasNextPage: pageInfo.hasNextPage, members: nodes }
  }
  const { totalCount, pageInfo, list } = answer.spaceLoyaltyPointsRanks
  const members = list.map(({ rank, points, address: { address, username, avatar } }) => {
    return { ...(ranks && { rank }), points, address, username, avatar }
  })
  return { totalCount, hasNextPage: pageInfo.hasNextPage, members }
}
