import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { MINUTE } from '../../../src/clock.ts'
import { DEAD_ROW_LIFETIME } from '../../../src/lifetimes.ts'
import { relistQuests, sweepQuestListings } from '../../../src/ranking/quests/listing.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.query(`INSERT INTO spaces (space_id, name, created_at) VALUES (40, 'Forty', now())`)
})
afterAll(() => database.drop())
beforeEach(() => database.query('TRUNCATE quest_participants, quest_claims, quest_listings, quests CASCADE'))

async function addQuest(id: string, status = 'Active'): Promise<void> {
  await database.query(
    `INSERT INTO quests (quest_id, space_id, name, type, status, auto_status, created_at)
     VALUES ($1, 40, 'Quest', 'Drop', $2, false, $3)`,
    [id, status, new Date(now)],
  )
}
const relist = (ids: string[], at = now) => database.kysely.transaction().execute((trx) => relistQuests(trx, ids, at))

/** The list that cursors of a version page through. */
async function listedAt(version: number): Promise<{ quest_id: string; status: string }[]> {
  return database.query(
    'SELECT quest_id, status FROM quest_listings WHERE born <= $1 AND $1 < died ORDER BY quest_id',
    [version],
  )
}
async function currentVersion(): Promise<number> {
  const [row] = await database.query<{ version: number }>('SELECT version FROM quest_catalogue')
  return row?.version ?? Number.NaN
}

test('lists quests unless they are Draft, Deleted or private', async () => {
  for (const status of ['Draft', 'Active', 'NotStarted', 'Expired', 'CapReached', 'Deleted'])
    await addQuest(status, status)
  await addQuest('Private')
  await database.query(`UPDATE quests SET is_private = true WHERE quest_id = 'Private'`)
  await relist(['Draft', 'Active', 'NotStarted', 'Expired', 'CapReached', 'Deleted', 'Private', 'Unknown'])
  const listed = await listedAt(await currentVersion())
  expect(listed.map((row) => row.quest_id)).toEqual(['Active', 'CapReached', 'Expired', 'NotStarted'])
})

test('keeps the list of the version of the first page', async () => {
  await addQuest('A')
  await addQuest('B')
  await relist(['A', 'B'])
  const first = await currentVersion()
  await database.query(`UPDATE quests SET status = 'Expired' WHERE quest_id = 'A'`)
  await database.query(`UPDATE quests SET is_private = true WHERE quest_id = 'B'`)
  expect(await relist(['A', 'B'])).toEqual(['A', 'B'])
  expect(await listedAt(first)).toEqual([
    { quest_id: 'A', status: 'Active' },
    { quest_id: 'B', status: 'Active' },
  ])
  expect(await listedAt(await currentVersion())).toEqual([{ quest_id: 'A', status: 'Expired' }])
})

test('uses no version for a change of other columns', async () => {
  await addQuest('A')
  await relist(['A'])
  const before = await currentVersion()
  await database.query(`UPDATE quests SET name = 'Another name', participants_count = 7`)
  expect(await relist(['A'])).toEqual([])
  expect(await currentVersion()).toBe(before)
})

test('uses a version for another start of a quest only before it has started', async () => {
  await addQuest('A')
  await addQuest('B', 'NotStarted')
  await relist(['A', 'B'])
  await database.query(`UPDATE quests SET start_time = '2026-12-01T00:00:00.1234Z'`)
  expect(await relist(['A', 'B'])).toEqual(['B'])
  expect(await relist(['A', 'B'])).toEqual([])
})

test('assigns versions in the order of commits for concurrent changes', async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `Q${n}`)
  for (const id of ids) await addQuest(id)
  const before = await currentVersion()
  await Promise.all(ids.map((id) => relist([id])))
  expect(await currentVersion()).toBe(before + 20)
  expect(await listedAt(before + 7)).toHaveLength(7)
})

test('deletes dead listings only after all cursors to them have expired', async () => {
  await addQuest('A')
  await relist(['A'])
  await database.query(`UPDATE quests SET status = 'Expired'`)
  await relist(['A'])
  expect(await sweepQuestListings(database.kysely, now + DEAD_ROW_LIFETIME - MINUTE)).toBe(0)
  expect(await sweepQuestListings(database.kysely, now + DEAD_ROW_LIFETIME + MINUTE)).toBe(1)
  expect(await listedAt(await currentVersion())).toEqual([{ quest_id: 'A', status: 'Expired' }])
})
