import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { ingestToken } from '../data/ingest-token.ts'
import { sendUntilAcknowledged } from '../faults/award-senders.ts'
import type { BenchContext, Row } from '../harness/row.ts'
import type { QueryEndpoint } from '../load/board-pages.ts'
import { benchToken, type ServiceProcess, startService } from '../processes/service.ts'
import { AwardLog, type Given } from '../truth/award-log.ts'
import { disagreements, sampleRanks } from '../truth/rank-samples.ts'
import { readBackwards, readForwards } from '../truth/read-board.ts'
import { add, type Mistakes, mistakesOf, NO_MISTAKES } from '../truth/traversal.ts'

const SPACE = 40
const SPRINT = 1
const PACE = 1_100
const BATCH = 100
const MAX_BATCH = 2_000
const READERS = 4
const PAGE = 50

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const random = (below: number) => Math.floor(Math.random() * below)

export const row: Row = {
  name: 'T1',
  title: 'full traversals of a board of 20,000 while 1,000 awards a second land',
  measures: [
    { title: 'members skipped', bound: '<=', limit: 0 },
    { title: 'members repeated', bound: '<=', limit: 0 },
    { title: 'ranks inconsistent with points', bound: '<=', limit: 0 },
    { title: 'awards a second during the traversals', bound: '>=', limit: 1_000 },
    { title: 'answers with ranks of members that are not those of one board', bound: '<=', limit: 0 },
  ],
  async run(context) {
    const database = await context.fresh('t1')
    const members = context.quick ? 1_000 : 20_000
    const traversals = context.quick ? 10 : 100
    const boards = await fillBoards(database, members)
    const services = await twoServices(database)
    const writer = new AbortController()
    const writing = keepAwarding(services, await ingestToken(database), boards, members, writer.signal)
    const ranks = [undefined, SPRINT].map(async (sprintId) => {
      const log = sprintId === undefined ? boards.overall : boards.sprint
      const draw = () => address(random(2 * members))
      const samples = await sampleRanks(
        { endpoints: services.endpoints, spaceId: SPACE, sprintId, log, draw },
        writer.signal,
      )
      return { samples, log }
    })
    try {
      const read = await readAll(context, services, boards, traversals)
      writer.abort()
      const perSecond = await writing
      const sampled = await Promise.all(ranks)
      const { skipped, repeated, inconsistent } = read.map(({ mistakes }) => mistakes).reduce(add, NO_MISTAKES)
      const wrong = sampled.map(({ samples, log }) => disagreements(samples, log)).reduce((a, b) => a + b)
      return {
        values: [skipped, repeated, inconsistent, Math.round(perSecond), wrong],
        figures: [
          { side: 'members a traversal saw', unit: '', rounds: read.map(({ members: seen }) => seen) },
          { side: 'answers with ranks, of each board', unit: '', rounds: sampled.map(({ samples }) => samples.length) },
        ],
        notes: [
          'The answers with ranks are, in turn, the rank of one random member, of 20 in a batch, and the page of 10 around one; half of the addresses are not members at the start. Each is compared with every board that was current while it was read.',
          `${read.length} traversals, half of them forwards and half backwards, every third of the board of a sprint in which half of the awards count, ${READERS} at a time, pages of ${PAGE}, each page from either of two instances. After a third of them one instance was stopped and started, after two thirds the other was killed and started. ${boards.overall.acknowledged} batches of awards landed through POST /ingest/v1/awards; a traversal is compared member by member with the boards that were current while its first page was read.`,
        ],
      }
    } finally {
      writer.abort()
      await Promise.allSettled([writing, ...ranks]) // a failure has ended the row already
      await services.stop()
    }
  },
}

interface Boards {
  overall: AwardLog
  sprint: AwardLog
}

async function fillBoards(database: BenchDatabase, members: number): Promise<Boards> {
  const deps = { database, clock: systemClock }
  await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Space' }])
  await importRecords(deps, 'sprints', [{ spaceId: SPACE, sprintId: SPRINT }])
  const first = Array.from({ length: members }, (_, n): Given => ({ address: address(n), points: random(5_000) }))
  await importRecords(
    deps,
    'points',
    [undefined, SPRINT].flatMap((sprintId) => first.map((member) => ({ spaceId: SPACE, sprintId, ...member }))),
  )
  return { overall: new AwardLog(first), sprint: new AwardLog(first) }
}

interface Services {
  endpoints: () => QueryEndpoint[]
  restart: (which: 0 | 1, signal: NodeJS.Signals) => Promise<void>
  stop: () => Promise<void>
}

async function twoServices(database: BenchDatabase): Promise<Services> {
  const token = await benchToken(database)
  const start = () => startService(database, { pinned: false })
  const running: ServiceProcess[] = [await start(), await start()]
  return {
    endpoints: () => running.map(({ url }) => ({ url, token })),
    async restart(which, signal) {
      await running[which]?.stop(signal)
      running[which] = await start()
    },
    async stop() {
      await Promise.all(running.map((service) => service.stop()))
    },
  }
}

/**
 * Sends awards at the pace of the measure to either instance until it is stopped. A batch that was lost with an
 * instance is sent again. @returns the acknowledged awards per second
 */
async function keepAwarding(
  { endpoints }: Services,
  token: string,
  { overall, sprint }: Boards,
  members: number,
  stop: AbortSignal,
): Promise<number> {
  const started = performance.now()
  let [given, sent] = [0, 0]
  while (!stop.aborted) {
    // Slightly above the required pace. Larger batches make up for pauses of the machine.
    const due = Math.ceil(((performance.now() - started) / 1_000) * PACE) - given
    if (due < BATCH) {
      await sleep(((BATCH - due) / PACE) * 1_000)
      continue
    }
    // Members move across the whole board in both directions; one in fifty is new.
    const batch = Array.from({ length: Math.min(due, MAX_BATCH) }, () => ({
      address: address(random(50) === 0 ? members + random(members) : random(members)),
      points: random(10_001) - 5_000,
      sprintId: random(2) === 0 ? undefined : SPRINT,
    }))
    overall.send(batch)
    sprint.send(batch.filter(({ sprintId }) => sprintId !== undefined))
    const awards = batch.map((award) => ({ key: `t1-${sent++}`, spaceId: SPACE, ...award }))
    await sendUntilAcknowledged({ url: () => endpoints()[random(2)]?.url, token }, awards)
    overall.acknowledge()
    sprint.acknowledge()
    given += batch.length
  }
  return (given / (performance.now() - started)) * 1_000
}

interface Read {
  members: number
  mistakes: Mistakes
}

async function readAll({ say }: BenchContext, services: Services, boards: Boards, wanted: number): Promise<Read[]> {
  const read: Read[] = []
  let begun = 0
  let restarts: Promise<void> = Promise.resolve()
  const reader = async (): Promise<void> => {
    while (begun < wanted) {
      const number = begun++
      if (number === Math.floor(wanted / 3)) restarts = restarts.then(() => services.restart(0, 'SIGTERM'))
      if (number === Math.floor((2 * wanted) / 3)) restarts = restarts.then(() => services.restart(1, 'SIGKILL'))
      const board = number % 3 === 0 ? { log: boards.sprint, sprintId: SPRINT } : { log: boards.overall }
      const reading = { endpoints: services.endpoints, spaceId: SPACE, ...board }
      const traversal = await (number % 2 === 0 ? readForwards : readBackwards)(reading, PAGE)
      read.push({ members: traversal.list.length, mistakes: mistakesOf(traversal, board.log) })
      if (read.length % 10 === 0) say(`  ${read.length} of ${wanted} traversals`)
    }
  }
  await Promise.all(Array.from({ length: READERS }, reader))
  await restarts
  return read
}
