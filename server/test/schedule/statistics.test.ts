import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { type Owners, readAtOwners } from '../../src/distribution/read-at-owners.ts'
import type { Job } from '../../src/jobs/jobs.ts'
import { silentLog } from '../../src/logging/log.ts'
import { statisticsJob } from '../../src/schedule/statistics.ts'
import { createTestDatabase, isCluster, type TestDatabase } from '../support/database.ts'
import { type FlakyNetwork, flakyNetwork } from '../support/flaky-network.ts'
import { withClient } from '../support/nodes.ts'

const PATIENCE = { timeout: 60_000, interval: 20 }
const HOLDERS = 1_000
const TABLE = 'credential_holders'

describe.skipIf(!isCluster())('the statistics of a cluster', () => {
  const [coordinator, ...workers] = inject('nodes')
  let database: TestDatabase
  let networks: FlakyNetwork[]
  let owners: Owners
  let job: Job
  let lists = 0

  beforeAll(async () => {
    database = await createTestDatabase()
    const server = { ...coordinator, database: database.connection.database }
    networks = await Promise.all(workers.map(({ port }) => flakyNetwork({ ...server, port })))
    const nodeUrls = new Map(
      networks.map(({ connection }, place) => [
        `${workers[place]?.host}:${workers[place]?.port}`,
        `postgres://postgres@localhost/${database.connection.database}?host=${connection.host}`,
      ]),
    )
    owners = await readAtOwners({ database, nodeUrls, readConnections: 1, log: silentLog })
    job = statisticsJob({ database, owners, log: silentLog })
  })
  afterAll(async () => {
    await owners.close()
    await Promise.all(networks.map((network) => network.close()))
    await database.drop()
  })

  const run = () => job.run({ now: 0, agreedNow: async () => 0, signal: new AbortController().signal })

  /** Adds a list of holders on one worker, always in the same shard. @returns the number of rows that its planner assumes for the shard */
  async function fillListAt(worker: number): Promise<() => Promise<number>> {
    const port = workers[worker]?.port
    const [list] = await database.query<{ id: number; shard: string }>(
      `SELECT n AS id, '${TABLE}_' || p.shardid AS shard
       FROM generate_series(1, 1000) n
       JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('${TABLE}', n)
       JOIN pg_dist_node d USING (groupid) WHERE d.nodeport = $1 ORDER BY n LIMIT 1`,
      [port],
    )
    await database.query(
      `INSERT INTO ${TABLE} (credential_id, generation, address) SELECT $1, $2, 'h' || n FROM generate_series(1, ${HOLDERS}) n`,
      [list?.id, ++lists],
    )
    return () =>
      withClient({ ...coordinator, port, database: database.connection.database }, async (client) => {
        await client.query('SET citus.override_table_visibility = off')
        const text = 'SELECT reltuples::int AS rows FROM pg_class WHERE relname = $1'
        return (await client.query<{ rows: number }>(text, [list?.shard])).rows[0]?.rows ?? 0
      })
  }

  test('include the shards of the worker on which a table has grown', async () => {
    const rows = await fillListAt(0)
    expect(await rows()).toBeLessThan(HOLDERS)
    await vi.waitFor(async () => {
      await run()
      expect(await rows()).toBe(HOLDERS)
    }, PATIENCE)
  })

  test('do not wait for a worker that hangs, and include its shards when it responds again', async () => {
    await run() // has a connection to each worker
    networks[0]?.silence()
    const [hanging, other] = [await fillListAt(0), await fillListAt(1)]
    try {
      await vi.waitFor(async () => {
        await run()
        expect(await other()).toBe(HOLDERS)
      }, PATIENCE)
      expect(await hanging()).toBeLessThan(2 * HOLDERS)
    } finally {
      await networks[0]?.mend()
    }
    await vi.waitFor(async () => {
      await run()
      expect(await hanging()).toBe(2 * HOLDERS)
    }, PATIENCE)
  })
})
