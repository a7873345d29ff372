import { afterAll, beforeAll, expect, test } from 'vitest'
import { statement } from '../src/database/connection.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const double = statement<{ doubled: number }>('test.double', 'SELECT $1::int * 2 AS doubled')

test('many reads of one statement share the pipelined connections', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => database.read(double, [n])))
  expect(answers.map(([row]) => row?.doubled)).toEqual(Array.from({ length: 100 }, (_, n) => n * 2))
})

test('a statement that fails leaves the statements around it unharmed', async () => {
  const fails = statement('test.divide', 'SELECT 1 / $1::int')
  const results = await Promise.allSettled([
    database.read(double, [1]),
    database.read(fails, [0]),
    database.read(double, [3]),
  ])
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})
