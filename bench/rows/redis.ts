import { isDeepStrictEqual } from 'node:util'
import type { BenchDatabase } from '../data/bench-database.ts'
import { prepareBoards, SPACES } from '../data/boards.ts'
import { buildRankedStarboard, drawHandles, RANKED } from '../data/ranked-starboard.ts'
import { type Layout, loadBoard, loadStarboard, type RedisBoard } from '../data/redis-boards.ts'
import type { BenchContext, Figure, Row } from '../harness/row.ts'
import {
  type Compared,
  compareFirstTime,
  CONNECTIONS,
  newPages,
  type Peer,
  type Question,
} from '../load/compare-first-time.ts'
import { rankRequests } from '../load/first-time.ts'
import { PINNING } from '../processes/cores.ts'
import { cpuSeconds } from '../processes/cpu-time.ts'
import { needRedisServer, versionOf } from '../processes/programs.ts'
import { type RedisProcess, startRedis } from '../processes/redis.ts'
import { installRedisClient } from '../processes/reference-packages.ts'

const PAGES = 20_000
const RANKS = 20_000
const MEGABYTE = 1e6

const NAMES = ['Redis, a hash a member', 'Redis, one hash', 'Redis, one hash, nothing kept'] as const

export const row: Row = {
  name: 'S13',
  title: 'a page of a board and the rank of one member against sorted sets of Redis, 1,000,000 members each',
  measures: [],
  async run(context) {
    const program = needRedisServer()
    installRedisClient(context.say)
    const members = context.sizes.middle
    const database = await context.fresh('s13')
    await prepareBoards(database, context, ['middle'])
    await buildRankedStarboard(database, members, context)
    const stops: (() => Promise<void>)[] = []
    const start = async (name: string, keeps: boolean) => {
      const redis = await startRedis(program, name, keeps)
      stops.push(() => redis.stop())
      return redis
    }
    try {
      const [kept, forgetful] = [await start('kept', true), await start('forgetful', false)]
      const boards = await loadBoards(kept, ['each', 'one'], database, context)
      const peers = [
        peer(NAMES[0], kept, boards, 'each'),
        peer(NAMES[1], kept, boards, 'one'),
        peer(NAMES[2], forgetful, await loadBoards(forgetful, ['one'], database, context), 'one'),
      ]
      const pages = await newPages(database, context, PAGES)
      // Far down, many members have equal points. After the last place, the page is empty.
      const questions = [{ ...pages, checked: [0, Math.floor(pages.count * 0.9), -1] }, newRanks(context)]
      const compared = await compareFirstTime(database, context.rounds, peers, questions, sameData)
      return {
        values: [],
        figures: [...compared.flatMap(withRatios), ...(await sizes(database, forgetful))],
        notes: [
          `${versionOf(program)}. ${questions.map(({ one, count }) => `${count} ${one}s`).join(' and ')} a round, none asked before, ${CONNECTIONS} connections, one process a side; three rounds before them warm up.`,
          PINNING,
        ],
      }
    } finally {
      for (const stop of stops) await stop()
    }
  },
}

interface Boards {
  board: RedisBoard
  starboard: RedisBoard
}

async function loadBoards(
  redis: RedisProcess,
  layouts: readonly Layout[],
  database: BenchDatabase,
  { say, sizes }: BenchContext,
): Promise<Boards> {
  const started = performance.now()
  const board = await loadBoard(database, redis, layouts, SPACES.middle)
  const starboard = await loadStarboard(database, redis, layouts)
  await redis.settled()
  const seconds = (performance.now() - started) / 1000
  say(`  Redis loaded two boards of ${sizes.middle} members in ${seconds.toFixed(0)} s`)
  return { board, starboard }
}

function peer(name: string, { socket, pid }: RedisProcess, boards: Boards, layout: Layout): Peer {
  const own = { options: { socket, ...boards, layout }, clock: () => cpuSeconds(pid) }
  return { name, file: 'redis/leaderboard', path: '/', takes: 'byHand', own }
}

/** The ranks of users, different users in each round. */
function newRanks({ sizes, quick }: BenchContext): Question {
  const count = quick ? 2_000 : RANKS
  const draw = drawHandles(sizes.middle, count)
  return { one: 'rank', count, checked: [0, 1, 2], requests: async () => rankRequests(RANKED, draw()) }
}

/** What was measured behind the ratios that the row is about. */
function withRatios({ one, ratios, figures }: Compared): Figure[] {
  const shown = ratios.map((rounds, at) => ({
    side: `${one}s of the service in those of ${NAMES[at]}`,
    unit: '',
    rounds,
  }))
  return [...shown, ...figures]
}

/** What the same boards take in memory, and on disk. */
async function sizes({ pool }: BenchDatabase, redis: RedisProcess): Promise<Figure[]> {
  const { rows } = await pool.query<{ bytes: string }>(
    `SELECT sum(pg_total_relation_size(name::regclass)) AS bytes
     FROM unnest('{board_entries, starboard_users, starboard_entries, starboard_places}'::text[]) AS name`,
  )
  const { data, resident } = redis.memory()
  const figure = (side: string, bytes: number) => ({ side, unit: 'MB', rounds: [bytes / MEGABYTE] })
  return [
    figure('both boards in the memory of Redis', data),
    figure('resident memory of Redis', resident),
    figure('both boards on the disk of PostgreSQL, with indexes', Number(rows[0]?.bytes)),
  ]
}

/** @throws if the data of Redis differ from the data of the service; cursors are ignored */
function sameData(answers: ReadonlyMap<string, unknown>): void {
  const without = (answer: unknown): unknown =>
    JSON.parse(JSON.stringify(answer, (key, value: unknown) => (key === 'endCursor' ? undefined : value)))
  const ours = without(answers.get('the service'))
  for (const [name, answer] of answers)
    if (!isDeepStrictEqual(without(answer), ours))
      throw new Error(`${name} answered ${JSON.stringify(answer)}, not ${JSON.stringify(ours)}`)
}
