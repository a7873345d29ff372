import { randomInt } from 'node:crypto'
import { createOnEveryNode, withClient } from '../../server/test/support/nodes.ts'
import { DURABLE, startCitusNodes } from '../../server/test/support/citus-nodes.ts'
import { systemClock } from '../../server/src/clock.ts'
import { openDatabase } from '../../server/src/database/connection.ts'
import { migrate } from '../../server/src/database/migrate.ts'
import { distribute, readPlan } from '../../server/src/distribution/distribute.ts'
import { readAtOwners } from '../../server/src/distribution/read-at-owners.ts'
import { isOnList } from '../../server/src/resolvers/holders.queries.ts'
import { readMembers } from '../../server/src/resolvers/space/member-rank.queries.ts'
import { readFirstPage } from '../../server/src/resolvers/space/space.queries.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { silentLog } from '../../server/src/logging/log.ts'
import { createAwardQueue } from '../../server/src/ingest-api/award-queue.ts'
import { applyEvents } from '../../server/src/ranking/awards.ts'
import { beginAwards } from '../../server/src/ranking/awards.queries.ts'
import { spaceResponds } from '../../server/src/ranking/boards.queries.ts'
import { interleave, median, ratios, WARM_UP } from '../harness/rounds.ts'
import type { Figure, Row } from '../harness/row.ts'
import { drawn } from '../load/points.ts'
import { citusPrograms } from '../processes/citus.ts'
import { citusVersion } from '../processes/server-versions.ts'

const WORKERS = 2
const SPACES = 64
const MEMBERS = 500
const HOLDERS = 20_000
const CREDENTIAL = '7'
/** Readers at a time; the ranks and look-ups have the last number. */
const READERS = [1, 4, 16, 32]
const MOST_READERS = 32
const WRITERS = 8
const AWARDS_OF_TRANSACTION = [1, 10, 50, 200, 1_000]
/** Requests that wait for the queue of awards at a time, and the awards of each. */
const SENDERS = 64
const AWARDS_OF_REQUEST = 250
const LOCK_WAIT_MS = 10_000

const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

export const row: Row = {
  name: 'S18',
  title: 'a Citus cluster beside one server',
  measures: [
    { title: 'pages/s of the cluster in those of one server', bound: '>=', limit: 0.7 },
    { title: 'look-ups/s of the cluster in those of one server', bound: '>=', limit: 0.7 },
    {
      title: `awards/s of the cluster in those of one server, in requests of ${AWARDS_OF_REQUEST}`,
      bound: '>=',
      limit: 0.8,
    },
    { title: "rows/s of the cluster's imports in those of one server", bound: '>=', limit: 0.5 },
  ],
  ownServer: citusVersion,
  async run({ quick, rounds }) {
    const bin = citusPrograms()
    const seconds = quick ? 1 : 3
    const one = await startSide(bin, 0)
    const cluster = await startSide(bin, WORKERS)
    try {
      const figures: Figure[] = []
      const ratiosOf = new Map<Work, number>()
      for (const work of WORKS) {
        const measured = await interleave(WARM_UP + rounds, {
          'one server': () => one.run(work, seconds),
          'three nodes': () => cluster.run(work, seconds),
        })
        ratiosOf.set(work, median(ratios(measured['three nodes'], measured['one server']).slice(WARM_UP)))
        for (const [side, found] of Object.entries(measured))
          figures.push({ side: `${titleOf(work)}, ${side}`, unit: '/s', rounds: found.slice(WARM_UP) })
      }
      const curvesOf = (works: readonly Work[]) =>
        SIDES.map((name) => ({
          name,
          points: works.map((work) => figures.find(({ side }) => side === `${titleOf(work)}, ${name}`)?.rounds ?? []),
        }))
      const note = `${1 + WORKERS} nodes beside one server on the same cores, without HTTP; ${SPACES} boards; ${WRITERS} writers at a time; medians and ranges of ${rounds} rounds.`
      const picture = {
        title: 'One server and a cluster of three nodes on the same cores',
        across: 'readers at a time',
        at: READERS,
        panels: [
          { title: 'Pages a second', curves: curvesOf(PAGES) },
          {
            title: 'Awards a second',
            curves: curvesOf(AWARDS),
            across: 'awards in a transaction',
            at: AWARDS_OF_TRANSACTION,
          },
        ],
        note,
      }
      return drawn({ quick }, 'cluster.svg', picture, {
        values: [PAGES.at(-1), LOOK_UPS, REQUESTS, IMPORT].map((work) => ratiosOf.get(work as Work) ?? NaN),
        figures,
        notes: [
          `${1 + WORKERS} nodes of one machine, beside one server of the same programs and settings; both commit durably. The functions of the service without HTTP: ${MOST_READERS} readers of ranks and look-ups at a time, ${WRITERS} writers, ${SENDERS} senders of requests to the queue of awards, ${SPACES} boards, and imports of ${SPACES * MEMBERS} members.`,
        ],
      })
    } finally {
      await one.stop()
      await cluster.stop()
    }
  },
}

/** One kind of work, with how many readers there are at a time, or how many awards each transaction has. */
type Work =
  | { kind: 'import' }
  | { kind: 'requests' }
  | { kind: 'page' | 'rank' | 'lookUp'; readers: number }
  | { kind: 'award'; awards: number }

const SIDES = ['one server', 'three nodes']
const IMPORT: Work = { kind: 'import' }
const LOOK_UPS: Work = { kind: 'lookUp', readers: MOST_READERS }
const REQUESTS: Work = { kind: 'requests' }
const PAGES = READERS.map((readers): Work => ({ kind: 'page', readers }))
const AWARDS = AWARDS_OF_TRANSACTION.map((awards): Work => ({ kind: 'award', awards }))
const WORKS: readonly Work[] = [
  IMPORT,
  ...PAGES,
  { kind: 'rank', readers: MOST_READERS },
  LOOK_UPS,
  ...AWARDS,
  REQUESTS,
]

function titleOf(work: Work): string {
  if (work.kind === 'import') return 'rows of an import'
  if (work.kind === 'requests') return `awards, in requests of ${AWARDS_OF_REQUEST}`
  if (work.kind === 'award') return `awards, ${work.awards} in a transaction`
  const what = { page: 'pages of 50', rank: 'ranks of one member', lookUp: 'look-ups' }[work.kind]
  return `${what}, ${work.readers} at a time`
}

interface Side {
  /** @returns how many a second */
  run(work: Work, seconds: number): Promise<number>
  stop(): Promise<void>
}

/** One server for no workers. */
async function startSide(bin: string, workers: number): Promise<Side> {
  const settings = workers === 0 ? `${DURABLE}shared_preload_libraries = ''\n` : DURABLE
  const nodes = await startCitusNodes({ bin, workers, settings })
  await createOnEveryNode(nodes.nodes, 'bench')
  const connection = { ...nodes.nodes[0], database: 'bench' }
  await withClient(connection, async (client) => {
    await migrate(client)
    if (workers > 0) await distribute(client, await readPlan(client), () => {})
  })
  const database = openDatabase({ connection, readConnections: 4, log: silentLog })
  const deps = { database, clock: systemClock }
  await importRecords(
    deps,
    'spaces',
    Array.from({ length: SPACES }, (_, n) => ({ spaceId: n + 1, name: `Space ${n + 1}` })),
  )
  await importRecords(deps, 'credentials', [
    { id: CREDENTIAL, name: 'Pass', credType: 'EVM_ADDRESS' as const, credSource: 'CSV' as const },
  ])
  await importRecords(
    deps,
    'holders',
    Array.from({ length: HOLDERS }, (_, n) => ({ credentialId: CREDENTIAL, address: addressOf(n) })),
  )
  let members = 0
  let keys = 0
  const importing = async () => {
    const rows = Array.from({ length: SPACES * MEMBERS }, (_, n) => ({
      spaceId: (n % SPACES) + 1,
      address: addressOf(members + Math.floor(n / SPACES)),
      points: randomInt(10_000),
    }))
    members += MEMBERS
    const from = performance.now()
    await importRecords(deps, 'points', rows)
    return rows.length / ((performance.now() - from) / 1_000)
  }
  const owners = await readAtOwners({ database, nodeUrls: new Map(), readConnections: 4, log: silentLog })
  const { reader } = owners
  const source = { reader, newestBoards: new Map() }
  const spaceId = () => randomInt(SPACES) + 1
  const events = (length: number) =>
    Array.from({ length }, () => ({
      key: `s18-${keys++}`,
      sprintId: 0,
      address: addressOf(randomInt(MEMBERS)),
      points: 1,
    }))
  const award = (length: number) => {
    const space = spaceId()
    const owner = reader.owner(spaceResponds, [space])
    return (owner ?? database).kysely.transaction().execute(async (trx) => {
      await beginAwards(trx, LOCK_WAIT_MS)
      return applyEvents(trx, space, events(length), systemClock, { atOwner: owner !== undefined })
    })
  }
  const queue = createAwardQueue(
    { ...deps, database: { ...database, ...reader }, log: silentLog },
    { maxPerSender: Infinity },
  )
  const request = () => queue.submit('bench', new Map([[spaceId(), events(AWARDS_OF_REQUEST)]]))
  const reads = {
    page: () => readFirstPage(source, spaceId(), 0, 50),
    rank: () => readMembers(reader, spaceId(), 0, [addressOf(randomInt(MEMBERS))]),
    lookUp: () => {
      const address = addressOf(randomInt(2 * HOLDERS))
      return isOnList(reader, { credentialId: CREDENTIAL, holder: address, member: address, kind: 'EVMAddress' })
    },
  }
  /** How many clients do the work at a time, how much they do at once, and how they do it. */
  const loadOf = (work: Exclude<Work, { kind: 'import' }>): [number, number, () => Promise<unknown>] => {
    if (work.kind === 'requests') return [SENDERS, AWARDS_OF_REQUEST, request]
    if (work.kind === 'award') return [WRITERS, work.awards, () => award(work.awards)]
    return [work.readers, 1, reads[work.kind]]
  }
  return {
    async run(work, seconds) {
      if (work.kind === 'import') return importing()
      // As autovacuum does in service, which comes once an hour to these servers.
      await database.pool.query('ANALYZE')
      const [atOnce, each, once] = loadOf(work)
      const until = performance.now() + seconds * 1_000
      let done = 0
      const repeat = async () => {
        while (performance.now() < until) {
          await once()
          done += each
        }
      }
      await Promise.all(Array.from({ length: atOnce }, repeat))
      return done / seconds
    },
    async stop() {
      await owners.close()
      await database.close()
      await nodes.stop()
    },
  }
}
