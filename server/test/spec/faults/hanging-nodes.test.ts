import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openDatabase } from '../../../src/database/connection.ts'
import { readAtOwners } from '../../../src/distribution/read-at-owners.ts'
import { type Job, startJobs } from '../../../src/jobs/jobs.ts'
import { silentLog } from '../../../src/logging/log.ts'
import { send } from '../../ingest-api/arrange.ts'
import { type CitusNodes, startCitusNodes } from '../../support/citus-nodes.ts'
import { isCluster, type TestDatabase } from '../../support/database.ts'
import { portsOf, preparedTransactions } from '../../support/nodes.ts'
import { startProcess, temporaryDataDir } from '../../support/process.ts'
import {
  addressOf,
  ANSWERS_WHILE_HUNG,
  distributedDatabase,
  FAILED,
  flows,
  PATIENCE,
  refuses,
  type ServiceWithBoards,
  serviceWithBoards,
  startTraffic,
  type Traffic,
} from './node-traffic.ts'

const bin = process.env.TEST_CITUS_BIN ?? ''
const WORKERS = 3
const SPACES = Array.from({ length: 12 }, (_, n) => n + 1)
const SETTINGS = 'synchronous_commit = on\ncitus.recover_2pc_interval = 1s\n'

describe.skipIf(!isCluster() || bin === '')('workers that hang', () => {
  let cluster: CitusNodes
  let database: TestDatabase
  let boards: ServiceWithBoards
  let all: Traffic[]
  /** The traffic of the spaces on each worker. */
  let [first, second, other]: Traffic[][] = []
  let runs = 0

  beforeAll(async () => {
    cluster = await startCitusNodes({ bin, workers: WORKERS, settings: SETTINGS })
    database = await distributedDatabase(cluster, 'hanging')
    boards = await serviceWithBoards(database, SPACES)
  })
  afterAll(async () => {
    await boards?.service.stop()
    await database?.drop()
    await cluster?.stop()
  })
  beforeEach(async () => {
    const run = `run-${++runs}`
    const ports = await portsOf(database.pool, SPACES)
    all = SPACES.map((spaceId) => startTraffic(boards, spaceId, run))
    ;[first, second, other] = [1, 2, 3].map((node) =>
      all.filter(({ spaceId }) => ports.get(spaceId) === cluster.nodes[node]?.port),
    )
    expect([first, second, other].map((some) => some?.length)).not.toContain(0)
    await flows(all)
  })
  afterEach(async () => {
    for (const node of [1, 2]) await cluster.thaw(node)
    await Promise.all(all.map((one) => one.stop()))
  })

  /** If these awards wait for the node, the test takes too long. */
  async function refusesAwards(spaceId: number | undefined): Promise<void> {
    for (let n = 0; n < ANSWERS_WHILE_HUNG; n++) {
      const items = [{ key: `hung-${runs}-${n}`, spaceId, address: addressOf(n), points: 1 }]
      expect((await send(boards.service, 'awards', items, { token: boards.writer })).status).toBe(503)
    }
  }

  test.each([
    { name: 'two at the same time, the first one recovers first', together: true, order: [1, 2] },
    { name: 'two at the same time, the second one recovers first', together: true, order: [2, 1] },
    { name: 'two one after the other, the first one recovers first', together: false, order: [1, 2] },
    { name: 'two one after the other, the second one recovers first', together: false, order: [2, 1] },
  ])('$name: fail only requests for their rows', async ({ together, order }) => {
    const on = new Map([
      [1, first ?? []],
      [2, second ?? []],
    ])
    await cluster.freeze(1)
    if (!together) await refuses(on.get(1) ?? [])
    await cluster.freeze(2)
    await Promise.all([refuses(on.get(1) ?? []), refuses(on.get(2) ?? []), flows(other ?? [])])
    await flows(other ?? [])
    for (const some of [first, second]) await refusesAwards(some?.[0]?.spaceId)

    const [earlier = 0, later = 0] = order
    await cluster.thaw(earlier)
    await Promise.all([flows(on.get(earlier) ?? []), refuses(on.get(later) ?? []), flows(other ?? [])])
    await cluster.thaw(later)
    await flows(all)

    for (const { spaceId, answers } of other ?? [])
      expect(new Set(answers), `space ${spaceId}`).toEqual(new Set(['read']))
    for (const { answers } of all)
      expect(answers.filter((answer) => answer !== 'read' && !FAILED.test(answer))).toEqual([])
    await vi.waitFor(async () => expect(await preparedTransactions(cluster.nodes, 'hanging')).toEqual([]), PATIENCE)
  })

  test('do not prevent the start of an instance', async () => {
    const { dataDir, remove } = await temporaryDataDir()
    const { user, host, port } = cluster.nodes[0] ?? {}
    const DATABASE_URL = `postgres://${user}@${host}:${port}/${database.connection.database}`
    await cluster.freeze(1)
    const instance = await startProcess(dataDir, { DATABASE_URL, QUESTBOARD_DEMO: 'false' })
    try {
      expect((await fetch(`${instance.url}/readyz`)).status).toBe(200)
    } finally {
      await instance.kill()
      await remove()
    }
  })

  test('stop the background work that asks all nodes, without its connections, and no other', async () => {
    const poolSize = 10
    const background = openDatabase({ connection: database.connection, readConnections: 1, poolSize, log: silentLog })
    const owners = await readAtOwners({
      database: background,
      nodeUrls: new Map(),
      readConnections: 1,
      maxWait: 1_000,
      log: silentLog,
    })
    const begun = { all: 0, coordinator: 0 }
    const runs = { all: 0, coordinator: 0 }
    let checks = 0
    const reachAll = () => {
      checks++
      owners.reader.reachAll()
    }
    const job = (name: keyof typeof runs, text: string): Job => ({
      name,
      asksAllNodes: name === 'all',
      async run() {
        begun[name]++
        await background.pool.query(text)
        runs[name]++
        return 1
      },
    })
    const jobs = startJobs({ ...boards.service.deps, database: { ...background, reachAll } }, [
      ...Array.from({ length: poolSize }, () => job('all', 'SELECT sum(points) FROM board_entries')),
      job('coordinator', 'SELECT FROM scheduled_tasks'),
    ])
    const more = (name: keyof typeof runs) => {
      const before = runs[name]
      return vi.waitFor(() => expect(runs[name]).toBeGreaterThan(before + poolSize), PATIENCE)
    }
    try {
      await more('all')
      await cluster.freeze(1)
      await vi.waitFor(() => expect(owners.reader.reachAll).toThrow(), PATIENCE)
      const [before, checked] = [begun.all, checks]
      await more('coordinator')
      // The work that has begun ends, too, and is not repeated.
      await vi.waitFor(() => expect(checks).toBeGreaterThan(checked + poolSize), PATIENCE)
      expect(begun.all).toBe(before)
      await cluster.thaw(1)
      await more('all')
    } finally {
      await cluster.thaw(1)
      await jobs.stop()
      await owners.close()
      await background.close()
    }
  })
})
