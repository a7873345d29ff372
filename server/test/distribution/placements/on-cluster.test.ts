import { declaredStatements } from '@questboard/pg-read-pipeline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from 'pg'
import '../../../src/app.ts'
import { systemClock } from '../../../src/clock.ts'
import { declaredWrites } from '../../../src/database/prepared-write.ts'
import { readPlaced } from '../../../src/distribution/cluster.queries.ts'
import { distribute, readPlan } from '../../../src/distribution/distribute.ts'
import { describePlacement, placements } from '../../../src/distribution/placements.ts'
import { examineDistribution } from '../../../src/doctor/distribution.ts'
import { examineStatements } from '../../../src/doctor/statements.ts'
import { openMonth } from '../../../src/ranking/ledger.queries.ts'
import { createTestDatabase, isCluster, type TestDatabase } from '../../support/database.ts'
import { withClient } from '../../support/nodes.ts'
import { everyNode } from '../several-values.ts'

/** A value of each parameter type that the statements use. */
const literals: Record<string, string> = {
  integer: '1',
  bigint: '1',
  numeric: '1',
  smallint: '1',
  text: `'day'`, // a period of quota windows
  uuid: `'00000000-0000-4000-8000-000000000001'`,
  bytea: `'\\x01'`,
  'timestamp with time zone': `'2026-11-21T12:00:00Z'`,
  'integer[]': `'{1}'`,
  'timestamp with time zone[]': `'{2026-11-21T12:00:00Z}'`,
  'bigint[]': `'{1}'`,
  'text[]': `'{00000000-0000-4000-8000-000000000001}'`, // some are ids of accounts
  'uuid[]': `'{00000000-0000-4000-8000-000000000001}'`,
  'bytea[]': `ARRAY['\\x01'::bytea]`,
  'tid[]': `ARRAY[NULL::tid]`,
}

/** The number of shards that each part of a plan uses. */
function taskCounts(plan: unknown): number[] {
  if (Array.isArray(plan)) return plan.flatMap(taskCounts)
  if (typeof plan !== 'object' || plan === null) return []
  return Object.entries(plan).flatMap(([key, value]) => (key === 'Task Count' ? [Number(value)] : taskCounts(value)))
}

/** Executes a statement with literals, and rolls it back. Returns the shards that it uses. */
async function shardsOf(client: Client, text: string): Promise<number[]> {
  await client.query('BEGIN')
  try {
    await client.query(`PREPARE one AS ${text}`)
    const { rows } = await client.query<{ types: string[] }>(
      `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'one'`,
    )
    const values = (rows[0]?.types ?? []).map((type) => literals[type] ?? `no literal of ${type}`)
    const execute = `EXECUTE one${values.length === 0 ? '' : `(${values.join(', ')})`}`
    const { rows: plan } = await client.query<Record<string, unknown>>(`EXPLAIN (FORMAT JSON) ${execute}`)
    await client.query(execute)
    return taskCounts(plan)
  } finally {
    await client.query('ROLLBACK')
    await client.query('DEALLOCATE ALL')
  }
}

/** What Citus sends to nodes at the end of a transaction that writes the coordinator and a worker. */
async function phasesOfCommit(database: TestDatabase): Promise<string[]> {
  const sent: string[] = []
  await withClient(database.connection, async (client) => {
    client.on('notice', ({ message = '' }) => sent.push(message))
    await client.query('SET citus.log_remote_commands = on')
    await client.query('BEGIN')
    await client.query('UPDATE space_versions SET version = version WHERE space_id = 1')
    await client.query(`INSERT INTO profile_changes (address) VALUES ('0x01') ON CONFLICT DO NOTHING`)
    await client.query('COMMIT')
  })
  return sent.flatMap((message) => /^issuing (PREPARE TRANSACTION|COMMIT PREPARED|COMMIT)\b/.exec(message)?.[1] ?? [])
}

describe.skipIf(!isCluster())('on a Citus cluster', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
    // The space of the literals: awards need it.
    await database.query(`INSERT INTO spaces (space_id, name, created_at) VALUES (1, 'One', now())`)
    await database.query('INSERT INTO space_versions (space_id) VALUES (1)')
    await openMonth(database.kysely, new Date('2026-11-21T12:00:00Z'))
  })
  afterAll(() => database.drop())

  test('places every table as planned', async () => {
    const placed = await withClient(database.connection, readPlaced)
    const wanted = Object.entries(placements).map(([table, placement]) => [table, describePlacement(placement)])
    const found = Object.keys(placements).map((table) => [
      table,
      describePlacement(placed.get(table) ?? { kind: 'local' }),
    ])
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted))
  })

  test('runs every declared statement of the request path, on one shard at most', async () => {
    const touched: Record<string, number[] | string> = {}
    const shards = new Map<string, number[]>()
    await withClient(database.connection, async (client) => {
      for (const { name, text } of [...declaredStatements(), ...declaredWrites()]) {
        try {
          const counts = await shardsOf(client, text)
          shards.set(name, counts)
          if (counts.some((count) => count > 1)) touched[name] = counts
        } catch (error) {
          touched[name] = (error as Error).message
        }
      }
    })
    expect(Object.keys(touched).filter((name) => !everyNode.has(name) || typeof touched[name] === 'string')).toEqual([])
    expect([...everyNode].filter((name) => touched[name] === undefined)).toEqual([])
    for (const name of ['space.first-page', 'space.page-after', 'space.member-rank', 'holders.holds', 'quest.by-id'])
      expect(shards.get(name), name).toEqual([1])
  })

  test('commits rows of the coordinator and of a worker in two phases', async () => {
    expect(await phasesOfCommit(database)).toEqual(['PREPARE TRANSACTION', 'COMMIT PREPARED'])
  })

  test('restores the commit in two phases if a dump contained only the triggers', async () => {
    await withClient(database.connection, async (client) => {
      await client.query(`SELECT undistribute_table('distribution.noticed')`)
      expect(await phasesOfCommit(database)).not.toContain('PREPARE TRANSACTION')
      const [finding] = await examineDistribution(client)
      expect(finding?.says).toMatch(/^not committed together with rows of other nodes: .*profile_changes/)
      await distribute(client, await readPlan(client), () => {})
    })
    expect(await phasesOfCommit(database)).toEqual(['PREPARE TRANSACTION', 'COMMIT PREPARED'])
  })

  test('doctor finds no problem', async () => {
    const findings = [
      ...(await withClient(database.connection, examineDistribution)),
      ...(await examineStatements(database.connection, systemClock, 30_000)),
    ]
    expect(findings.filter(({ state }) => state === 'problem')).toEqual([])
  })
})
