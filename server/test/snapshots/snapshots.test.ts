import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SECOND } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { silentLog } from '../../src/logging/log.ts'
import { sweepBoards } from '../../src/ranking/boards-sweep.ts'
import { snapshotJob } from '../../src/snapshots/job.ts'
import { readSnapshotRequest } from '../../src/snapshots/snapshot-request.ts'
import {
  deleteSnapshot,
  listSnapshots,
  previewSnapshot,
  requestSnapshot,
  sealSnapshot,
  showSnapshot,
} from '../../src/snapshots/snapshots.ts'
import { bansFixture } from '../bans/arrange.ts'
import { giveAwards } from '../support/awards.ts'
import { evmAddress, giveBoard, noNote, snapshotWorld } from './arrange.ts'

const world = await snapshotWorld()
const { database, clock } = world
const { kysely } = database
const A = evmAddress(1)
const B = evmAddress(2)
const minutes = (count: number) => count * 60 * SECOND
const contents = async () => {
  const tables = ['snapshot_entries', 'snapshot_places', 'snapshot_nodes']
  const counts = await Promise.all(tables.map((table) => database.query(`SELECT 1 FROM ${table}`)))
  return counts.reduce((sum, rows) => sum + rows.length, 0)
}
const award = async (spaceId: number, address: string, points: number) =>
  kysely.transaction().execute((trx) => giveAwards(trx, [{ spaceId, address, points }], clock))
/** The name on leaderboards: Ann, and short IDs of members without a name. */
const nameOf = (address = '') => (address === A ? 'Ann' : createHash('md5').update(address).digest('hex').slice(0, 10))
const run = () => {
  const call = { now: clock.now(), agreedNow: async () => clock.now(), signal: new AbortController().signal }
  return snapshotJob({ ...world, log: silentLog }).run(call)
}

describe('banned members', () => {
  const { ban, lift } = bansFixture({ database, deps: { ...world, log: silentLog } as never })

  it('are not in the list of a board, also of a version from before the ban', async () => {
    await giveBoard(world, 61, [{ address: B, points: 5 }])
    await giveBoard(world, 60, [
      { address: A, points: 5 },
      { address: B, points: 4 },
      { address: 'cid', points: 3 },
    ])
    clock.advance(minutes(1))
    const before = new Date(clock.now())
    await ban({ address: A }, { spaceId: 60 })
    await ban({ address: B }, { spaceId: 61 })
    clock.advance(minutes(1))
    await award(60, A, 1)
    for (const at of [undefined, before]) {
      const { preview } = await previewSnapshot(world, { spaceId: 60, isPublic: false, at })
      expect(preview).toMatchObject({ members: 2, points: '7', leaves: 1, leftOut: 1, banned: 1 })
      const sealed = await world.seal({ spaceId: 60, at })
      expect(sealed).toMatchObject({ members: 2, banned: 1 })
      expect(await world.text(sealed, 'csv')).toBe(`rank,address,points\n1,${B},4\n2,cid,3\n`)
    }
  })

  it('are not in the lists of holders and participants', async () => {
    await importRecords(world, 'spaces', [{ spaceId: 62, name: 'Space' }])
    const credential = { id: '62', name: 'Pass', credType: 'EVM_ADDRESS', credSource: 'CSV' } as const
    await importRecords(world, 'credentials', [{ ...credential, curatorSpaceId: 62 }])
    await importRecords(world, 'quests', [{ id: 'GC62', spaceId: 62, name: 'Quest', type: 'Points' }])
    await importRecords(
      world,
      'holders',
      [A, B].map((address) => ({ credentialId: '62', address })),
    )
    await importRecords(
      world,
      'participants',
      [A, B].map((address) => ({ questId: 'GC62', address })),
    )
    const { id } = await ban({ address: A })
    for (const list of [{ credentialId: '62' }, { questId: 'GC62' }]) {
      const sealed = await world.seal(list)
      expect(sealed).toMatchObject({ members: 1, banned: 1 })
      expect(await world.text(sealed, 'csv')).toContain(B)
    }
    await lift(id)
    expect(await world.seal({ credentialId: '62' })).toMatchObject({ members: 2, banned: 0 })
  })
})

describe('the time of a board', () => {
  it('seals the points of an earlier time', async () => {
    await giveBoard(world, 20, [{ address: A, points: 5 }])
    clock.advance(minutes(1))
    await award(20, A, 10)
    clock.advance(minutes(1))
    const between = new Date(clock.now() - 30 * SECOND)
    await award(20, B, 1)
    expect(await world.text(await world.seal({ spaceId: 20 }), 'csv')).toBe(
      `rank,address,points\n1,${A},15\n2,${B},1\n`,
    )
    const earlier = await world.seal({ spaceId: 20, at: between })
    expect(await world.text(earlier, 'csv')).toBe(`rank,address,points\n1,${A},15\n`)
    expect(earlier.asOf.getTime()).toBe(between.getTime() - 30 * SECOND)
  })

  it('is the requested time while the board has not changed since', async () => {
    await giveBoard(world, 26, [{ address: A, points: 5 }])
    clock.advance(minutes(4))
    const { preview } = await previewSnapshot(world, { spaceId: 26, isPublic: false })
    expect(preview.asOf).toEqual(new Date(clock.now()))
    expect((await world.seal({ spaceId: 26, at: preview.asOf })).asOf).toEqual(preview.asOf)
    clock.advance(minutes(2))
    const at = new Date(clock.now() - SECOND)
    expect((await world.seal({ spaceId: 26, at })).asOf).toEqual(at)
  })

  it('is that of the preview if the board changes before it is sealed', async () => {
    await giveBoard(world, 27, [{ address: A, points: 5 }])
    const first = new Date(clock.now())
    clock.advance(minutes(4))
    const { preview } = await previewSnapshot(world, { spaceId: 27, isPublic: false })
    clock.advance(minutes(1))
    await award(27, A, 1)
    const { id } = await requestSnapshot(world, { spaceId: 27, at: preview.asOf, isPublic: false }, { note: noNote })
    await run()
    expect(await showSnapshot(world, id)).toMatchObject({ state: 'sealed', points: '5', asOf: preview.asOf })
    expect(await world.seal({ spaceId: 27, at: first })).toMatchObject({ points: '5', asOf: first })
  })

  it('is also that of a preview of an earlier time', async () => {
    await giveBoard(world, 91, [{ address: A, points: 5 }])
    clock.advance(minutes(4))
    const at = new Date(clock.now() - minutes(1))
    await previewSnapshot(world, { spaceId: 91, at, isPublic: false })
    await award(91, A, 1)
    expect(await world.seal({ spaceId: 91, at })).toMatchObject({ points: '5', asOf: at })
  })

  it('seals the version of a preview by its time', async () => {
    await giveBoard(world, 21, [{ address: A, points: 5 }])
    clock.advance(SECOND)
    await award(21, A, 1)
    const { preview } = await previewSnapshot(world, { spaceId: 21, isPublic: false })
    expect(preview).toMatchObject({ members: 1, points: '6', leaves: 1, leftOut: 0 })
    clock.advance(SECOND)
    await award(21, A, 1)
    expect(await world.seal({ spaceId: 21, at: preview.asOf })).toMatchObject({ points: '6', asOf: preview.asOf })
  })

  it('seals an old time if the board has not changed since', async () => {
    await giveBoard(world, 22, [{ address: A, points: 5 }])
    clock.advance(minutes(600))
    await sweepBoards(kysely, clock.now(), clock)
    const at = new Date(clock.now() - minutes(300))
    expect(await world.seal({ spaceId: 22, at })).toMatchObject({ points: '5' })
  })

  it('rejects times that are not kept, and times in the future', async () => {
    await giveBoard(world, 23, [{ address: A, points: 5 }])
    const first = clock.now()
    clock.advance(minutes(31))
    await award(23, A, 1)
    clock.advance(minutes(31))
    const preview = (at: number) => previewSnapshot(world, { spaceId: 23, isPublic: false, at: new Date(at) })
    await expect(preview(first - 1)).rejects.toThrow('at is before the first recorded version')
    await expect(preview(first)).rejects.toThrow('at is too long ago: past points are kept for 30 minutes')
    await expect(preview(clock.now() + 1)).rejects.toThrow('at must not be in the future')
    expect((await preview(clock.now())).preview.points).toBe('6')
  })

  it('seals the board of a sprint', async () => {
    await giveBoard(world, 24, [
      { address: A, points: 5 },
      { address: A, points: 2, sprintId: 3 },
    ])
    expect(await world.seal({ spaceId: 24, sprintId: 3 })).toMatchObject({ sprintId: 3, points: '2' })
    await expect(world.seal({ spaceId: 24, sprintId: 4 })).rejects.toThrow('The space 24 has no sprint 4')
  })
})

describe('holders and participants', () => {
  it('seals the holders of a credential', async () => {
    const credential = { id: '900', name: 'Nine', credType: 'EVM_ADDRESS', credSource: 'CSV' }
    await importRecords(world, 'credentials', [credential])
    await expect(world.seal({ credentialId: '900' })).rejects.toThrow('the list of the credential 900 is empty')
    await importRecords(world, 'holders', [
      { credentialId: '900', address: B },
      { credentialId: '900', address: A },
    ])
    const snapshot = await world.seal({ credentialId: '900' })
    expect(snapshot).toMatchObject({ kind: 'credential', name: 'Nine', members: 2, points: '2', leaves: 2 })
    const at = new Date(clock.now() - SECOND)
    await expect(world.seal({ credentialId: '900', at })).rejects.toThrow('at is not allowed for a credential')
  })

  it('seals the participants of a quest who had joined by a time', async () => {
    await giveBoard(world, 25, [{ address: A, points: 5 }])
    await importRecords(world, 'quests', [{ id: 'GCsnap', spaceId: 25, name: 'Quest', type: 'Drop', status: 'Active' }])
    await importRecords(world, 'participants', [{ questId: 'GCsnap', address: A }])
    const at = new Date(clock.now())
    clock.advance(minutes(1))
    await importRecords(world, 'participants', [{ questId: 'GCsnap', address: B }])
    expect(await world.seal({ questId: 'GCsnap' })).toMatchObject({ members: 2, spaceId: 25 })
    expect(await world.text(await world.seal({ questId: 'GCsnap', at }), 'disperse')).toBe(`${A},1\n`)
  })
})

describe('a preview', () => {
  it('has the first members of a board, and why some are outside of the Merkle tree', async () => {
    const others = Array.from({ length: 25 }, (_, n) => ({ address: evmAddress(100 + n), points: 90 - n }))
    await giveBoard(world, 28, [
      { address: B, points: 100 },
      { address: A, points: 100 },
      ...others,
      { address: 'cid', points: 3 },
      { address: evmAddress(3), points: -4 },
      { address: 'dan', points: -5 },
    ])
    await importRecords(world, 'points', [
      { spaceId: 28, address: A, points: 100, username: 'Ann' },
      { spaceId: 28, address: 'cid', points: 3, username: 'Cid' },
    ])
    const { preview } = await previewSnapshot(world, { spaceId: 28, isPublic: false })
    expect(preview).toMatchObject({ members: 30, leaves: 27, leftOut: 3 })
    expect(preview.firstMembers).toHaveLength(20)
    const [first, second] = [A, B].toSorted()
    expect(preview.firstMembers.slice(0, 3)).toEqual([
      { rank: 1, address: first, name: nameOf(first), points: 100, leftOut: null },
      { rank: 1, address: second, name: nameOf(second), points: 100, leftOut: null },
      { rank: 3, address: evmAddress(100), name: nameOf(evmAddress(100)), points: 90, leftOut: null },
    ])
    expect(preview.firstLeftOut).toMatchObject([
      { rank: 28, address: 'cid', name: 'Cid', points: 3, leftOut: 'no_evm_address' },
      { rank: 29, address: evmAddress(3), points: -4, leftOut: 'negative_points' },
      { rank: 30, address: 'dan', points: -5, leftOut: 'no_evm_address' },
    ])
  })

  it('has the members of its time, without banned ones', async () => {
    await giveBoard(world, 29, [
      { address: A, points: 5 },
      { address: B, points: 4 },
      { address: 'cid', points: 3 },
    ])
    const { ban } = bansFixture({ database, deps: { ...world, log: silentLog } as never })
    await ban({ address: A }, { spaceId: 29 })
    const at = new Date(clock.now())
    clock.advance(minutes(1))
    await award(29, 'cid', 9)
    const ranks = async (request: { at?: Date }) =>
      (await previewSnapshot(world, { spaceId: 29, isPublic: false, ...request })).preview.firstMembers.map(
        ({ rank, address, points }) => [rank, address, points],
      )
    expect(await ranks({})).toEqual([
      [1, 'cid', 12],
      [2, B, 4],
    ])
    expect(await ranks({ at })).toEqual([
      [1, B, 4],
      [2, 'cid', 3],
    ])
  })

  it('has the first holders and participants', async () => {
    await importRecords(world, 'spaces', [{ spaceId: 63, name: 'Space' }])
    await importRecords(world, 'credentials', [{ id: '63', name: 'Pass', credType: 'EVM_ADDRESS', credSource: 'CSV' }])
    await importRecords(world, 'holders', [{ credentialId: '63', address: B }])
    await importRecords(world, 'quests', [{ id: 'GC63', spaceId: 63, name: 'Quest', type: 'Points' }])
    await importRecords(world, 'participants', [{ questId: 'GC63', address: 'eve' }])
    const listed = async (list: { credentialId?: string; questId?: string }) =>
      (await previewSnapshot(world, { ...list, isPublic: false })).preview
    expect(await listed({ credentialId: '63' })).toMatchObject({
      firstMembers: [{ rank: 1, address: B, points: 1, leftOut: null }],
      firstLeftOut: [],
    })
    const eve = { rank: 1, address: 'eve', points: 1, leftOut: 'no_evm_address' }
    expect(await listed({ questId: 'GC63' })).toMatchObject({ firstMembers: [eve], firstLeftOut: [eve] })
  })
})

describe('bad requests', () => {
  it.each([
    [{}, 'Name exactly one list'],
    [{ spaceId: 1, questId: 'GC' }, 'Name exactly one list'],
    [{ sprintId: 1, questId: 'GC' }, 'sprintId needs the space'],
    [{ spaceId: 0 }, 'spaceId must be a whole number from 1'],
    [{ spaceId: '1' }, 'spaceId must be a whole number from 1'],
    [{ credentialId: 'x' }, 'credentialId must be the id of a credential'],
    [{ questId: 'a b' }, 'questId must be the id of a quest'],
    [{ spaceId: 1, at: 'yesterday' }, 'at must be a time such as'],
    [{ spaceId: 1, public: 1 }, 'public must be true or false'],
    [{ spaceId: 1, note: 'x'.repeat(201) }, 'note must have at most 200 characters'],
    [{ spaceId: 1, note: 'a\0b' }, 'note must be one line of text without control characters'],
    [{ spaceId: 1, format: 'csv' }, 'format is unknown; allowed: spaceId'],
    [null, 'The body must be a JSON object'],
  ])('rejects %j', (body, message) => {
    expect(() => readSnapshotRequest(body)).toThrow(message)
  })

  it.each([
    [{ spaceId: 999_999 }, 'The space 999999 does not exist.'],
    [{ credentialId: '12345' }, 'The credential 12345 does not exist.'],
    [{ questId: 'GCnone' }, 'The quest GCnone does not exist.'],
  ])('rejects the unknown list of %j', async (request, message) => {
    await expect(world.seal(request)).rejects.toThrow(message)
  })
})

describe('a requested snapshot', () => {
  it('the job seals it at its version', async () => {
    await giveBoard(world, 30, [{ address: A, points: 5 }])
    const { id, state } = await requestSnapshot(world, { spaceId: 30, isPublic: true }, { note: noNote })
    expect(state).toBe('waiting')
    await award(30, A, 1)
    await run()
    expect(await showSnapshot(world, id)).toMatchObject({ state: 'sealed', points: '5', public: true })
  })

  it('fails with a reason', async () => {
    await giveBoard(world, 31, [{ address: A, points: 5 }])
    const { id } = await requestSnapshot(world, { spaceId: 31, isPublic: false }, { note: noNote })
    await database.query('DELETE FROM board_entries WHERE space_id = 31')
    await run()
    expect(await showSnapshot(world, id)).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('is empty') as string,
      failureCode: 'list_empty',
    })
  })

  it('the job builds it again after an interruption, and gives up after three', async () => {
    await giveBoard(
      world,
      32,
      Array.from({ length: 3_000 }, (_, n) => ({ address: evmAddress(n), points: n })),
    )
    const { id } = await requestSnapshot(world, { spaceId: 32, isPublic: false }, { note: noNote })
    const before = await contents()
    await database.query(`
      CREATE FUNCTION interrupt() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
      CREATE TRIGGER interrupt AFTER INSERT ON snapshot_nodes EXECUTE FUNCTION interrupt()`)
    for (let attempt = 0; attempt < 3; attempt++) await expect(run()).rejects.toThrow()
    expect([await contents(), (await showSnapshot(world, id)).state]).toEqual([before, 'waiting'])
    await run()
    expect(await showSnapshot(world, id)).toMatchObject({ state: 'failed', failureCode: 'interrupted' })
    await database.query('DROP TRIGGER interrupt ON snapshot_nodes')
    expect(await contents()).toBe(before)
  })
})

describe('a full disk', () => {
  it('ends the snapshot with an error, and stores nothing', async () => {
    await giveBoard(world, 33, [{ address: A, points: 5 }])
    const before = [await contents(), (await listSnapshots(world, { first: 1_000 })).items.length]
    await database.query(`
      CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON snapshot_nodes EXECUTE FUNCTION full_disk()`)
    await expect(world.seal({ spaceId: 33 })).rejects.toThrow('The disk of the database is full. Nothing was stored.')
    await database.query('DROP TRIGGER full_disk ON snapshot_nodes')
    expect([await contents(), (await listSnapshots(world, { first: 1_000 })).items.length]).toEqual(before)
  })

  it('the service detects it before the sealing, with the embedded database', async () => {
    const { source } = await previewSnapshot(world, { spaceId: 33, isPublic: false })
    const config = { databaseUrl: undefined, dataDir: '/proc' }
    const sealing = sealSnapshot({ ...world, config }, source, { request: { isPublic: false }, note: noNote })
    await expect(sealing).rejects.toThrow(/needs up to 1 MB on the disk of the database, which has 0 MB free/)
  })
})

it('deletes a snapshot with its contents', async () => {
  await giveBoard(world, 40, [{ address: A, points: 5 }])
  const before = await contents()
  const { id } = await world.seal({ spaceId: 40 })
  expect(await contents()).toBe(before + 3)
  await deleteSnapshot(world, id, { note: noNote })
  expect(await contents()).toBe(before)
  await expect(showSnapshot(world, id)).rejects.toThrow(`The snapshot ${id} does not exist.`)
})

it('lists snapshots in pages, newest first', async () => {
  await giveBoard(world, 41, [{ address: A, points: 5 }])
  const made: string[] = []
  for (let n = 0; n < 3; n++) {
    clock.advance(SECOND)
    made.unshift((await world.seal({ spaceId: 41 })).id)
  }
  const scope = { spaceIds: [41], credentialIds: [] }
  const first = await listSnapshots(world, { first: 2, scope })
  expect([first.items.map(({ id }) => id), first.next]).toEqual([made.slice(0, 2), made[1]])
  const second = await listSnapshots(world, { first: 2, after: first.next ?? undefined, scope })
  expect([second.items.map(({ id }) => id), second.next]).toEqual([made.slice(2), null])
  expect((await listSnapshots(world, { first: 2, scope: { spaceIds: [], credentialIds: [] } })).items).toEqual([])
})
