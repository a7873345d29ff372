import { expect, it, vi } from 'vitest'
import { isUnavailable } from '../../src/database/connection.ts'
import { silentLog } from '../../src/logging/log.ts'
import { snapshotJob } from '../../src/snapshots/job.ts'
import { requestSnapshot, showSnapshot } from '../../src/snapshots/snapshots.ts'
import { waitingSessions } from '../support/database.ts'
import { holdLocks, holdTransaction } from '../support/held.ts'
import { evmAddress, giveBoard, noNote, snapshotWorld } from './arrange.ts'

const world = await snapshotWorld()
const { database, clock } = world
const PATIENCE = { timeout: 60_000, interval: 20 }
/** After this many interrupted attempts, the next one makes the snapshot fail. */
const MAX_ATTEMPTS = 3

const run = (deps: Parameters<typeof snapshotJob>[0] = { ...world, log: silentLog }) => {
  const call = { now: clock.now(), agreedNow: async () => clock.now(), signal: new AbortController().signal }
  return snapshotJob(deps).run(call)
}

async function request(spaceId: number): Promise<string> {
  await giveBoard(world, spaceId, [{ address: evmAddress(1), points: 5 }])
  return (await requestSnapshot(world, { spaceId, isPublic: false }, { note: noNote })).id
}

it('has one attempt at a time with several instances', async () => {
  const id = await request(50)
  const held = await holdLocks(database.pool, ['SELECT FROM space_version_times WHERE space_id = $1 FOR UPDATE', [50]])
  let ended = 0
  const runs: Promise<unknown>[] = []
  for (let n = 1; n <= MAX_ATTEMPTS + 1; n++) {
    runs.push(run().finally(() => ended++))
    await vi.waitFor(
      async () => expect(ended + (await waitingSessions(database, 'space_version_times'))).toBe(n),
      PATIENCE,
    )
  }
  await held.release()
  await Promise.all(runs)
  expect(await showSnapshot(world, id)).toMatchObject({ state: 'sealed', failure: null })
})

it('does not fail after attempts that a hanging node has cut, also while the database still executes them', async () => {
  const id = await request(51)
  const hanging = {
    ...database,
    reachAll: () => {
      throw new Error('a node does not respond')
    },
  }
  for (let n = 0; n < MAX_ATTEMPTS; n++) {
    // The attempt waits for this row, as it would for a node.
    const held = await holdTransaction(database.kysely)
    await held
      .insertInto('snapshot_entries')
      .values({ snapshot_id: id, chunk: 0, first_rank: 1, entries: Buffer.alloc(0) })
      .execute()
    const cut = expect(run({ ...world, database: hanging, log: silentLog })).rejects.toSatisfy(isUnavailable)
    await vi.waitFor(async () => expect(await waitingSessions(database, 'snapshot_entries')).toBe(1), PATIENCE)
    await vi.waitFor(() => expect(database.endWaiting(0, Infinity, 'cut by the test')).toBe(1), PATIENCE)
    await cut
    expect(await waitingSessions(database, 'snapshot_entries')).toBe(1)
    await held.rollback().execute()
    await vi.waitFor(async () => expect(await waitingSessions(database, 'snapshot_entries')).toBe(0), PATIENCE)
  }
  await vi.waitFor(async () => {
    await run()
    expect((await showSnapshot(world, id)).state).not.toBe('waiting')
  }, PATIENCE)
  expect(await showSnapshot(world, id)).toMatchObject({ state: 'sealed', failure: null })
})
