import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteObject } from '../../src/objects/objects.ts'
import { lockRefresh } from '../../src/ranking/starboards/refresh.queries.ts'
import { refreshStarboard } from '../../src/ranking/starboards/refresh.ts'
import { addSamples, createStarboard } from '../ranking/starboard-arrange.ts'
import { testClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase, waitingSessions } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

it('deletes the ranking that a running refresh of the starboard stores', async () => {
  const clock = testClock('2026-11-21T12:00:00Z')
  const arrange = async () => {
    await createStarboard(database, 'a', ['amy'])
    await addSamples(database, 'a', [['amy', '2026-11-21T10:00:00Z', 5]])
    await refreshStarboard({ database, clock }, 'a')
  }
  await arrange()
  const deletion = await database.kysely.transaction().execute(async (refresh) => {
    await lockRefresh(refresh, 'a', { wait: true })
    const deleting = deleteObject({ database, clock }, 'starboard', 'a', { note: async () => {} })
    await expect.poll(() => waitingSessions(database, 'starboard_refreshes')).toBe(1)
    await refresh
      .insertInto('starboard_rankings')
      .values({ starboard_id: 'a', version: 2, generation: 2, ranked_at: new Date(clock.now()), user_count: 1 })
      .execute()
    const entry = { starboard_id: 'a', generation: 2, handle: 'amy', from_version: 2, score: 6, individual: 0, aura: 0 }
    await refresh.insertInto('starboard_entries').values(entry).execute()
    return { deleting }
  })
  expect(await deletion.deleting).toMatchObject({ rankings: 2, entries: 2 })
  expect(await database.query('SELECT handle FROM starboard_entries')).toEqual([])
  // The same id begins anew.
  await arrange()
})
