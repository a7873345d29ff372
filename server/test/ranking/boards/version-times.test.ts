import { beforeEach, describe, expect, it } from 'vitest'
import { MINUTE, SECOND } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { applyReversals } from '../../../src/ledger/reversals.ts'
import { silentLog } from '../../../src/logging/log.ts'
import { deleteObject } from '../../../src/objects/objects.ts'
import { eraseAddress } from '../../../src/personal-data/erase-address.ts'
import { applyEvents } from '../../../src/ranking/awards.ts'
import { beginAwards } from '../../../src/ranking/awards.queries.ts'
import { sweepBoards } from '../../../src/ranking/boards-sweep.ts'
import { settleSpace } from '../../../src/ranking/timed-awards.ts'
import { scheduleJobs } from '../../../src/schedule/schedule.ts'
import { resolveSource } from '../../../src/snapshots/resolve-source.ts'
import { previewSnapshot } from '../../../src/snapshots/snapshots.ts'
import { bansFixture } from '../../bans/arrange.ts'
import { noNote, snapshotWorld } from '../../snapshots/arrange.ts'

const world = await snapshotWorld()
const { database, random } = world
const { kysely } = database
/** Each reading of the time takes ten seconds, so that each point of a transaction has another time. */
const clock = {
  ...world.clock,
  now() {
    world.clock.advance(10 * SECOND)
    return world.clock.now()
  },
}
const deps = { ...world, clock, log: silentLog }
const { ban, lift } = bansFixture({ database, deps: deps as never })

let space = 100
beforeEach(async () => {
  space++
  await importRecords(deps, 'spaces', [{ spaceId: space, name: 'Space' }])
  await importRecords(deps, 'sprints', [{ spaceId: space, sprintId: 1, name: 'Sprint' }])
  await award('ann', 5, { sprintId: 1 })
  await award('bob', 4)
})

let keys = 0
const award = (
  address: string,
  points: number,
  { sprintId = 0, ...times }: { sprintId?: number; expiresAt?: Date } = {},
) =>
  kysely.transaction().execute(async (trx) => {
    await beginAwards(trx, 0)
    await applyEvents(trx, space, [{ key: `key-${keys++}`, sprintId, address, points, ...times }], clock)
  })
const current = async () =>
  Number(
    (await database.query<{ version: string }>(`SELECT version FROM space_versions WHERE space_id = ${space}`))[0]
      ?.version,
  )
const recorded = async (after = 0) =>
  (
    await database.query<{ version: string; recorded_at: Date }>(
      `SELECT version, recorded_at FROM space_version_times WHERE space_id = ${space} AND version > ${after} ORDER BY version`,
    )
  ).map(({ version, recorded_at }) => ({ version: Number(version), at: recorded_at.getTime() }))
/** Entries that are newer than the recorded time of a version that contains them. */
const newerEntries = () =>
  database.query(
    `SELECT e.version, e.entered_at, t.recorded_at FROM ledger_entries e JOIN space_version_times t ON t.space_id = e.space_id
     WHERE e.space_id = ${space} AND e.version <= t.version AND e.entered_at > t.recorded_at`,
  )
const pointsAt = async (at: number) =>
  (await previewSnapshot(deps, { spaceId: space, isPublic: false, at: new Date(at) })).preview.points

const writers: Record<string, () => Promise<unknown>> = {
  'an award': () => award('ann', 1),
  'an import of totals, some of them of banned members': async () => {
    await ban({ address: 'bob' }, { spaceId: space })
    world.clock.advance(MINUTE)
    return () =>
      importRecords(deps, 'points', [
        { spaceId: space, address: 'bob', points: 40 },
        { spaceId: space, address: 'ann', points: 50, username: 'Ann' },
      ])
  },
  'an import of totals of banned members only': async () => {
    await ban({ address: 'bob' }, { spaceId: space })
    world.clock.advance(MINUTE)
    return () => importRecords(deps, 'points', [{ spaceId: space, address: 'bob', points: 40 }])
  },
  'an import of awards in several statements': () =>
    importRecords(
      deps,
      'awards',
      Array.from({ length: 5_001 }, (_, n) => ({ spaceId: space, key: `${n}`, address: `member${n % 5}`, points: 1 })),
    ),
  'a reversal': () =>
    kysely
      .transaction()
      .execute((trx) => applyReversals(trx, space, [{ key: `key-${keys - 1}`, reason: 'Wrong' }], clock)),
  'the expiry of an award': async () => {
    await award('ann', 1, { expiresAt: new Date(world.clock.now() + MINUTE) })
    world.clock.advance(2 * MINUTE)
    return () => kysely.transaction().execute((trx) => settleSpace(trx, space, { clock, lockWait: 0 }))
  },
  'an expiry that the schedule finds': async () => {
    await award('ann', 1, { expiresAt: new Date(world.clock.now() + MINUTE) })
    world.clock.advance(2 * MINUTE)
    const jobs = scheduleJobs({ ...deps, random, starboardRefreshInterval: MINUTE, auditRetention: MINUTE })
    const now = world.clock.now()
    const call = { now, agreedNow: async () => now, signal: new AbortController().signal }
    return async () => {
      await jobs.find(({ name }) => name === 'timed awards')?.run(call)
      expect((await recorded()).at(-1)?.at).toBeGreaterThan(now)
    }
  },
  'a ban': () => ban({ address: 'bob' }, { spaceId: space }),
  'the end of a ban': async () => {
    const { id } = await ban({ address: 'bob' }, { spaceId: space })
    world.clock.advance(MINUTE)
    return () => lift(id)
  },
  'an erasure': () => eraseAddress({ ...deps, random }, 'bob'),
  'the deletion of a sprint': () => deleteObject(deps, 'sprint', `${space}-1`, { note: noNote }),
}

describe('the time of a version', () => {
  it.each(Object.entries(writers))('is after its entries, and only of the last version: %s', async (_, prepare) => {
    let before = await current()
    world.clock.advance(MINUTE)
    const work = await prepare()
    if (typeof work === 'function') {
      before = await current()
      await (work as () => Promise<unknown>)()
    }
    const last = await current()
    expect(last).toBeGreaterThan(before)
    expect((await recorded(before)).map(({ version }) => version)).toEqual([last])
    expect(await newerEntries()).toEqual([])
    const times = (await recorded()).map(({ at }) => at)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  })
})

describe('a snapshot of an earlier time', () => {
  it('has no part of an import that ended later', async () => {
    world.clock.advance(MINUTE)
    const began = clock.now()
    const awards = Array.from({ length: 10_001 }, (_, n) => ({
      spaceId: space,
      key: `a${n}`,
      address: 'cid',
      points: 1,
    }))
    await importRecords(deps, 'awards', awards)
    const ended = world.clock.now()
    for (let at = began; at < ended; at += 10 * SECOND) expect(await pointsAt(at)).toBe('9')
    expect(await pointsAt(ended)).toBe('10010')
  })

  it('has no award that came later, if the sweep started before it and read the board after it', async () => {
    await award('ann', 1)
    const started = world.clock.now()
    world.clock.advance(SECOND)
    await kysely.transaction().execute(async (trx) => {
      await beginAwards(trx, 0)
      await applyEvents(trx, space, [{ key: 'late', sprintId: 0, address: 'ann', points: 100 }], world.clock)
    })
    world.clock.advance(SECOND)
    await sweepBoards(kysely, started, world.clock)
    await award('ann', 1)
    expect(await pointsAt(started)).toBe('10')
    expect(await newerEntries()).toEqual([])
  })

  it('has the version of a preview of that time, which read the board before a change was committed', async () => {
    world.clock.advance(MINUTE)
    let seen = new Date(0)
    await kysely.transaction().execute(async (trx) => {
      await beginAwards(trx, 0)
      await applyEvents(trx, space, [{ key: 'slow', sprintId: 0, address: 'ann', points: 100 }], clock)
      seen = (await previewSnapshot(deps, { spaceId: space, isPublic: false })).preview.asOf
    })
    const at = async (time: number) =>
      (await previewSnapshot(deps, { spaceId: space, isPublic: false, at: new Date(time) })).preview
    expect(await at(seen.getTime())).toMatchObject({ points: '9', asOf: seen })
    expect(await at(seen.getTime() + 1)).toMatchObject({ points: '109', asOf: new Date(seen.getTime() + 1) })
  })
})

describe('a preview', () => {
  /** Runs `work` before a statement of the returned connection. */
  const interrupted = (statement: number, work: () => Promise<void>): typeof kysely => {
    const executor = kysely.getExecutor()
    let count = 0
    return {
      getExecutor: () => ({
        transformQuery: executor.transformQuery.bind(executor),
        compileQuery: executor.compileQuery.bind(executor),
        async executeQuery(query: Parameters<typeof executor.executeQuery>[0]) {
          if (++count === statement) await work()
          return executor.executeQuery(query)
        },
      }),
    } as never
  }

  it.each([1, 2])('has a time at which its version was current, if an award precedes its statement %i', async (n) => {
    world.clock.advance(MINUTE)
    const source = await resolveSource(
      interrupted(n, () => award('ann', 100)),
      clock,
      { spaceId: space, isPublic: false },
    )
    expect(source).toMatchObject({ version: await current() })
    expect(await newerEntries()).toEqual([])
    await award('ann', 1)
    expect(await pointsAt(source.asOf.getTime())).toBe('109')
  })
})
