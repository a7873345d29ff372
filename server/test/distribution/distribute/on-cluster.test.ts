import { randomBytes } from 'node:crypto'
import { Client, type ClientConfig } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { databaseCommand } from '../../../src/command/database.ts'
import { type Database, openDatabase } from '../../../src/database/connection.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { readForeignKeys } from '../../../src/distribution/catalogue.queries.ts'
import { canHold, placements } from '../../../src/distribution/placements.ts'
import { withDistributionLock } from '../../../src/distribution/preflight.ts'
import { examineDistribution } from '../../../src/doctor/distribution.ts'
import { silentLog } from '../../../src/logging/log.ts'
import type { Dependencies } from '../../../src/services.ts'
import { isCluster } from '../../support/database.ts'
import { dropOnEveryNode, maintain, withClient } from '../../support/nodes.ts'
import { OWNER_ACCOUNT } from '../../support/personas.ts'

describe.skipIf(!isCluster())('questboard database distribute', () => {
  const [coordinator = {}, ...workers] = inject('nodes')
  const name = `test_${randomBytes(8).toString('hex')}`
  const connection: ClientConfig = { ...coordinator, database: name }
  let client: Client
  let database: Database
  let keys: Awaited<ReturnType<typeof readForeignKeys>>

  // A database that is not distributed, and knows no other node.
  beforeAll(async () => {
    await maintain(inject('nodes'), `CREATE DATABASE ${name}`)
    client = new Client(connection)
    await client.connect()
    await migrate(client)
    for (const node of inject('nodes'))
      await withClient({ ...node, database: name }, (own) => own.query('CREATE EXTENSION citus'))
    keys = await readForeignKeys(client)
    // A table that another session holds cannot be moved.
    const limited = { ...connection, options: '-c lock_timeout=500' }
    database = openDatabase({ connection: limited, readConnections: 1, log: silentLog })
    await client.query(`INSERT INTO accounts VALUES ($1, 'one', now())`, [OWNER_ACCOUNT])
    await client.query(`INSERT INTO spaces VALUES (40, 'Forty', NULL, $1, now())`, [OWNER_ACCOUNT])
  })
  afterAll(async () => {
    await database.close()
    await client.end()
    await dropOnEveryNode(inject('nodes'), name)
  })

  /** Runs the command with these options. */
  async function run(...options: string[]): Promise<string> {
    const printed: string[] = []
    vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
    const deps = { config: { databaseUrl: 'postgres://…' }, database } as unknown as Dependencies
    try {
      const program = databaseCommand((work) => work(deps))
      await program.parseAsync(['distribute', ...options], { from: 'user' })
    } finally {
      vi.restoreAllMocks()
    }
    return printed.join('\n')
  }
  const refusal = async (...options: string[]) =>
    String(await run('--yes', ...options).catch((error: unknown) => error))
  const finding = async () => (await examineDistribution(client))[0]
  const setVersion = (version: string) =>
    client.query(`UPDATE pg_extension SET extversion = $1 WHERE extname = 'citus'`, [version])
  const acceptRows = async (accepts: boolean) => {
    for (const { host, port } of workers)
      await client.query(`SELECT citus_set_node_property($1, $2, 'shouldhaveshards', $3)`, [host, port, accepts])
  }

  test('names the step that the cluster lacks, and changes nothing', async () => {
    const { rows } = await client.query<{ version: string }>(
      `SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`,
    )
    await setVersion('11.3-1')
    expect(await refusal()).toContain('Nothing was changed: Citus 11 is too old')
    await setVersion(rows[0]?.version ?? '')
    expect(await refusal()).toContain('Nothing was changed: the coordinator is not among the nodes')
    await client.query('SELECT citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port])
    expect(await refusal()).toContain('Nothing was changed: no active worker accepts rows')
    expect(await refusal('--single-node')).toContain('the coordinator does not accept rows')
    for (const { host, port } of workers) await client.query('SELECT citus_add_node($1, $2)', [host, port])
    await acceptRows(false)
    expect(await refusal()).toContain('Nothing was changed: no active worker accepts rows')
    await acceptRows(true)
    expect(await readForeignKeys(client)).toEqual(keys)
  })

  test('refuses to run with other connections or another run, and names them', async () => {
    const others = ['questboard', 'questboard', 'questboard 0a1b2c3d 7'].map(
      (application_name) => new Client({ ...connection, application_name }),
    )
    // A connection called "questboard" belongs to the command.
    await Promise.all(others.map((one) => one.connect()))
    expect(await refusal()).toMatch(/questboard \(\d from .*\), questboard 0a1b2c3d \(1 from .*\)\.$/)
    await Promise.all(others.map((one) => one.end()))
    await withDistributionLock(client, async () =>
      expect(await refusal()).toContain('another `questboard database distribute`'),
    )
    expect(await readForeignKeys(client)).toEqual(keys)
  })

  test('can restore every key while no table is distributed, and reports missing keys in doctor', async () => {
    // The first table that the plan moves. It has no foreign keys, so those of the others are dropped before.
    await whileHeld('quest_catalogue', async () => expect(await refusal()).toContain('lock timeout'))
    expect(await finding()).toMatchObject({ state: 'problem' })
    expect((await finding())?.says).toContain('spaces → accounts')
    await client.query(`INSERT INTO spaces VALUES (41, 'Ownerless', NULL, gen_random_uuid(), now())`)
    await expect(run('--restore-keys')).rejects.toThrow(
      /^Nothing was changed: .*"spaces" violates .* Delete these rows/,
    )
    await client.query('DELETE FROM spaces WHERE space_id = 41')
    expect(await run('--restore-keys')).toMatch(/^\d\d foreign keys were created again\.$/)
    expect(await readForeignKeys(client)).toEqual(keys)
    expect(await finding()).toMatchObject({ state: 'note' })
  })

  test('continues after an interruption, and keeps the rows', async () => {
    await whileHeld('board_entries', async () => expect(await refusal()).toContain('lock timeout'))
    await expect(run('--restore-keys')).rejects.toThrow('tables are already distributed')
    expect(await finding()).toMatchObject({ state: 'problem' })
    expect(await run('--yes')).toMatch(/^spaces: removed local copies$/m)
    expect((await client.query('SELECT space_id FROM spaces')).rows).toEqual([{ space_id: 40 }])
    expect(await readForeignKeys(client)).toEqual(keys.filter((key) => canHold(key)))
    expect(await finding()).toMatchObject({
      state: 'ok',
      says: `${Object.keys(placements).length} tables have their placement`,
    })
    expect(await run('--yes')).toContain('already distributed: nothing to do')
  })

  test('creates the functions of the migrations on every node, now and when they change', async () => {
    const functionsOf = async (node: ClientConfig) => {
      const { rows } = await withClient({ ...node, database: name }, (own) =>
        own.query<{ name: string }>(
          `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY name`,
        ),
      )
      return rows.map((row) => row.name)
    }
    expect(await functionsOf(coordinator)).toContain('apply_totals')
    for (const node of workers) expect(await functionsOf(node)).toEqual(await functionsOf(coordinator))

    await client.query('CREATE FUNCTION later() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$')
    await client.query('CREATE OR REPLACE FUNCTION lock_spaces(spaces integer[]) RETURNS void LANGUAGE sql AS $$ $$')
    for (const node of workers) {
      expect(await functionsOf(node)).toContain('later')
      const { rows } = await withClient({ ...node, database: name }, (own) =>
        own.query(`SELECT prosrc AS source FROM pg_proc WHERE proname = 'lock_spaces'`),
      )
      expect(rows).toEqual([{ source: ' ' }])
    }
  })

  async function whileHeld(table: string, work: () => Promise<void>): Promise<void> {
    const holder = new Client(connection)
    await holder.connect()
    try {
      // The plan may read its size.
      await holder.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`)
      await work()
    } finally {
      await holder.end()
    }
  }
})
