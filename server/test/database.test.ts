import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { statement } from '../src/database/statement.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const double = statement<{ doubled: number }>('test.double', 'SELECT $1::int * 2 AS doubled')

test('many reads of one statement share the connections', async () => {
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

test('statements behind one that cannot even be prepared are prepared and answered, new ones and known ones', async () => {
  const missing = statement('test.missing', 'SELECT * FROM there_is_no_such_table')
  for (const turn of [1, 2]) {
    const fresh = statement<{ sum: number }>(`test.sum-${turn}`, 'SELECT $1::int + $2::int AS sum')
    const asked = [
      database.read(fresh, [turn, 1]),
      database.read(missing, []),
      database.read(double, [turn]),
      database.read(fresh, [turn, 2]),
      database.read(missing, []),
      database.read(fresh, [turn, 3]),
    ]
    const results = await Promise.allSettled(asked)
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)))).toEqual([
      [{ sum: turn + 1 }],
      expect.stringContaining('there_is_no_such_table'),
      [{ doubled: 2 * turn }],
      [{ sum: turn + 2 }],
      expect.stringContaining('there_is_no_such_table'),
      [{ sum: turn + 3 }],
    ])
  }
})

test('statements that the server has forgotten are prepared again', async () => {
  const forget = statement('test.forget', 'DEALLOCATE ALL')
  const many = () => Promise.all(Array.from({ length: 100 }, (_, n) => database.read(double, [n])))
  await many()
  await Promise.all(Array.from({ length: 100 }, () => database.read(forget, []).catch(() => {})))
  expect((await many()).map(([row]) => row?.doubled)).toEqual(Array.from({ length: 100 }, (_, n) => n * 2))
})

test('a connection that is lost while statements wait fails those, and the next ones are answered', async () => {
  const end = statement('test.end', 'SELECT pg_terminate_backend(pg_backend_pid())')
  const results = await Promise.allSettled([
    database.read(double, [1]),
    database.read(end, []),
    database.read(double, [2]),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(await database.read(double, [3])).toEqual([{ doubled: 6 }])
})

test('a value that cannot be spelt fails its own statement', async () => {
  const results = await Promise.allSettled([
    database.read(double, [1]),
    database.read(double, [undefined as never]),
    database.read(double, [{ toString: 'no function' } as never]),
    database.read(double, [2]),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
})

test('what is read that way cannot write', async () => {
  const write = statement('test.write', `INSERT INTO installation (name, value) VALUES ('by', 'a reader')`)
  await expect(database.read(write, [])).rejects.toThrow('read-only transaction')
})

test('fields are read as they are, whatever they contain and however the network cuts them', async () => {
  const texts = [
    '',
    'plain',
    'naïve',
    '☃'.repeat(70),
    '\u{1f600}é',
    'a'.repeat(127),
    'b'.repeat(200_000),
    'é'.repeat(50_089),
  ]
  const made = texts.flatMap((left) => [...texts, null].map((right) => [left, right]))
  const pairs = statement<{ left: string; right: string | null }>(
    'test.pairs',
    'SELECT * FROM unnest($1::text[], $2::text[]) AS pair ("left", "right")',
  )
  const nullable = statement<{ left: string; right: string | null }>(
    'test.nullable',
    `SELECT $1::text AS "left", $2::text AS "right"`,
  )
  const known = made.filter((pair): pair is [string, string] => pair[1] !== null)
  const [rows, ...single] = await Promise.all([
    database.read(pairs, [known.map(([left]) => left), known.map(([, right]) => right)]),
    ...made.map(([left, right]) => database.read(nullable, [left as string, right as string | null])),
  ])
  expect(rows.map(({ left, right }) => [left, right])).toEqual(known)
  expect(single.map(([row]) => [row?.left, row?.right])).toEqual(made)
})

test('a connection that is lost between two statements of a transaction fails the transaction, not the process', async () => {
  const lost = database.kysely.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(trx)
    await database.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
    await sleep(50)
    await sql`SELECT 1`.execute(trx)
  })
  await expect(lost).rejects.toThrow()
  expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
})
