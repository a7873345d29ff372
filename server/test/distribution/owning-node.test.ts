import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../src/database/connection.ts'
import { openOwningNode, type OwningNode } from '../../src/distribution/owning-node.ts'
import { silentLog } from '../../src/logging/log.ts'
import { createTestDatabase, isCluster, type TestDatabase } from '../support/database.ts'
import { type FlakyNetwork, flakyNetwork } from '../support/flaky-network.ts'
import { withClient } from '../support/nodes.ts'

const LOCK = 13
const PATIENCE = { timeout: 60_000, interval: 20 }

describe.skipIf(!isCluster())('a worker', () => {
  const worker = inject('nodes')[1]
  let database: TestDatabase
  let network: FlakyNetwork
  let group: number

  beforeAll(async () => {
    database = await createTestDatabase()
    network = await flakyNetwork({ ...worker, database: database.connection.database })
    const text = 'SELECT groupid AS group FROM pg_dist_node WHERE nodeport = $1'
    group = (await database.query<{ group: number }>(text, [worker?.port]))[0]?.group ?? 0
  })
  afterAll(async () => {
    await network.close()
    await database.drop()
  })

  const openNode = async (): Promise<OwningNode> => {
    const node = openOwningNode({
      group,
      name: 'worker:5432',
      counts: { answered: 0, turnedAway: 0, refused: 0, committed: 0 },
      connection: network.connection,
      readConnections: 2,
      openFallback: () => openDatabase({ connection: database.connection, readConnections: 1, log: silentLog }),
      log: silentLog,
    })
    onTestFinished(() => node.close())
    await vi.waitFor(() => expect(node.inUse).toBe(true), PATIENCE)
    return node
  }

  test('that hangs is found without a read of a request', async () => {
    const node = await openNode()
    network.silence()
    await vi.waitFor(() => expect(node).toMatchObject({ inUse: false, isHanging: true }), PATIENCE)
    await network.mend()
    await vi.waitFor(() => expect(node).toMatchObject({ inUse: true, isHanging: false }), PATIENCE)
  })

  test('that lost a connection is in use again, though a slow read occupies another one', async () => {
    const node = await openNode()
    await withClient({ ...worker, database: database.connection.database }, async (holder) => {
      await holder.query(`SELECT pg_advisory_lock(${LOCK})`)
      const ended = vi.fn()
      const slow = node.reader
        .read({ name: 'test.slow', text: `SELECT pg_advisory_xact_lock_shared(${LOCK})` }, [])
        .finally(ended)
      await vi.waitFor(async () => {
        const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`
        expect((await holder.query(waiting)).rowCount).toBe(1)
      }, PATIENCE)
      node.disable(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
      await vi.waitFor(() => expect(node.inUse).toBe(true), PATIENCE)
      expect(ended).not.toHaveBeenCalled()
      await holder.query('SELECT pg_advisory_unlock_all()')
      await slow
    })
  })
})
