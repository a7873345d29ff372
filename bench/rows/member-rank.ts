import { drawNumbers } from '../data/draw-numbers.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { addressOf, type BoardSize, prepareBoards, SPACES } from '../data/boards.ts'
import { loadPoints } from '../data/redis-boards.ts'
import { interleave, median, ratios, WARM_UP } from '../harness/rounds.ts'
import type { BenchContext, Figure, Row, RowResult } from '../harness/row.ts'
import { ask, CONNECTIONS } from '../load/compare-first-time.ts'
import { pageRequests, placesOnBoard } from '../load/first-time.ts'
import { type Load, type LoadGenerator, type LoadTarget, startLoadGenerator } from '../load/load.ts'
import { PINNING } from '../processes/cores.ts'
import { needRedisServer, versionOf } from '../processes/programs.ts'
import { startRedis } from '../processes/redis.ts'
import { startReference } from '../processes/reference.ts'
import { installRedisClient } from '../processes/reference-packages.ts'
import { benchToken, startService } from '../processes/service.ts'

const RANKS = 20_000
const PAGES = 20_000
const QUICK = 2_000

const QUERY = `query ($id: Int!, $address: String!) {
  space(id: $id) { addressLoyaltyPoints(address: $address) { rank points } }
}`

/** The board of the ranks: `middle` has 1,000,000 members, `large` 10,000,000. */
const SIZE: BoardSize = process.env.QUESTBOARD_BENCH_RANKS === 'middle' ? 'middle' : 'large'

export const row: Row = {
  name: 'S15',
  title: `the exact rank of random members of a board of ${SIZE === 'middle' ? '1,000,000' : '10,000,000'}`,
  measures: [
    { title: 'ranks/s in those of a handler with ZREVRANK and ZSCORE of Redis', bound: '>=', limit: 0.5 },
    { title: 'ranks/s in the pages/s of S2', bound: '>=', limit: 1 },
  ],
  async run(context) {
    const program = needRedisServer()
    installRedisClient(context.say)
    const database = await context.reading()
    await prepareBoards(database, context, ['middle', SIZE])
    const stops: (() => Promise<void>)[] = []
    const started = <T extends { stop(): Promise<void> }>(process: T): T => {
      stops.push(() => process.stop())
      return process
    }
    try {
      const redis = started(await startRedis(program, 'ranks', true))
      const set = await loadPoints(database, redis, SPACES[SIZE])
      await redis.settled()
      const token = await benchToken(database)
      const service = started(await startService(database))
      const reference = started(await startReference('redis/member-rank', { socket: redis.socket, set }))
      const generator = startLoadGenerator()
      stops.push(() => generator.close())
      const found = await measure(context, database, SIZE, {
        generator,
        service: { url: `${service.url}/query`, pid: service.pid, headers: { 'access-token': token } },
        reference: { url: `${reference.url}/`, pid: reference.pid },
      })
      const note = `${versionOf(program)}, with its log and snapshots. ${context.sizes[SIZE]} members; each rank and page is asked for once, ${CONNECTIONS} connections, one process a side; ${WARM_UP} rounds warm up. The handler on Redis has one sorted set, and no GraphQL, token, quota or log.`
      return { ...found, notes: [note, PINNING] }
    } finally {
      for (const stop of stops.toReversed()) await stop()
    }
  },
}

interface Sides {
  generator: LoadGenerator
  service: LoadTarget
  reference: LoadTarget
}

async function measure(
  { rounds, sizes, quick }: BenchContext,
  database: BenchDatabase,
  size: BoardSize,
  { generator, service, reference }: Sides,
): Promise<RowResult> {
  const spaceId = SPACES[size]
  const draw = drawNumbers(sizes[size], quick ? QUICK : RANKS)
  const places = await placesOnBoard(database, SPACES.middle, quick ? QUICK : PAGES)
  const rankRequest = (n: number) =>
    JSON.stringify({ query: QUERY, variables: { id: spaceId, address: addressOf(spaceId, n) } })
  const positionRequest = (n: number) => JSON.stringify({ address: addressOf(spaceId, n) })
  for (const n of [1, 2, 3]) sameMember(await ask(service, rankRequest(n)), await ask(reference, positionRequest(n)))
  const run = (target: LoadTarget, bodies: string[]) =>
    generator.run(target, { bodies, once: true, connections: CONNECTIONS })
  const board = { spaceId: SPACES.middle, members: sizes.middle }
  const measured = await interleave<string, Load>(WARM_UP + rounds, {
    rank: () => run(service, draw().map(rankRequest)),
    redis: () => run(reference, draw().map(positionRequest)),
    page: async () => run(service, (await pageRequests(database, board, places)).service),
  })
  const of = (side: string, what: 'perSecond' | 'cpu') => (measured[side] ?? []).slice(WARM_UP).map((one) => one[what])
  const perSecond = (side: string) => of(side, 'perSecond')
  const figures = (what: 'perSecond' | 'cpu', unit: string): Figure[] => [
    { side: 'ranks of the service', unit, rounds: of('rank', what) },
    { side: 'positions of Redis', unit, rounds: of('redis', what) },
    { side: `pages of the service, board of ${sizes.middle}`, unit, rounds: of('page', what) },
  ]
  return {
    values: [
      median(ratios(perSecond('rank'), perSecond('redis'))),
      median(ratios(perSecond('rank'), perSecond('page'))),
    ],
    figures: [...figures('perSecond', '1/s'), ...figures('cpu', 'µs of processor time of the process')],
  }
}

interface Member {
  space: { addressLoyaltyPoints: { rank: number; points: number } }
}

/** @throws if the points differ, or if the position is not one of the members with this rank or later */
function sameMember(ours: unknown, theirs: unknown): void {
  const [mine, other] = [(ours as Member).space.addressLoyaltyPoints, (theirs as Member).space.addressLoyaltyPoints]
  if (mine.points !== other.points || mine.rank > other.rank)
    throw new Error(`the service answered ${JSON.stringify(mine)}, Redis ${JSON.stringify(other)}`)
}
