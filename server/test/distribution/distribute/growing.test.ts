import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { distribute, readPlan } from '../../../src/distribution/distribute.ts'
import { placements } from '../../../src/distribution/placements.ts'
import { ingestToken, send } from '../../ingest-api/arrange.ts'
import { blocksOf } from '../../spec/manual/blocks.ts'
import { ask } from '../../support/ask.ts'
import { type CitusNodes, startCitusNodes } from '../../support/citus-nodes.ts'
import { isCluster, type TestDatabase } from '../../support/database.ts'
import { members, startWorld, type World } from '../../support/fixture.ts'
import { maintain, withClient } from '../../support/nodes.ts'
import { databaseAt } from '../../support/postgres-tools.ts'
import { startService, type TestService } from '../../support/service.ts'

const bin = process.env.TEST_CITUS_BIN ?? ''
const LARGE = 40
const SMALL = 41
const FIRST = members[0]?.address ?? ''
/** Few shards, because each move takes seconds. */
const SETTINGS = `
citus.shard_count = 4
citus.background_task_queue_interval = 1s
`
const PAUSE_MS = 20
const LIMIT_MS = 900_000
const PATIENCE = { timeout: LIMIT_MS, interval: 200 }

// Executes the SQL commands of the page, with the nodes of the test in place of the nodes in the text.
describe.skipIf(!isCluster() || bin === '')('a cluster that grows as in docs/grow-a-cluster.md', () => {
  const [addNode = '', , watch = '', isolate = '', strategy = '', ...more] = blocksOf('docs/grow-a-cluster.md')
    .filter(({ language }) => language === 'sql')
    .map(({ text }) => text)
  let cluster: CitusNodes
  let database: TestDatabase
  let world: World
  let service: TestService
  let writer: string

  beforeAll(async () => {
    cluster = await startCitusNodes({ bin, workers: 4, settings: SETTINGS })
    await maintain(cluster.nodes, 'CREATE DATABASE growing')
    database = await databaseAt(`postgres://postgres@127.0.0.1:${cluster.nodes[0]?.port}/growing`)
    world = await startWorld({ database })
    writer = await ingestToken(world)
  })
  afterAll(async () => {
    await service?.stop()
    await database?.drop()
    await cluster?.stop()
  })

  const on = (node: number): ClientConfig => ({ ...cluster.nodes[node], database: 'growing' })
  const addressOf = (node: number) => `'${cluster.nodes[node]?.host}', ${cluster.nodes[node]?.port}`
  const extend = (node: number) => withClient(on(node), (client) => client.query('CREATE EXTENSION citus'))
  /** Executes commands of the page. */
  async function execute(text: string): Promise<void> {
    const commands = text.replaceAll(/'worker-(\d)', 5432/g, (_, worker: string) => addressOf(Number(worker)))
    await withClient(on(0), async (client) => {
      for (const command of commands.split(/;\n/).filter((one) => one.trim() !== '')) await client.query(command)
    })
  }

  const boardOf = (spaceId: number) =>
    ask<{ spaceLoyaltyPointsRanks: { totalCount: number; list: { points: number }[] } }>(
      service.url,
      `{ spaceLoyaltyPointsRanks(spaceId: ${spaceId}) { totalCount list { points address { address } } } }`,
      { token: world.personas.business },
    )
  const topOf = async (spaceId: number) => {
    const answer = await boardOf(spaceId)
    expect([answer.status, answer.errors]).toEqual([200, undefined])
    return answer.data.spaceLoyaltyPointsRanks
  }
  /** The number of rows of each table, and a sum over their contents. */
  const contents = async () => {
    const found: Record<string, unknown> = {}
    // The command writes its progress to `installation`.
    for (const table of Object.keys(placements).filter((one) => one !== 'installation'))
      [found[table]] = await database.query(
        `SELECT count(*)::int AS rows, sum(hashtext(t::text))::text AS sum FROM ${table} AS t`,
      )
    return found
  }
  const shardsAt = (node: number, table: string) =>
    database.query<{ low: string; high: string }>(
      `SELECT s.shardminvalue AS low, s.shardmaxvalue AS high
       FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n USING (groupid)
       WHERE s.logicalrelid = $1::regclass AND n.nodeport = $2`,
      [table, cluster.nodes[node]?.port],
    )
  const readsAt = (node: number) =>
    service.app.owners.states().find(({ name }) => name.endsWith(`:${cluster.nodes[node]?.port}`))?.answered ?? 0

  let stored = 0
  const points = () => (members[0]?.points ?? 0) + stored

  /** Awards to the first member of the large space, and reads of both boards, until stop(). */
  function startTraffic() {
    let stopping = false
    let rounds = 0
    const awarding = (async () => {
      for (; !stopping; await sleep(PAUSE_MS)) {
        const items = [{ key: `award-${stored}`, spaceId: LARGE, address: FIRST, points: 1 }]
        for (let status = 0; status !== 200;) ({ status } = await send(service, 'awards', items, { token: writer }))
        stored++
      }
    })()
    const reading = (async () => {
      for (; !stopping; await sleep(PAUSE_MS), rounds++) {
        const atLeast = points()
        const large = await topOf(LARGE)
        expect([large.totalCount, large.list.length]).toEqual([members.length, 50])
        expect(large.list[0]?.points).toBeGreaterThanOrEqual(atLeast)
        expect((await topOf(SMALL)).totalCount).toBe(1)
      }
    })()
    const both = Promise.all([awarding, reading])
    both.catch(() => (stopping = true)) // stop() reports the error
    return {
      rounds: () => rounds,
      async stop() {
        stopping = true
        await both
      },
    }
  }

  test('keeps each row when the tables of an installation are distributed', { timeout: LIMIT_MS }, async () => {
    await world.stop()
    const before = await contents()
    for (const node of [0, 1, 2]) await extend(node)
    await database.query(`SELECT citus_set_coordinator_host(${addressOf(0)})`)
    for (const node of [1, 2]) await database.query(`SELECT citus_add_node(${addressOf(node)})`)
    await withClient(on(0), async (client) => distribute(client, await readPlan(client), () => {}))
    expect(await contents()).toEqual(before)
    service = await startService({ database, clock: world.clock })
    expect((await topOf(LARGE)).list[0]?.points).toBe(points())
  })

  test('moves rows to new workers while awards and reads run', { timeout: LIMIT_MS }, async () => {
    expect(more).toEqual([])
    for (const node of [3, 4]) await extend(node)
    const traffic = startTraffic()
    try {
      // One rebalance for both sections of the page, because it takes long.
      await execute(addNode)
      await execute(addNode.replaceAll('worker-3', 'worker-4'))
      await execute(isolate)
      await execute(strategy)
      await vi.waitFor(async () => {
        const [job] = await database.query<{ state: string }>(watch)
        expect(job?.state, JSON.stringify(job)).toBe('finished')
      }, PATIENCE)
      const [awards, rounds] = [stored, traffic.rounds()]
      await vi.waitFor(() => {
        expect(stored).toBeGreaterThan(awards)
        expect(traffic.rounds()).toBeGreaterThan(rounds)
      }, PATIENCE)
    } finally {
      await traffic.stop()
    }
    expect((await topOf(LARGE)).list[0]?.points).toBe(points())
    const [{ entries } = { entries: 0 }] = await database.query<{ entries: number }>(
      `SELECT count(*)::int AS entries FROM ledger_entries WHERE space_id = $1 AND key LIKE 'award-%'`,
      [LARGE],
    )
    expect(entries).toBe(stored)
    // The nodes coordinated them, also on those that were added later.
    expect(service.app.owners.states().filter(({ committed }) => committed > 0).length).toBeGreaterThan(1)

    for (const table of ['board_entries', 'credential_holders', 'starboard_entries', 'sessions'])
      expect(await shardsAt(3, table), table).not.toEqual([])
    const own = await shardsAt(4, 'board_entries')
    expect(own).toEqual([{ low: own[0]?.high, high: own[0]?.high }])
    expect(await shardsAt(4, 'credential_holders')).toEqual([])
    await vi.waitFor(async () => {
      // Spaces that do not exist have an owner, too.
      for (let spaceId = 1; spaceId <= LARGE; spaceId++) await boardOf(spaceId)
      expect([readsAt(3), readsAt(4)]).not.toContain(0)
    }, PATIENCE)
  })
})
