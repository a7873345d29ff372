import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../../../src/database/connection.ts'
import { readAtOwners } from '../../../src/distribution/read-at-owners.ts'
import { undoImportsJob } from '../../../src/ingest-uploads/undo.ts'
import { type Job, startJobs } from '../../../src/jobs/jobs.ts'
import { silentLog } from '../../../src/logging/log.ts'
import { scheduleJobs } from '../../../src/schedule/schedule.ts'
import { snapshotJob } from '../../../src/snapshots/job.ts'
import { requestSnapshot } from '../../../src/snapshots/snapshots.ts'
import { bansFixture } from '../../bans/arrange.ts'
import { send } from '../../ingest-api/arrange.ts'
import { noNote } from '../../snapshots/arrange.ts'
import { type CitusNodes, startCitusNodes } from '../../support/citus-nodes.ts'
import { isCluster, type TestDatabase } from '../../support/database.ts'
import { portsOf, preparedTransactions } from '../../support/nodes.ts'
import { freePort } from '../../support/oauth-service.ts'
import { type ServiceProcess, startProcess, temporaryDataDir } from '../../support/process.ts'
import {
  addressOf,
  ANSWERS_WHILE_HUNG,
  distributedDatabase,
  FAILED,
  flows,
  MEMBERS,
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

  /** The connections of background work. Those that wait for a node are closed after a second. */
  async function openBackground(poolSize: number) {
    const opened = openDatabase({ connection: database.connection, readConnections: 1, poolSize, log: silentLog })
    let closed = 0
    const endWaiting: Database['endWaiting'] = (...limits) => {
      const count = opened.endWaiting(...limits)
      closed += count
      return count
    }
    const owners = await readAtOwners({
      database: { ...opened, endWaiting },
      nodeUrls: new Map(),
      readConnections: 1,
      maxWait: 1_000,
      log: silentLog,
    })
    const background: Database = { ...opened, reachAll: owners.reader.reachAll }
    const close = async () => {
      await owners.close()
      await opened.close()
    }
    return { background, owners, closed: () => closed, close }
  }

  const stateOf = async (table: 'bans' | 'imports' | 'snapshots', id: string) => {
    const state = { bans: 'ended_at IS NOT NULL', imports: `undo ->> 'endedAt' IS NOT NULL`, snapshots: 'state' }[table]
    const key = { bans: 'ban_id', imports: 'import_id', snapshots: 'snapshot_id' }[table]
    const [row] = await database.query<{ state: unknown }>(`SELECT ${state} AS state FROM ${table} WHERE ${key} = $1`, [
      id,
    ])
    return row?.state
  }

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

  /** An instance with an empty folder for its data. */
  async function withInstance(work: (start: () => Promise<ServiceProcess>, port: number) => Promise<void>) {
    const { dataDir, remove } = await temporaryDataDir()
    const { user, host, port } = cluster.nodes[0] ?? {}
    const DATABASE_URL = `postgres://${user}@${host}:${port}/${database.connection.database}`
    const own = await freePort()
    let starting: Promise<ServiceProcess> | undefined
    const settings = { DATABASE_URL, PORT: String(own), QUESTBOARD_DEMO: 'false' }
    try {
      await work(() => (starting = startProcess(dataDir, settings)), own)
    } finally {
      await starting?.then((instance) => instance.kill())
      await remove()
    }
  }

  test('do not prevent the start of an instance', () =>
    withInstance(async (start, port) => {
      await cluster.freeze(1)
      const starting = start()
      const statusOf = () => fetch(`http://localhost:${port}/readyz`).then(({ status }) => status)
      // Shorter than MAX_WAIT_FOR_NODE, after which statements that wait for the node end.
      await vi.waitFor(async () => expect(await statusOf()).toBe(200), { timeout: 25_000, interval: 100 })
      const { logged, firstOperator } = await starting
      expect(firstOperator).toBeUndefined()
      const warning = 'the operators could not be read, so no invitation is printed'
      await vi.waitFor(() => expect(logged()).toContain(warning), PATIENCE)
    }))

  test('do not prevent the stop of an instance whose background work waits for them', () =>
    withInstance(async (start) => {
      /** The process gives each of its sets of connections a name. */
      const connections = () =>
        database.query<{ owner: string; waits: boolean }>(
          `SELECT split_part(application_name, ' ', 2) AS owner,
             state = 'active' AND query_start < now() - interval '2 seconds' AS waits
           FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'questboard %'`,
        )
      const others = new Set((await connections()).map(({ owner }) => owner))
      const instance = await start()
      const own = new Set((await connections()).map(({ owner }) => owner).filter((owner) => !others.has(owner)))
      await cluster.freeze(1)
      const waiting = async () => (await connections()).filter(({ owner, waits }) => waits && own.has(owner))
      await vi.waitFor(async () => expect(await waiting()).not.toEqual([]), PATIENCE)
      // If it does not stop in order, it exits with 1.
      expect(await instance.interrupt()).toBe(0)
    }))

  test('stop the background work that asks all nodes, without its connections, and no other', async () => {
    // The connections that a process closes while a node hangs.
    const poolSize = 8
    const { background, owners, close } = await openBackground(poolSize)
    const begun = { all: 0, coordinator: 0 }
    const ended = { all: 0, coordinator: 0 }
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
        await background.pool.query(text).finally(() => ended[name]++)
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
      await vi.waitFor(() => expect(ended.all).toBe(before), PATIENCE)
      await vi.waitFor(() => expect(checks).toBeGreaterThan(checked + poolSize), PATIENCE)
      expect(begun.all).toBe(before)
      await cluster.thaw(1)
      await more('all')
    } finally {
      await cluster.thaw(1)
      await jobs.stop()
      await close()
    }
  })

  test('free connections also if a second one hangs before the first one responds', async () => {
    /** The connections that a process closes for one node. */
    const limit = 8
    const { background, owners, closed, close } = await openBackground(limit + 1)
    const hanging = () => owners.states().filter(({ inUse }) => !inUse)
    try {
      await cluster.freeze(1)
      await vi.waitFor(() => expect(hanging()).toHaveLength(1), PATIENCE)
      const waiting = Array.from({ length: limit + 1 }, () =>
        background.pool.query('SELECT sum(points) FROM board_entries').catch(() => {}),
      )
      await vi.waitFor(() => expect(closed()).toBe(limit), PATIENCE)
      await cluster.freeze(2)
      await vi.waitFor(() => expect(hanging()).toHaveLength(2), PATIENCE)
      // Before the first one responds: the last statement can then end, because the second one did its part before.
      await vi.waitFor(() => expect(closed()).toBe(limit + 1), PATIENCE)
      await cluster.thaw(1)
      await vi.waitFor(() => expect(hanging()).toHaveLength(1), PATIENCE)
      await Promise.all(waiting)
    } finally {
      for (const node of [1, 2]) await cluster.thaw(node)
      await close()
    }
  })

  /** Requests a snapshot of a board on the first worker. */
  async function requestOfFirst(): Promise<string> {
    const spaceId = first?.[0]?.spaceId
    const { id } = await requestSnapshot(boards.service.deps, { spaceId, isPublic: false }, { note: noNote })
    return id
  }

  test('do not make a snapshot fail, which is sealed after they respond', async () => {
    const { background, owners, close } = await openBackground(10)
    const job = snapshotJob({ ...boards.service.deps, database: background })
    const { clock } = boards.service.deps
    const agreedNow = async () => clock.now()
    const run = () => job.run({ now: clock.now(), agreedNow, signal: new AbortController().signal })
    try {
      const id = await requestOfFirst()
      await cluster.freeze(1)
      await vi.waitFor(() => expect(owners.reader.reachAll).toThrow(), PATIENCE)
      // More than the interruptions after which it fails.
      for (let n = 0; n < 4; n++) await expect(run()).rejects.toThrow('does not respond')
      expect(await stateOf('snapshots', id)).toBe('waiting')
      await cluster.thaw(1)
      await vi.waitFor(async () => {
        await run()
        expect(await stateOf('snapshots', id)).toBe('sealed')
      }, PATIENCE)
    } finally {
      await cluster.thaw(1)
      await close()
    }
  })

  test('delay snapshots, ends of bans and undone imports, which then use no connection', async () => {
    const { background, owners, closed, close } = await openBackground(10)
    const deps = { ...boards.service.deps, database: background }
    const pauses = { starboardRefreshInterval: 1_000, auditRetention: 86_400_000 }
    let others = 0
    const other: Job = { name: 'other work', run: async () => (others++, 100) }
    const due = [
      ...scheduleJobs({ ...deps, ...pauses }).filter(({ name }) => name === 'bans'),
      undoImportsJob(deps),
      snapshotJob(deps),
    ]
    const endsAt = new Date(deps.clock.now() + 1_000).toISOString()
    const ban = await bansFixture({ deps, database }).ban({ address: addressOf(MEMBERS + runs) }, { endsAt })
    boards.service.clock.advance(1_000)
    const undo = { at: endsAt, endedAt: null, reversed: 0, before: 0, refused: 0, spaces: 0, after: null }
    const [undone] = await database.query<{ id: string }>(
      `INSERT INTO imports (import_id, account_id, file_name, replaces, state, created_at, touched_at, ended_at, space_ids, undo)
       VALUES (gen_random_uuid(), gen_random_uuid(), 'points.csv', false, 'stored', now(), now(), now(), $1, $2)
       RETURNING import_id AS id`,
      [[first?.[0]?.spaceId], JSON.stringify(undo)],
    )
    const snapshot = await requestOfFirst()
    await cluster.freeze(1)
    await vi.waitFor(() => expect(owners.reader.reachAll).toThrow(), PATIENCE)
    const jobs = startJobs(deps, [...due, other])
    try {
      // They would have waited for the node long enough to be closed.
      await vi.waitFor(() => expect(others).toBeGreaterThan(50), PATIENCE)
      expect(closed()).toBe(0)
      await cluster.thaw(1)
      await vi.waitFor(async () => {
        expect(await stateOf('bans', ban.id)).toBe(true)
        expect(await stateOf('imports', undone?.id ?? '')).toBe(true)
        expect(await stateOf('snapshots', snapshot)).toBe('sealed')
      }, PATIENCE)
    } finally {
      await cluster.thaw(1)
      await jobs.stop()
      await close()
    }
  })
})
