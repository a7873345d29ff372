import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { BenchDatabase } from '../data/bench-database.ts'
import { prepareBoards, SPACES } from '../data/boards.ts'
import { CREDENTIAL, prepareHolders, someAddresses } from '../data/holders.ts'
import { interleave, ratios, WARM_UP } from '../harness/rounds.ts'
import type { BenchContext, Figure, Row } from '../harness/row.ts'
import { ask, CONNECTIONS } from '../load/compare-first-time.ts'
import { eligibleRequests, pageRequests, placesOnBoard } from '../load/first-time.ts'
import { type LoadTarget, startLoadGenerator } from '../load/load.ts'
import { type Asked, CLIENTS, dropValues, evenRuns, runPgbench, type Values, writeValues } from '../load/pgbench.ts'
import { PINNING } from '../processes/cores.ts'
import { postgresClock } from '../processes/postgres-time.ts'
import { needPgbench, versionOf } from '../processes/programs.ts'
import { benchToken, startService } from '../processes/service.ts'
import { PAGE } from '../references/loyalty-page.ts'
import { statementOfService } from '../references/statements.ts'

const PAGES = 20_000
const LOOKUPS = 40_000
/** pgbench is faster, and is to run for about as long. */
const MORE = 2
/** Until the server has counted the time of connections that have just ended. */
const SETTLE_MS = 200

/** What both sides are asked in a round. */
interface Question {
  one: 'page' | 'look-up'
  count: number
  asked: Asked
  /** Values of the statement, and the requests whose answers they decide, in the same order; new ones every time. */
  draw: (count: number) => Promise<{ values: Values[]; bodies: string[] }>
  /** What an answer of the service and the rows of the statement both say. */
  saysInAnswer: (data: never) => unknown
  saysInRows: (rows: never[]) => unknown
}

export const row: Row = {
  name: 'S12',
  title: 'PostgreSQL without a service: the statements of S2 and S3 by pgbench',
  measures: [],
  async run(context) {
    const pgbench = needPgbench()
    const database = await context.reading()
    await prepareBoards(database, context, ['middle'])
    await prepareHolders(database, context)
    const token = await benchToken(database)
    const service = await startService(database)
    const generator = startLoadGenerator()
    const target = { url: `${service.url}/query`, pid: service.pid, headers: { 'access-token': token } }
    const clock = await postgresClock(database)
    const figures: Figure[] = []
    try {
      for (const question of [await pages(database, context), lookups(database, context)]) {
        const { one, count, asked, draw } = question
        await compareOne(database, target, question)
        const alone = async (pipelined: boolean) => {
          const { values } = await draw(MORE * count)
          const runs = evenRuns(values.length)
          await writeValues(database, values)
          return timed(clock, async () => {
            return { requests: runs, perSecond: await runPgbench(pgbench, database, asked, { runs, pipelined }) }
          })
        }
        const measured = await interleave(WARM_UP + context.rounds, {
          service: async () => {
            const { bodies } = await draw(count)
            return timed(clock, () => generator.run(target, { bodies, once: true, connections: CONNECTIONS }))
          },
          pgbench: () => alone(false),
          pipelined: () => alone(true),
        })
        figures.push(...figuresOf(one, measured, clock !== undefined))
      }
    } finally {
      await generator.close()
      await service.stop()
      await dropValues(database)
    }
    return {
      values: [],
      figures,
      notes: [
        `${versionOf(pgbench)}, prepared statements, ${CLIENTS} connections, one thread on the core of the load generator, which ${CONNECTIONS} connections ask the service from; three rounds before those that count warm up. pgbench reads no row of an answer. README.md says how its values come about.`,
        PINNING,
      ],
    }
  },
}

type Measured = Record<'service' | 'pgbench' | 'pipelined', { perSecond: number; postgres: number }[]>

/** Adds the microseconds of PostgreSQL's processor time for each request; NaN if it cannot be measured. */
async function timed(
  clock: (() => number) | undefined,
  work: () => Promise<{ perSecond: number; requests: number }>,
): Promise<Measured['service'][number]> {
  const before = clock?.() ?? NaN
  const { perSecond, requests } = await work()
  await sleep(SETTLE_MS)
  return { perSecond, postgres: (((clock?.() ?? NaN) - before) * 1e6) / requests }
}

function figuresOf(one: string, measured: Measured, clocked: boolean): Figure[] {
  const of = (side: keyof Measured, what: 'perSecond' | 'postgres') =>
    measured[side].slice(WARM_UP).map((round) => round[what])
  const ratio = (side: keyof Measured) => ratios(of('service', 'perSecond'), of(side, 'perSecond'))
  const names = [
    ['service', 'the service'],
    ['pgbench', 'pgbench'],
    ['pipelined', 'pgbench, pipelined'],
  ] as const
  const costs = names.map(([side, name]) => {
    return { side: `PostgreSQL for ${name}`, unit: `µs/${one}`, rounds: of(side, 'postgres') }
  })
  return [
    { side: `${one}s of the service in those of pgbench`, unit: '', rounds: ratio('pgbench') },
    { side: `${one}s of the service in those of pgbench, pipelined`, unit: '', rounds: ratio('pipelined') },
    ...names.map(([side, name]) => ({ side: name, unit: `${one}s/s`, rounds: of(side, 'perSecond') })),
    ...(clocked ? costs : []),
  ]
}

async function pages(database: BenchDatabase, { sizes, quick }: BenchContext): Promise<Question> {
  const board = { spaceId: SPACES.middle, members: sizes.middle }
  const places = await placesOnBoard(database, board.spaceId, quick ? 2_000 : PAGES)
  const fixed = [board.spaceId, 0, 1].map((value) => ({ fixed: value }))
  const parameters = [...fixed, { own: 0 }, { own: 1 }, { fixed: PAGE + 1 }]
  return {
    one: 'page',
    count: places.length,
    asked: { text: statementOfService('page', parameters.length).text, parameters },
    async draw(count) {
      const { service } = await pageRequests(database, board, places)
      const behind = Array.from({ length: Math.ceil(count / places.length) }, () => places).flat()
      return { values: behind.map(({ points, address }) => [points, address]), bodies: service }
    },
    saysInAnswer: ({ spaceLoyaltyPointsRanks: page }: { spaceLoyaltyPointsRanks: { list: Ranked[] } }) =>
      page.list.map(({ points, address: { address, username, avatar } }) => ({ points, address, username, avatar })),
    saysInRows: (rows: Member[]) =>
      rows.slice(0, PAGE).map(({ points, address, username, avatar }) => ({ points, address, username, avatar })),
  }
}

interface Member {
  points: number
  address: string
  username: string
  avatar: string
}

interface Ranked {
  points: number
  address: Omit<Member, 'points'>
}

function lookups(database: BenchDatabase, { sizes, quick }: BenchContext): Question {
  const parameters = [{ fixed: CREDENTIAL }, { own: 0 }, { own: 0 }]
  return {
    one: 'look-up',
    count: quick ? 4_000 : LOOKUPS,
    asked: { text: statementOfService('holds', parameters.length).text, parameters },
    async draw(count) {
      const addresses = await someAddresses(database, sizes.holders, count)
      return { values: addresses.map((address) => [address]), bodies: eligibleRequests(addresses).service }
    },
    saysInAnswer: ({ credential }: { credential: { eligible: number } }) => credential.eligible === 1,
    saysInRows: ([row]: { version: string }[]) => row?.version === 'itself',
  }
}

/** @throws when the statement with its values says something else than the service's answer */
async function compareOne({ pool }: BenchDatabase, target: LoadTarget, question: Question): Promise<void> {
  const { values, bodies } = await question.draw(question.count)
  const own = values[0] ?? []
  const { text, parameters } = question.asked
  const { rows } = await pool.query(
    text,
    parameters.map((parameter) => ('own' in parameter ? own[parameter.own] : parameter.fixed)),
  )
  const theirs = question.saysInRows(rows as never[])
  const ours = question.saysInAnswer((await ask(target, bodies[0])) as never)
  if (!isDeepStrictEqual(ours, theirs))
    throw new Error(`the service answered ${JSON.stringify(ours)}, the statement ${JSON.stringify(theirs)}`)
}
