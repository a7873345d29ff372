import { randomBytes } from 'node:crypto'
import { Client, type ClientConfig } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import { declaredStatements } from '@questboard/pg-read-pipeline'
import { distribute, readPlan } from '../../src/distribution/distribute.ts'
import { examineStatements } from '../../src/doctor/statements.ts'
import '../../src/app.ts'

/** The nodes of a Citus cluster as `host:port`, the coordinator first. The user postgres needs no password. */
const nodes = (process.env.TEST_CITUS_NODES ?? '').split(',').filter(Boolean)
const database = `test_${randomBytes(8).toString('hex')}`
const at = (node: string, name: string): ClientConfig => {
  const [host = '', port] = node.split(':')
  return { host, port: Number(port), user: 'postgres', database: name }
}

async function on<T>(connection: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A value of each parameter type that the statements use. */
const literals: Record<string, string> = {
  integer: '1',
  bigint: '1',
  smallint: '1',
  text: `'day'`, // a period of quota windows
  uuid: `'00000000-0000-4000-8000-000000000001'`,
  bytea: `'\\x01'`,
  'timestamp with time zone': `'2026-11-21T12:00:00Z'`,
  'integer[]': `'{1}'`,
  'bigint[]': `'{1}'`,
  'text[]': `'{1}'`,
  'uuid[]': `'{00000000-0000-4000-8000-000000000001}'`,
  'bytea[]': `ARRAY['\\x01'::bytea]`,
}

/** The numbers of shards that the parts of a plan touch. */
function taskCounts(plan: unknown): number[] {
  if (Array.isArray(plan)) return plan.flatMap(taskCounts)
  if (typeof plan !== 'object' || plan === null) return []
  return Object.entries(plan).flatMap(([key, value]) => (key === 'Task Count' ? [Number(value)] : taskCounts(value)))
}

describe.skipIf(nodes.length === 0)('on a Citus cluster (TEST_CITUS_NODES)', () => {
  const coordinator = at(nodes[0] ?? '', database)
  beforeAll(async () => {
    for (const node of nodes) {
      await on(at(node, 'postgres'), (client) => client.query(`CREATE DATABASE ${database}`))
      await on(at(node, database), (client) => client.query('CREATE EXTENSION citus'))
    }
    await on(coordinator, async (client) => {
      await client.query('SELECT citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port])
      for (const { host, port } of nodes.slice(1).map((node) => at(node, database)))
        await client.query('SELECT citus_add_node($1, $2)', [host, port])
      await migrate(client)
      await distribute(client, await readPlan(client), () => {})
    })
  }, 300_000)
  afterAll(async () => {
    for (const node of nodes)
      await on(at(node, 'postgres'), (client) => client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`))
  })

  test('every declared statement of the request path runs and touches one shard at most', async () => {
    const touched: Record<string, number[] | string> = {}
    const shards = new Map<string, number[]>()
    await on(coordinator, async (client) => {
      for (const { name, text } of declaredStatements()) {
        await client.query(`PREPARE one AS ${text}`)
        try {
          const { rows } = await client.query<{ types: string[] }>(
            `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'one'`,
          )
          const values = (rows[0]?.types ?? []).map((type) => literals[type] ?? `no literal of ${type}`)
          const execute = `EXECUTE one${values.length === 0 ? '' : `(${values.join(', ')})`}`
          const { rows: plan } = await client.query<Record<string, unknown>>(`EXPLAIN (FORMAT JSON) ${execute}`)
          const counts = taskCounts(plan)
          shards.set(name, counts)
          if (counts.some((count) => count > 1)) touched[name] = counts
          await client.query(execute)
        } catch (error) {
          touched[name] = (error as Error).message
        }
        await client.query('DEALLOCATE one')
      }
    })
    expect(touched).toEqual({})
    for (const name of ['quota.lease', 'space.first-page', 'space.page-after', 'space.page-before'])
      expect(shards.get(name), name).toEqual([1])
  })

  test('doctor finds that queries work, and names the kinds that fail', async () => {
    const findings = await examineStatements(coordinator, { now: Date.now }, 10_000)
    const failing = findings.filter(({ state }) => state === 'problem').map(({ says }) => says.split(' ')[0])
    expect(failing).toEqual(['award', 'ranking', 'sweep', 'import', 'merge'])
  })
})
