import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { ingestToken, send } from '../ingest-api/arrange.ts'
import { ask } from '../support/ask.ts'
import { createTestDatabase, isCluster, type TestDatabase } from '../support/database.ts'
import { type FlakyNetwork, flakyNetwork } from '../support/flaky-network.ts'
import { HOLDER_OF_BOTH, MAIN_QUEST, members, startWorld, type World } from '../support/fixture.ts'
import { withClient } from '../support/nodes.ts'
import { startService, type TestService } from '../support/service.ts'

const SPACE = 40
const PATIENCE = { timeout: 60_000, interval: 20 }
const FIRST = members[0]?.address ?? ''

describe.skipIf(!isCluster())('reads of a service on a cluster', () => {
  const [coordinator, ...workers] = inject('nodes')
  let database: TestDatabase
  let networks: FlakyNetwork[]
  let world: World
  let service: TestService
  let writer: string

  beforeAll(async () => {
    database = await createTestDatabase()
    // Each worker behind a proxy, which tests can break.
    networks = await Promise.all(
      workers.map((node) => flakyNetwork({ ...node, database: database.connection.database })),
    )
    const urls = networks.map(
      ({ connection }, place) =>
        `${workers[place]?.host}:${workers[place]?.port}=postgres://postgres@localhost/${database.connection.database}?host=${connection.host}`,
    )
    world = await startWorld({ database })
    service = await startService({
      database,
      clock: world.clock,
      settings: { DATABASE_NODE_URLS: urls.join(',') },
    })
    writer = await ingestToken(world)
  })
  beforeEach(() => responding(1 + workers.length))
  afterAll(async () => {
    await service.stop()
    await world.stop()
    await Promise.all(networks.map((network) => network.close()))
    await database.drop()
  })

  /** Waits until the service uses that many nodes. */
  const responding = (count: number) =>
    vi.waitFor(() => expect(service.app.owners.states().filter(({ inUse }) => inUse)).toHaveLength(count), PATIENCE)
  const reads = (port: number | undefined) =>
    service.app.owners.states().find(({ name }) => name.endsWith(`:${port}`))?.answered ?? 0
  const turnedAway = () => service.app.owners.states().map((node) => [node.name, node.turnedAway])
  const question = async (text: string) => {
    const answer = await ask<Record<string, unknown>>(service.url, text, { token: world.personas.business })
    expect([answer.status, answer.errors]).toEqual([200, undefined])
    return answer.data
  }
  let points = members[0]?.points ?? 0
  let keys = 0
  /** Also repeats an award that fails while its rows move. */
  const award = async () => {
    const items = [{ key: `award-${keys++}`, spaceId: SPACE, address: FIRST, points: 1 }]
    for (let status = 0; status !== 200;) ({ status } = await send(world, 'awards', items, { token: writer }))
    points++
  }
  const topOfBoard = async () => {
    const data = await question(
      `{ spaceLoyaltyPointsRanks(spaceId: ${SPACE}) { totalCount list { points address { address } } } }`,
    )
    const { totalCount, list } = data.spaceLoyaltyPointsRanks as { totalCount: number; list: { points: number }[] }
    return { totalCount, points: list[0]?.points, rows: list.length }
  }
  const ownerOf = async (table: string, value: unknown) => {
    const [row] = await database.query<{ shard: number; port: number }>(
      `SELECT p.shardid::int AS shard, n.nodeport AS port
       FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
       WHERE p.shardid = get_shard_id_for_distribution_column($1::regclass, ${typeof value === 'number' ? '$2::int' : '$2::text'})`,
      [table, value],
    )
    return row as { shard: number; port: number }
  }
  /** The connections at a node whose last statement named a shard. */
  const connectionsAbout = (port: number | undefined, shard: string) =>
    withClient({ ...coordinator, port, database: database.connection.database }, async (client) => {
      const { rows } = await client.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'WITH %' || $1 || '%'`,
        [shard],
      )
      return rows[0]?.count ?? 0
    })

  test('go to the worker that owns the space, and to no other node', async () => {
    const { shard, port } = await ownerOf('board_entries', SPACE)
    const before = reads(port)
    expect(await topOfBoard()).toEqual({ totalCount: members.length, points, rows: 50 })
    expect(reads(port)).toBeGreaterThan(before)
    for (const node of [coordinator, ...workers]) {
      const count = () => connectionsAbout(node?.port, `board_entries_${shard}"`)
      if (node?.port !== port) expect(await count(), `port ${node?.port}`).toBe(0)
      else
        // The check of the node can be the last statement of the connection.
        await vi.waitFor(async () => {
          await topOfBoard()
          expect(await count()).toBeGreaterThan(0)
        }, PATIENCE)
    }
  })

  test('see what was stored before them', async () => {
    for (let round = 0; round < 20; round++) {
      await award()
      expect((await topOfBoard()).points).toBe(points)
    }
  })

  test('go through the coordinator while a worker cannot be reached, and come back', async () => {
    const { port } = await ownerOf('board_entries', SPACE)
    const network = networks[workers.findIndex((node) => node.port === port)] as FlakyNetwork
    await network.cut()
    try {
      for (let round = 0; round < 5; round++) {
        await award()
        expect(await topOfBoard()).toEqual({ totalCount: members.length, points, rows: 50 })
      }
      expect(service.app.owners.states().filter(({ inUse }) => !inUse)).toMatchObject([{ name: `127.0.0.1:${port}` }])
    } finally {
      await network.mend()
    }
    await responding(1 + workers.length)
    const before = reads(port)
    expect((await topOfBoard()).points).toBe(points)
    expect(reads(port)).toBeGreaterThan(before)
  })

  test('of all nodes are refused when the coordinator, too, gets no response from a silent worker any more', async () => {
    const [{ port = 0 } = {}] = workers
    const { reader } = service.app.owners
    networks[0]?.silence()
    try {
      await responding(workers.length)
      await vi.waitFor(() => reader.reachAll(), PATIENCE)
      // For the coordinator, a locked shard is a worker that does not respond.
      await withClient({ ...coordinator, port, database: database.connection.database }, async (client) => {
        const { rows } = await client.query<{ shard: string }>(
          `SELECT 'space_versions_' || shardid AS shard FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
           JOIN pg_dist_node USING (groupid) WHERE logicalrelid = 'space_versions'::regclass AND nodeport = $1`,
          [port],
        )
        await client.query('SET citus.enable_manual_changes_to_shards = on')
        await client.query(`BEGIN; LOCK TABLE ${rows.map(({ shard }) => shard).join(', ')}`)
        await vi.waitFor(() => expect(() => reader.reachAll()).toThrow(), PATIENCE)
      })
      await vi.waitFor(() => reader.reachAll(), PATIENCE)
    } finally {
      await networks[0]?.mend()
    }
    await responding(1 + workers.length)
  })

  test('are right and do not fail while their shard moves, though its old node keeps a copy for a while', async () => {
    const { shard, port } = await ownerOf('board_entries', SPACE)
    const to = workers.find((node) => node.port !== port)
    let moving = true
    const asking = Array.from({ length: 4 }, async () => {
      let rounds = 0
      while (moving) {
        const atLeast = points
        const found = await topOfBoard()
        expect([found.totalCount, found.rows]).toEqual([members.length, 50])
        expect(found.points).toBeGreaterThanOrEqual(atLeast)
        rounds++
      }
      return rounds
    })
    const awarding = (async () => {
      while (moving) await award()
    })()
    await database
      .query(`SELECT citus_move_shard_placement($1, $2, $3, $4, $5, 'block_writes')`, [
        shard,
        coordinator?.host,
        port,
        to?.host,
        to?.port,
      ])
      .finally(() => sleep(500))
      .finally(() => (moving = false))
    for (const rounds of await Promise.all(asking)) expect(rounds).toBeGreaterThan(0)
    await awarding
    const kept = await withClient({ ...coordinator, port, database: database.connection.database }, (client) =>
      client.query(`SELECT FROM board_entries_${shard}`),
    )
    expect(kept.rowCount).toBeGreaterThan(0)
    expect((await ownerOf('board_entries', SPACE)).port).toBe(to?.port)
    const before = reads(to?.port)
    expect((await topOfBoard()).points).toBe(points)
    expect(reads(to?.port)).toBeGreaterThan(before)
  })

  test('of holders, quests and tokens also run at their nodes', async () => {
    const before = turnedAway()
    const { credential, quest } = (await question(
      `{ credential(id: "500") { eligible(address: "${HOLDER_OF_BOTH}") } quest(id: "${MAIN_QUEST}") { name } }`,
    )) as { credential: { eligible: number }; quest: { name: string } | null }
    expect(credential.eligible).toBe(1)
    expect(quest?.name).toBeTruthy()
    expect(turnedAway()).toEqual(before)
  })

  test('that are slow or wrong fail alone: their node stays in use, and no node executes them twice', async () => {
    const { port } = await ownerOf('boards', SPACE)
    const before = turnedAway()
    const { reader } = service.app.owners
    const slow = reader.read({ name: 'test.slow', text: 'SELECT pg_sleep(60) FROM boards WHERE space_id = $1' }, [
      SPACE,
    ])
    const refused = expect(slow).rejects.toMatchObject({ code: '57014' })
    const cancelled = () =>
      withClient({ ...coordinator, port, database: database.connection.database }, async (client) => {
        const { rows } = await client.query(
          `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE 'WITH %pg_sleep%'`,
        )
        expect(rows).toHaveLength(1)
      })
    await vi.waitFor(cancelled, PATIENCE)
    await refused
    const wrong = reader.read(
      { name: 'test.wrong', text: `SELECT (space_id || 'x')::int FROM boards WHERE space_id = $1` },
      [SPACE],
    )
    await expect(wrong).rejects.toMatchObject({ code: '22P02' })
    expect(turnedAway()).toEqual(before)
    expect(service.app.owners.states().filter(({ inUse }) => !inUse)).toEqual([])
  })

  test('keep their counts when a node leaves the cluster and comes back', async () => {
    const total = () => service.app.owners.states().map(({ name, answered }) => ({ name, answered }))
    const before = total()
    const [{ port = 0 } = {}] = workers
    const activate = (is: boolean) =>
      database.query(`UPDATE pg_dist_node SET isactive = $1 WHERE nodeport = $2`, [is, port])
    await activate(false)
    try {
      await vi.waitFor(() => expect(total()).toHaveLength(workers.length), PATIENCE)
    } finally {
      await activate(true)
    }
    await responding(1 + workers.length)
    for (const { name, answered } of total())
      expect(answered, name).toBeGreaterThanOrEqual(before.find((one) => one.name === name)?.answered as number)
    expect(before.find(({ name }) => name.endsWith(`:${port}`))?.answered).toBeGreaterThan(0)
  })
})
