import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { MINUTE, SECOND } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { DEAD_ROW_LIFETIME } from '../../src/lifetimes.ts'
import type { Award } from '../../src/ranking/boards.ts'
import { lockSpaces } from '../../src/ranking/boards.queries.ts'
import { sweepBoards } from '../../src/ranking/boards-sweep.ts'
import { giveAwards } from '../support/awards.ts'
import { testClock } from '../support/clock.ts'
import { createTestDatabase, isCluster, type TestDatabase, waitingSessions } from '../support/database.ts'

let database: TestDatabase
const clock = testClock()
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.query(
    'TRUNCATE quest_participants, quest_claims, quest_conditions, spaces, ledger_entries, board_moves, board_entries, board_past, other_board_changes, profiles, space_version_times CASCADE',
  )
  await importRecords({ database, clock }, 'spaces', [
    { spaceId: 40, name: 'Forty' },
    { spaceId: 41, name: 'Forty-one' },
  ])
  await importRecords({ database, clock }, 'sprints', [
    { spaceId: 40, sprintId: 1 },
    { spaceId: 40, sprintId: 2 },
  ])
})

// An invariant that the schema does not enforce (docs/decisions/0007).
afterEach(async () => {
  const wrong = await database.query(
    `SELECT space_id, sprint_id, member_count, living FROM boards FULL JOIN (
       SELECT space_id, sprint_id, count(*) AS living
       FROM board_entries GROUP BY space_id, sprint_id
     ) AS entries USING (space_id, sprint_id)
     WHERE member_count IS NULL OR member_count <> coalesce(living, 0)`,
  )
  expect(wrong).toEqual([])
})

const award = (awards: Award[]) => database.kysely.transaction().execute((trx) => giveAwards(trx, awards, clock))
const setPoints = (records: Parameters<typeof importRecords<'points'>>[2]) =>
  importRecords({ database, clock }, 'points', records)

interface Entry {
  address: string
  points: number
  username: string
}
/** Every current and past row of a board, with the versions between which it exists. */
const VERSIONS = `(
  SELECT space_id, sprint_id, address, points, username, born, 9223372036854775807 AS died FROM board_entries
  UNION ALL SELECT space_id, sprint_id, address, ~descent, username, born, died FROM board_past)`
const boardAt = (spaceId: number, sprintId: number, version: number) =>
  database.query<Entry>(
    `SELECT address, points, username FROM ${VERSIONS} AS entry
     WHERE space_id = $1 AND sprint_id = $2 AND born <= $3 AND died > $3 ORDER BY points DESC, address`,
    [spaceId, sprintId, version],
  )
const standings = async (spaceId: number, sprintId: number) =>
  (await boardAt(spaceId, sprintId, await versionOf(spaceId))).map((entry) => `${entry.address} ${entry.points}`)
async function versionOf(spaceId: number): Promise<number> {
  const rows = await database.query<{ version: number }>('SELECT version FROM space_versions WHERE space_id = $1', [
    spaceId,
  ])
  return rows[0]?.version ?? 0
}
async function memberCount(spaceId: number, sprintId: number): Promise<number> {
  const rows = await database.query<{ member_count: number }>(
    'SELECT member_count FROM boards WHERE space_id = $1 AND sprint_id = $2',
    [spaceId, sprintId],
  )
  return rows[0]?.member_count ?? 0
}

describe('awards', () => {
  test('count on the overall board and on the board of their sprint', async () => {
    await award([
      { spaceId: 40, address: 'ann', points: 5 },
      { spaceId: 40, sprintId: 1, address: 'ann', points: 3 },
      { spaceId: 40, sprintId: 2, address: 'bob', points: 4 },
      { spaceId: 41, address: 'ann', points: 1 },
    ])
    expect(await standings(40, 0)).toEqual(['ann 8', 'bob 4'])
    expect(await standings(40, 1)).toEqual(['ann 3'])
    expect(await standings(40, 2)).toEqual(['bob 4'])
    expect(await standings(41, 0)).toEqual(['ann 1'])
    expect([await memberCount(40, 0), await memberCount(40, 1), await memberCount(41, 0)]).toEqual([2, 1, 1])
  })

  test('use one version per changed space and batch', async () => {
    await award([{ spaceId: 40, address: 'ann', points: 5 }])
    await award([
      { spaceId: 40, address: 'ann', points: 1 },
      { spaceId: 40, address: 'bob', points: 1 },
      { spaceId: 40, address: 'bob', points: 1 },
    ])
    expect(await versionOf(40)).toBe(2)
    expect(await versionOf(41)).toBe(0)
    expect(await standings(40, 0)).toEqual(['ann 6', 'bob 2'])
  })

  test('may be negative; awards that cancel out keep the points and create a version', async () => {
    await award([{ spaceId: 40, address: 'ann', points: 5 }])
    await award([{ spaceId: 40, address: 'ann', points: -7 }])
    expect(await standings(40, 0)).toEqual(['ann -2'])
    await award([
      { spaceId: 40, address: 'ann', points: 9 },
      { spaceId: 40, address: 'ann', points: -9 },
    ])
    expect(await standings(40, 0)).toEqual(['ann -2'])
    expect(await versionOf(40)).toBe(3)
  })

  test('of concurrent batches add up exactly without deadlocks', async () => {
    const batches = Array.from({ length: 12 }, (_, n) => [
      { spaceId: n % 2 ? 40 : 41, address: `member${n % 7}`, points: n + 1 },
      { spaceId: n % 2 ? 41 : 40, address: `member${n % 5}`, points: 1 },
    ])
    await Promise.all(batches.map((batch) => award(batch)))
    const total = async (spaceId: number) =>
      (await boardAt(spaceId, 0, await versionOf(spaceId))).reduce((sum, entry) => sum + entry.points, 0)
    const given = (spaceId: number) =>
      batches.flat().reduce((sum, one) => sum + (one.spaceId === spaceId ? one.points : 0), 0)
    expect([await total(40), await total(41)]).toEqual([given(40), given(41)])
    expect([await versionOf(40), await versionOf(41)]).toEqual([12, 12])
  })
})

describe('totals', () => {
  test('replace the points of their members only', async () => {
    await award([
      { spaceId: 40, sprintId: 1, address: 'ann', points: 5 },
      { spaceId: 40, address: 'bob', points: 6 },
    ])
    const report = await setPoints([
      { spaceId: 40, address: 'ann', points: 1 },
      { spaceId: 40, address: 'cat', points: 9 },
    ])
    expect(report).toMatchObject({ added: 1, changed: 1 })
    expect(await standings(40, 0)).toEqual(['cat 9', 'bob 6', 'ann 1'])
    expect(await standings(40, 1)).toEqual(['ann 5'])
    expect([await memberCount(40, 0), await memberCount(40, 1)]).toEqual([3, 1])
    expect(await versionOf(40)).toBe(2)
  })

  test('that are unchanged use no version; a changed member uses one', async () => {
    const file = Array.from({ length: 500 }, (_, n) => ({ spaceId: 40, address: `member${n}`, points: n }))
    await setPoints(file)
    expect(await setPoints(file)).toMatchObject({ added: 0, changed: 0 })
    expect(await versionOf(40)).toBe(1)
    file[3] = { spaceId: 40, address: 'member3', points: 77 }
    expect(await setPoints(file)).toMatchObject({ added: 0, changed: 1 })
    expect(await versionOf(40)).toBe(2)
    expect(await database.query('SELECT FROM board_entries')).toHaveLength(500)
    expect(await database.query('SELECT FROM board_past')).toHaveLength(1)
  })

  test('count their lines, and not the other boards that show a new name', async () => {
    await award([
      { spaceId: 40, sprintId: 1, address: 'ann', points: 5 },
      { spaceId: 41, address: 'ann', points: 6 },
    ])
    const report = await setPoints([{ spaceId: 40, address: 'ann', points: 5, username: 'Ann' }])
    expect(report).toMatchObject({ added: 0, changed: 1 })
  })
})

describe('names', () => {
  const names = async () =>
    (
      await database.query<{ place: string; username: string; avatar: string }>(
        `SELECT space_id || '/' || sprint_id || ' ' || address AS place, username, avatar FROM board_entries
         ORDER BY 1`,
      )
    ).map(({ place, username, avatar }) => `${place} ${username} ${avatar}`.trim())

  test('default to a short, stable id', async () => {
    await award([{ spaceId: 40, address: 'ann', points: 5 }])
    await award([{ spaceId: 40, address: 'ann', points: 5 }])
    expect(await names()).toEqual(['40/0 ann 7e0d7f8a5d'])
  })

  test('apply to every board of the member, and stay if a later file omits them', async () => {
    await award([
      { spaceId: 40, sprintId: 1, address: 'ann', points: 5 },
      { spaceId: 41, address: 'ann', points: 5 },
      { spaceId: 41, address: 'bob', points: 5 },
    ])
    await setPoints([{ spaceId: 40, address: 'ann', points: 5, username: 'Ann', avatar: 'https://a.example/1.png' }])
    const named = [
      '40/0 ann Ann https://a.example/1.png',
      '40/1 ann Ann https://a.example/1.png',
      '41/0 ann Ann https://a.example/1.png',
      '41/0 bob 9f9d51bc70',
    ]
    expect(await names()).toEqual(named)
    expect([await versionOf(40), await versionOf(41)]).toEqual([2, 2])
    await setPoints([{ spaceId: 40, address: 'ann', points: 5, username: '' }])
    await award([{ spaceId: 40, sprintId: 2, address: 'ann', points: 1 }])
    expect(await names()).toEqual([...named.slice(0, 2), '40/2 ann Ann https://a.example/1.png', ...named.slice(2)])
  })

  test('come from the last line of a file for an address', async () => {
    await setPoints([
      { spaceId: 40, address: 'ann', points: 1, username: 'First' },
      { spaceId: 41, address: 'ann', points: 1, avatar: 'https://a.example/1.png' },
      { spaceId: 40, sprintId: 1, address: 'ann', points: 1, username: 'Last' },
    ])
    expect(await names()).toEqual([
      '40/0 ann Last https://a.example/1.png',
      '40/1 ann Last https://a.example/1.png',
      '41/0 ann Last https://a.example/1.png',
    ])
  })
})

describe('a reader of one version', () => {
  async function traverse(version: number): Promise<Entry[]> {
    const seen: Entry[] = []
    for (;;) {
      const last = seen.at(-1)
      const page = await database.query<Entry>(
        `SELECT address, points, username FROM ${VERSIONS} AS entry
         WHERE space_id = 40 AND sprint_id = 0 AND born <= $1 AND died > $1
           AND ($2::int IS NULL OR points < $2 OR (points = $2 AND address > $3))
         ORDER BY points DESC, address LIMIT 10`,
        [version, last?.points ?? null, last?.address ?? null],
      )
      if (page.length === 0) return seen
      seen.push(...page)
    }
  }

  test('sees the board of that version during concurrent awards', async () => {
    const size = 400
    await setPoints(Array.from({ length: size }, (_, n) => ({ spaceId: 40, address: `member${n}`, points: n % 50 })))
    const version = await versionOf(40)
    const expected = await boardAt(40, 0, version)
    let reading = true
    const writers = Array.from({ length: 3 }, async (_, writer) => {
      for (let n = 0; reading; n++)
        await award(
          Array.from({ length: 20 }, (_, i) => ({
            spaceId: 40,
            sprintId: 1 + (i % 2),
            address: `member${(n * 37 + i * 11 + writer) % (size + 50)}`,
            points: (n % 9) - 4,
          })),
        )
    })
    do expect(await traverse(version)).toEqual(expected)
    while ((await versionOf(40)) < version + 25)
    reading = false
    await Promise.all(writers)
    const now = await versionOf(40)
    expect(await memberCount(40, 0)).toBe((await boardAt(40, 0, now)).length)
    expect(await memberCount(40, 1)).toBe((await boardAt(40, 1, now)).length)
  })
})

describe('the sweeper', () => {
  test('deletes dead entries only after all cursors to them have expired', async () => {
    await award([{ spaceId: 40, address: 'ann', points: 1 }])
    clock.advance(MINUTE)
    await award([{ spaceId: 40, address: 'ann', points: 1 }])
    const first = 1
    clock.advance(DEAD_ROW_LIFETIME - SECOND)
    expect(await sweepBoards(database.kysely, clock.now(), clock)).toBe(0)
    expect(await boardAt(40, 0, first)).toHaveLength(1)
    clock.advance(2 * SECOND)
    expect(await sweepBoards(database.kysely, clock.now(), clock)).toBe(1)
    expect(await boardAt(40, 0, first)).toHaveLength(0)
    expect(await standings(40, 0)).toEqual(['ann 2'])
  })

  test('deletes dead entries of a burst that recorded only its first version', async () => {
    for (let n = 0; n < 5; n++) await award([{ spaceId: 40, address: 'ann', points: 1 }])
    const noted = () => database.query('SELECT version FROM space_version_times ORDER BY version')
    expect(await noted()).toEqual([{ version: 1 }])
    await sweepBoards(database.kysely, clock.now(), clock)
    expect(await noted()).toEqual([{ version: 1 }, { version: 5 }])
    clock.advance(DEAD_ROW_LIFETIME + SECOND)
    expect(await sweepBoards(database.kysely, clock.now(), clock)).toBe(4)
    expect(await noted()).toEqual([{ version: 5 }])
    expect(await standings(40, 0)).toEqual(['ann 5'])
  })

  test('keeps the boards of all versions of the last half hour', async () => {
    const seen: { at: number; version: number; board: Entry[] }[] = []
    for (let n = 0; n < 60; n++) {
      await award([{ spaceId: 40, address: `member${n % 4}`, points: n }])
      const version = await versionOf(40)
      seen.push({ at: clock.now(), version, board: await boardAt(40, 0, version) })
      clock.advance(MINUTE)
      await sweepBoards(database.kysely, clock.now(), clock)
      for (const reader of seen.filter(({ at }) => at >= clock.now() - 30 * MINUTE))
        expect(await boardAt(40, 0, reader.version)).toEqual(reader.board)
    }
    expect((await database.query('SELECT FROM board_past')).length).toBeLessThan(50)
  })
})

// On a cluster, the wait is on a worker.
test.skipIf(isCluster())(
  'inserts the version rows of new spaces before it locks others, which prevents deadlocks',
  async () => {
    await award([{ spaceId: 41, address: 'a', points: 1 }])
    const { kysely } = database
    await kysely
      .transaction()
      .execute(async (holds) => {
        await lockSpaces(holds, [41])
        const waits = kysely.transaction().execute((trx) => lockSpaces(trx, [40, 41]))
        await expect.poll(() => waitingSessions(database), { interval: 10 }).toBe(1)
        // The row of space 40 is inserted but not committed, so another insert waits.
        const adding = kysely.transaction().execute(async (trx) => {
          await sql`SET LOCAL lock_timeout = '50ms'`.execute(trx)
          await sql`INSERT INTO space_versions (space_id) VALUES (40)`.execute(trx)
        })
        await expect(adding).rejects.toMatchObject({ code: '55P03' })
        return () => waits
      })
      .then((waits) => waits())
  },
)
