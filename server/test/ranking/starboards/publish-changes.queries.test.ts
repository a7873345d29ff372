import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY, MINUTE } from '../../../src/clock.ts'
import { lookUpByIndex, PUBLISH } from '../../../src/ranking/starboards/publish-changes.queries.ts'
import { refreshStarboard } from '../../../src/ranking/starboards/refresh.ts'
import { testClock } from '../../support/clock.ts'
import { createTestDatabase, isCluster, type TestDatabase } from '../../support/database.ts'
import { addSamples, createStarboard, type Sample } from '../starboard-arrange.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

interface Plan {
  'Index Name'?: string
  'Index Cond'?: string
  Filter?: string
  Plans?: Plan[]
}

const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)]

// The plans of a cluster have other nodes.
test.skipIf(isCluster())('looks users up by handle if the statistics are older than the generation', async () => {
  const clock = testClock('2026-11-21T12:00:00Z')
  const users = Array.from({ length: 2_000 }, (_, n) => `user${n}`)
  const sampleAll = async () => {
    await addSamples(
      database,
      'a',
      users.map((handle, n): Sample => [handle, new Date(clock.now()), (n * clock.now()) % 1009]),
    )
    await refreshStarboard({ database, clock }, 'a')
  }
  await createStarboard(database, 'a', users)
  await sampleAll()
  await database.query('ANALYZE starboard_entries, score_samples')
  clock.advance(MINUTE)
  await sampleAll()
  const [generation] = await database.query(
    'SELECT version, generation FROM starboard_rankings ORDER BY 1 DESC LIMIT 1',
  )
  expect(generation).toEqual({ version: 2, generation: 2 })

  const now = new Date(clock.now() + DAY)
  const plan = await database.kysely.transaction().execute(async (trx) => {
    await lookUpByIndex(trx)
    const values = ['a', now, 2, 2, 2, [], new Date(clock.now()), true]
    const { rows } = await trx.executeQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      CompiledQuery.raw(`EXPLAIN (FORMAT JSON) ${PUBLISH}`, values),
    )
    return rows.flatMap((row) => flat(row['QUERY PLAN'][0].Plan))
  })
  const lookUps = plan.filter((node) => /\bhandle (=|>=) /.test(`${node['Index Cond'] ?? ''} ${node.Filter ?? ''}`))
  const indexes = lookUps.map((node) => node['Index Name'])
  expect(indexes.filter((name) => name === 'score_samples_pkey')).toHaveLength(4)
  expect(indexes.filter((name) => name === 'starboard_entries_of_user')).toHaveLength(2)
  expect(indexes).toHaveLength(6)
})
