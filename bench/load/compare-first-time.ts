import type { BenchDatabase } from '../data/bench-database.ts'
import { prepareBoards, SPACES } from '../data/boards.ts'
import { prepareHolders, someAddresses } from '../data/holders.ts'
import { interleave, median, ratios, WARM_UP } from '../harness/rounds.ts'
import type { BenchContext, Figure } from '../harness/row.ts'
import { postgresClock } from '../processes/postgres-time.ts'
import { startReference } from '../processes/reference.ts'
import { benchToken, startService } from '../processes/service.ts'
import { statementsOfService } from '../references/statements.ts'
import { eligibleRequests, type FirstTime, pageRequests, placesOnBoard } from './first-time.ts'
import { type Load, type LoadGenerator, type LoadTarget, startLoadGenerator } from './load.ts'

export const CONNECTIONS = 32

/** The requests: for every round and side, requests that were not sent before. */
export interface Question {
  /** What one answer is called in a unit. */
  one: 'page' | 'look-up' | 'rank'
  count: number
  requests: () => Promise<FirstTime>
  /** Which of the answers are looked at before anything is measured, the last being -1; left out, the first. */
  checked?: readonly number[]
}

/** A reference: its file in references/, its path, and the form of its requests. */
export interface Peer {
  /** What it is called in the figures. */
  name: string
  file: string
  path: string
  takes: Exclude<keyof FirstTime, 'service'>
  /** The start options of a peer with a separate database, in place of the service's statements. */
  own?: { options: unknown; clock: Clock }
}

/** Seconds of processor time that a database has used so far. */
type Clock = () => number

export const BY_HAND: Peer = { name: 'by hand', file: 'by-hand', path: '/', takes: 'byHand' }

/** Pages of 50 at places all over the board of 1,000,000; every question has new cursors. */
export async function newPages(database: BenchDatabase, context: BenchContext, most: number): Promise<Question> {
  await prepareBoards(database, context, ['middle'])
  const board = { spaceId: SPACES.middle, members: context.sizes.middle }
  const places = await placesOnBoard(database, board.spaceId, context.quick ? Math.min(most, 2_000) : most)
  const requests = () => pageRequests(database, board, places)
  return { one: 'page', count: places.length, requests }
}

/** Whether addresses, of which half are holders, hold the credential of 10,000,000; other addresses every time. */
export async function newLookups(database: BenchDatabase, context: BenchContext, most: number): Promise<Question> {
  await prepareHolders(database, context)
  const count = context.quick ? Math.min(most, 4_000) : most
  const requests = async () => eligibleRequests(await someAddresses(database, context.sizes.holders, count))
  return { one: 'look-up', count, requests }
}

export interface Compared {
  one: Question['one']
  /** The service's answers a second in those of each peer, in the order of the peers: of each round, and their medians. */
  ratios: number[][]
  values: number[]
  figures: Figure[]
}

interface Side {
  name: string
  target: LoadTarget
  takes: keyof FirstTime
  clock?: Clock | undefined
}

/** The result of a round. `database` is the processor time of a request in microseconds, if it was measured. */
type Round = Load & { database: number }

/**
 * Starts the service and the peers and sends requests to all of them, one after the other, round after round. The first
 * rounds warm up and do not count. `check` sees responses of every side before the measurement. If peers have separate
 * databases, the result includes the processor time of the databases.
 */
export async function compareFirstTime(
  database: BenchDatabase,
  rounds: number,
  peers: readonly Peer[],
  questions: readonly Question[],
  check: (answers: ReadonlyMap<string, unknown>) => void = () => {},
): Promise<Compared[]> {
  const token = await benchToken(database)
  const service = await startService(database)
  const stops = [() => service.stop()]
  const sides: Side[] = [
    {
      name: 'the service',
      target: { url: `${service.url}/query`, pid: service.pid, headers: { 'access-token': token } },
      takes: 'service',
      clock: peers.some(({ own }) => own) ? await postgresClock(database) : undefined,
    },
  ]
  const generator = startLoadGenerator()
  stops.push(() => generator.close())
  try {
    const options = { connection: database.connection, statements: statementsOfService() }
    for (const { name, file, path, takes, own } of peers) {
      const reference = await startReference(file, own?.options ?? options)
      stops.push(() => reference.stop())
      sides.push({ name, target: { url: `${reference.url}${path}`, pid: reference.pid }, takes, clock: own?.clock })
    }
    const compared: Compared[] = []
    for (const question of questions) {
      const sample = await question.requests()
      for (const at of question.checked ?? [0]) {
        const asked = sides.map(({ target, takes }) => ask(target, sample[takes].at(at)))
        const answers = await Promise.all(asked)
        check(new Map(sides.map(({ name }, side) => [name, answers[side]])))
      }
      compared.push(await askInRounds(generator, sides, question, rounds))
    }
    return compared
  } finally {
    for (const stop of stops.toReversed()) await stop()
  }
}

async function askInRounds(
  generator: LoadGenerator,
  sides: readonly Side[],
  { one, requests }: Question,
  rounds: number,
): Promise<Compared> {
  const runs = sides.map(({ name, target, takes, clock }): [string, () => Promise<Round>] => [
    name,
    async () => {
      const bodies = (await requests())[takes]
      const before = clock?.() ?? NaN
      const load = await generator.run(target, { bodies, once: true, connections: CONNECTIONS })
      return { ...load, database: (((clock?.() ?? NaN) - before) * 1e6) / load.requests }
    },
  ])
  const measured = await interleave(WARM_UP + rounds, Object.fromEntries(runs))
  const of = ({ name }: Side, what: 'perSecond' | 'cpu' | 'database') =>
    (measured[name] ?? []).slice(WARM_UP).map((round) => round[what])
  const [service, ...peers] = sides as [Side, ...Side[]]
  const inTheirs = peers.map((peer) => ratios(of(service, 'perSecond'), of(peer, 'perSecond')))
  return {
    one,
    ratios: inTheirs,
    values: inTheirs.map(median),
    figures: [
      ...sides.map((side) => ({ side: side.name, unit: `${one}s/s`, rounds: of(side, 'perSecond') })),
      ...sides.map((side) => ({
        side: `${side.name}, processor time`,
        unit: `µs/${one}`,
        rounds: of(side, 'cpu'),
      })),
      ...sides
        .filter(({ clock }) => clock)
        .map((side) => ({
          side: `${side.name}, processor time of its database`,
          unit: `µs/${one}`,
          rounds: of(side, 'database'),
        })),
    ],
  }
}

/** @throws when the answer is not 200 or has errors */
export async function ask({ url, headers = {} }: LoadTarget, body = ''): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const text = await response.text()
  const answer = JSON.parse(text) as { data?: unknown; errors?: unknown }
  if (response.status !== 200 || answer.errors || !answer.data)
    throw new Error(`${url} answered ${response.status} ${text.slice(0, 1000)}`)
  return answer.data
}
