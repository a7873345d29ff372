import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensurePlans } from '../../src/access/plans.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const free = (perDay: number) => ({ freePlan: { perSecond: 3, perDay } })
const versions = async () =>
  new Map(
    (await database.query<{ plan: string; xmin: string }>('SELECT plan, xmin::text FROM plans')).map(
      ({ plan, xmin }) => [plan, xmin],
    ),
  )

test('writes only plans with other limits, because a write waits for all nodes of a cluster', async () => {
  await ensurePlans(database, free(100_000))
  const before = await versions()
  expect([...before.keys()].toSorted()).toEqual(['demo', 'free', 'unlimited'])
  await ensurePlans(database, free(100_000))
  expect(await versions()).toEqual(before)
  await ensurePlans(database, free(200_000))
  const after = await versions()
  expect([...after].filter(([plan, version]) => version !== before.get(plan)).map(([plan]) => plan)).toEqual(['free'])
})
