import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { DAY } from '../../src/clock.ts'
import { bansFixture } from '../bans/arrange.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { createTestDatabase, isCluster, type TestDatabase, waitingSessions } from '../support/database.ts'
import { members, startWorld, type World } from '../support/fixture.ts'
import { holdLocks } from '../support/held.ts'
import { withClient } from '../support/nodes.ts'
import { startService, type TestService } from '../support/service.ts'
import { listen } from '../webhooks/listen.ts'
import { ingestToken, send, statuses } from '../ingest-api/arrange.ts'

const SPACE = 40
const PATIENCE = { timeout: 60_000, interval: 20 }
const READER = 'awards_reader'

describe.skipIf(!isCluster())('awards on a cluster', () => {
  const [coordinator, ...workers] = inject('nodes')
  let database: TestDatabase
  let world: World
  let token: string

  beforeAll(async () => {
    database = await createTestDatabase()
    world = await startWorld({ database })
    token = await ingestToken(world)
  })
  afterAll(async () => {
    await world.stop()
    await database.drop()
  })
  beforeEach(() => inUse(world))

  const inUse = (service: Pick<TestService, 'app'>) =>
    vi.waitFor(() => expect(service.app.owners.states().every((node) => node.inUse)).toBe(true), PATIENCE)
  const committed = (service: Pick<TestService, 'app'> = world) =>
    service.app.owners.states().reduce((sum, node) => sum + node.committed, 0)

  let keys = 0
  const award = (address: string, service: Pick<TestService, 'url'> = world) =>
    send(service, 'awards', [{ key: `queue-${keys++}`, spaceId: SPACE, address, points: 1 }], { token })
  const pointsOf = async (address: string) => {
    const [row] = await database.query<{ points: number; username: string }>(
      'SELECT points, username FROM board_entries WHERE space_id = $1 AND sprint_id = 0 AND address = $2',
      [SPACE, address],
    )
    return row
  }
  const memberAt = (place: number) => members[place]?.address ?? ''
  let newcomers = 0
  const newcomer = () => `0x${(++newcomers).toString(16).padStart(40, '9')}`

  test('run at the node that owns the space', async () => {
    const before = committed()
    const points = (await pointsOf(memberAt(0)))?.points ?? 0
    expect(statuses(await award(memberAt(0)))).toEqual(['applied'])
    expect(committed()).toBe(before + 1)
    expect(await pointsOf(memberAt(0))).toMatchObject({ points: points + 1 })
  })

  test('are duplicates if the coordinator stored their key, and the other way round', async () => {
    const toOwner = [{ key: 'queue-owner', spaceId: SPACE, address: memberAt(1), points: 1 }]
    const toCoordinator = [{ key: 'queue-coordinator', spaceId: SPACE, address: newcomer(), points: 1 }]
    const before = committed()
    expect(statuses(await send(world, 'awards', toOwner, { token }))).toEqual(['applied'])
    expect(committed()).toBe(before + 1)
    expect(statuses(await send(world, 'awards', [...toCoordinator, ...toOwner], { token }))).toEqual([
      'applied',
      'duplicate',
    ])
    expect(committed()).toBe(before + 1)
    for (let round = 0; round < 2; round++)
      expect(statuses(await send(world, 'awards', toCoordinator, { token }))).toEqual(['duplicate'])
    expect(committed()).toBe(before + 2)
  })

  test('that add a member run at the coordinator, and so does the next transaction of the space', async () => {
    const [before, address] = [committed(), newcomer()]
    expect(statuses(await award(address))).toEqual(['applied'])
    expect(await pointsOf(address)).toMatchObject({ points: 1 })
    expect(statuses(await award(memberAt(0)))).toEqual(['applied'])
    expect(committed()).toBe(before)
    expect(statuses(await award(memberAt(0)))).toEqual(['applied'])
    expect(committed()).toBe(before + 1)
  })

  test('run at the coordinator if a banned member gets its first points, because the ban may end at the same time', async () => {
    const [before, address] = [committed(), newcomer()]
    const { ban, lift } = bansFixture({ deps: world.deps, database })
    const { id } = await ban({ address })
    expect(statuses(await award(address))).toEqual(['applied'])
    expect(committed()).toBe(before)
    expect(statuses(await award(address))).toEqual(['applied'])
    expect(committed()).toBe(before + 1)
    await lift(id)
    expect(await pointsOf(address)).toMatchObject({ points: 2 })
  })

  test('create their messages at the coordinator if a webhook listens', async () => {
    const { endpointId, heard } = await listen(database, { subjects: [`space:${SPACE}`], types: ['points.awarded'] })
    const before = committed()
    expect(statuses(await award(memberAt(2)))).toEqual(['applied'])
    expect(committed()).toBe(before)
    expect(await heard()).toMatchObject([{ data: { awards: [{ address: memberAt(2), points: 1 }] } }])
    await database.query('DELETE FROM webhook_subscriptions WHERE endpoint_id = $1', [endpointId])
  })

  test('create their messages at the coordinator if a webhook is created while they wait', async () => {
    const held = await holdLocks(database.pool, ['SELECT FROM space_versions WHERE space_id = $1 FOR UPDATE', [SPACE]])
    const awarded = award(memberAt(4))
    await vi.waitFor(async () => expect(await waitingSessions(database, 'space_versions')).toBe(1), PATIENCE)
    const { endpointId, heard } = await listen(database, { subjects: [`space:${SPACE}`], types: ['points.awarded'] })
    await held.release()
    expect(statuses(await awarded)).toEqual(['applied'])
    expect(await heard()).toMatchObject([{ data: { awards: [{ address: memberAt(4), points: 1 }] } }])
    await database.query('DELETE FROM webhook_subscriptions WHERE endpoint_id = $1', [endpointId])
  })

  test('fail, and are not refused for good, if the node does not have the space yet', async () => {
    await importRecords(world.deps, 'spaces', [{ spaceId: 77, name: 'Late' }])
    const shard = await database.query<{ name: string }>(
      `SELECT DISTINCT shard_name AS name FROM citus_shards WHERE table_name = 'spaces'::regclass`,
    )
    for (const node of workers)
      await withClient({ ...coordinator, port: node.port, database: database.connection.database }, async (client) => {
        await client.query('SET citus.enable_manual_changes_to_shards = on')
        await client.query(`DELETE FROM ${shard[0]?.name} WHERE space_id = 77`)
      })
    const item = { key: 'queue-late', spaceId: 77, address: memberAt(0), points: 1 }
    expect((await send(world, 'awards', [item], { token })).status).toBe(500)
  })

  test('create the partition of a new month at the coordinator', async () => {
    const before = committed()
    world.clock.advance(32 * DAY)
    expect(statuses(await award(memberAt(5)))).toEqual(['applied'])
    expect(committed()).toBe(before)
    expect(statuses(await award(memberAt(5)))).toEqual(['applied'])
    expect(committed()).toBe(before + 1)
  })

  test('stay at the node after an award that fails at the coordinator, too', async () => {
    await database.query(`
      CREATE FUNCTION reject_award() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'rejected' USING ERRCODE = 'check_violation'; END $$;
      CREATE TRIGGER reject_award BEFORE UPDATE ON board_entries FOR EACH ROW
        WHEN (NEW.address = '${memberAt(6)}') EXECUTE FUNCTION reject_award()`)
    onTestFinished(async () => void (await database.query('DROP TRIGGER reject_award ON board_entries')))
    const before = committed()
    expect((await award(memberAt(6))).status).toBe(500)
    expect(statuses(await award(memberAt(0)))).toEqual(['applied'])
    expect(committed()).toBe(before + 1)
  })

  test('run at the coordinator if the user of the node may only read', async () => {
    const { database: name } = database.connection
    const onWorkers = async (text: string) => {
      for (const { port } of workers)
        await withClient({ ...coordinator, port, database: name }, (client) =>
          client.query(`SET citus.enable_create_role_propagation = off; DROP ROLE IF EXISTS ${READER}; ${text}`),
        )
    }
    onTestFinished(() => onWorkers(''))
    await onWorkers(`
      CREATE ROLE ${READER} LOGIN SUPERUSER;
      ALTER ROLE ${READER} SET default_transaction_read_only = on`)
    const urls = workers.map(({ host, port }) => `${host}:${port}=postgres://${READER}@${host}:${port}/${name}`)
    const reading = await startService({
      database,
      clock: world.clock,
      settings: { DATABASE_NODE_URLS: urls.join(',') },
    })
    await inUse(reading)
    for (let round = 0; round < 3; round++) expect(statuses(await award(memberAt(3), reading))).toEqual(['applied'])
    expect(committed(reading)).toBe(0)
    await reading.stop()
  })
})
