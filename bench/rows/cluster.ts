import { randomInt } from 'node:crypto'
import { createOnEveryNode, withClient } from '../../server/test/support/nodes.ts'
import { startCitusNodes } from '../../server/test/support/citus-nodes.ts'
import { systemClock } from '../../server/src/clock.ts'
import { openDatabase } from '../../server/src/database/connection.ts'
import { migrate } from '../../server/src/database/migrate.ts'
import { distribute, readPlan } from '../../server/src/distribution/distribute.ts'
import { readAtOwners } from '../../server/src/distribution/read-at-owners.ts'
import { isOnList } from '../../server/src/features/holders.queries.ts'
import { readMembers } from '../../server/src/features/space/member-rank.queries.ts'
import { readFirstPage } from '../../server/src/features/space/space.queries.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { silentLog } from '../../server/src/logging/log.ts'
import { applyEvents } from '../../server/src/ranking/awards.ts'
import { beginAwards } from '../../server/src/ranking/awards.queries.ts'
import { interleave, WARM_UP } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'

const WORKERS = 2
const SPACES = 16
const MEMBERS = 2_000
const HOLDERS = 20_000
const CREDENTIAL = '7'
const READERS = 32
const WRITERS = 8
/** Awards in a transaction, by kind of work. */
const AWARDS = { award: 10, batch: 200 }
const LOCK_WAIT_MS = 10_000
const DURABLE = 'fsync = on\nsynchronous_commit = on\nfull_page_writes = on\n'

const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

export const row: Row = {
  name: 'S18',
  title: 'a Citus cluster beside one server',
  measures: [],
  ownServer: true,
  async run({ quick, rounds }) {
    const bin = process.env['TEST_CITUS_BIN']
    if (bin === undefined) throw new Error('TEST_CITUS_BIN does not name the programs of a PostgreSQL with Citus')
    const seconds = quick ? 1 : 4
    const one = await startSide(bin, 0)
    const cluster = await startSide(bin, WORKERS)
    try {
      const figures = []
      for (const work of ['import', 'page', 'rank', 'lookUp', 'award', 'batch'] as const) {
        const measured = await interleave(WARM_UP + rounds, {
          'one server': () => one.run(work, seconds),
          cluster: () => cluster.run(work, seconds),
        })
        for (const [side, found] of Object.entries(measured))
          figures.push({ side: `${TITLES[work]}, ${side}`, unit: '/s', rounds: found.slice(WARM_UP) })
      }
      return {
        values: [],
        figures,
        notes: [
          `${1 + WORKERS} nodes of one machine, beside one server of the same programs and settings; both commit durably. The functions of the service without HTTP: ${READERS} readers at a time, ${WRITERS} writers with ${AWARDS.award} or ${AWARDS.batch} awards a transaction, ${SPACES} boards, and imports of ${SPACES * MEMBERS} members.`,
        ],
      }
    } finally {
      await one.stop()
      await cluster.stop()
    }
  },
}

const TITLES = {
  import: 'rows of an import',
  page: 'pages of 50',
  rank: 'ranks of one member',
  lookUp: 'look-ups',
  award: `awards, ${AWARDS.award} in a transaction`,
  batch: `awards, ${AWARDS.batch} in a transaction`,
}

interface Side {
  /** @returns how many a second */
  run(work: keyof typeof TITLES, seconds: number): Promise<number>
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
  const award = (length: number) =>
    database.kysely.transaction().execute(async (trx) => {
      await beginAwards(trx, LOCK_WAIT_MS)
      const events = Array.from({ length }, () => ({
        key: `s18-${keys++}`,
        sprintId: 0,
        address: addressOf(randomInt(MEMBERS)),
        points: 1,
      }))
      return applyEvents(trx, spaceId(), events, systemClock)
    })
  const works = {
    page: () => readFirstPage(source, spaceId(), 0, 50),
    rank: () => readMembers(reader, spaceId(), 0, [addressOf(randomInt(MEMBERS))]),
    lookUp: () => {
      const address = addressOf(randomInt(2 * HOLDERS))
      return isOnList(reader, { credentialId: CREDENTIAL, holder: address, member: address, kind: 'EVMAddress' })
    },
    award: () => award(AWARDS.award),
    batch: () => award(AWARDS.batch),
  }
  return {
    async run(work, seconds) {
      if (work === 'import') return importing()
      const until = performance.now() + seconds * 1_000
      let done = 0
      const repeat = async () => {
        while (performance.now() < until) {
          await works[work]()
          done++
        }
      }
      const awards = work === 'award' || work === 'batch' ? AWARDS[work] : undefined
      await Promise.all(Array.from({ length: awards ? WRITERS : READERS }, repeat))
      return (done * (awards ?? 1)) / seconds
    },
    async stop() {
      await owners.close()
      await database.close()
      await nodes.stop()
    },
  }
}
