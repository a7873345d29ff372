import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/connection.ts'
import { statement } from '../../src/database/statement.ts'
import { silentLog } from '../../src/logging/log.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

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
  // What the server passed over is asked again elsewhere; what ends one connection after the other is given up.
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
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

test('statements that take long one after the other are not taken for silence, and are answered also when all is closed', async () => {
  const sleepy = statement<{ slept: string }>('test.sleepy', 'SELECT pg_sleep(0.2)::text AS slept')
  const { connection } = database
  const own = openDatabase({ connection, readConnections: 1, readTimeout: 300, log: silentLog })
  await own.read(double, [1])
  const asked = Array.from({ length: 10 }, () => own.read(sleepy, []))
  await sleep(20)
  const closed = own.close()
  const results = await Promise.allSettled(asked)
  expect(results.map(({ status }) => status)).toEqual(Array(10).fill('fulfilled'))
  await closed
  await expect(own.read(double, [1])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})

test('what many wait for does not stand in line behind what one waits for', async () => {
  const slow = statement('test.queue-slow', 'SELECT pg_sleep(0.02)')
  const first = statement<{ one: number }>('test.queue-first', 'SELECT 1 AS one', undefined, { first: true })
  await database.read(first, [])
  const order: string[] = []
  const pages = Array.from({ length: 60 }, () => database.read(slow, []).then(() => order.push('page')))
  await sleep(20)
  await database.read(first, []).then(() => order.push('first'))
  expect(order).toEqual(['first'])
  await Promise.all(pages)
}, 60_000)

test('what is read that way cannot write', async () => {
  const write = statement('test.write', `INSERT INTO installation (name, value) VALUES ('by', 'a reader')`)
  await expect(database.read(write, [])).rejects.toThrow('read-only transaction')
})

test('texts of any length and alphabet are sent and read unchanged', async () => {
  const texts = [
    '',
    'plain',
    'naïve',
    '☃'.repeat(70),
    '\u{1f600}é',
    'a'.repeat(127),
    'a'.repeat(128),
    'b'.repeat(200_000),
    'é'.repeat(50_089),
  ]
  const made = texts.flatMap((left) => [...texts, null].map((right) => [left, right]))
  const pairs = statement<{ left: string; right: string | null }>(
    'test.pairs',
    'SELECT * FROM unnest($1::text[], $2::text[]) AS pair ("left", "right")',
  )
  const nullable = statement<{ left: string; right: string | null; none: null; again: string; end: string }>(
    'test.nullable',
    `SELECT $1::text AS "left", $2::text AS "right", NULL::text AS none, $1::text AS again, 'end' AS "end"`,
  )
  const known = made.filter((pair): pair is [string, string] => pair[1] !== null)
  const [rows, ...single] = await Promise.all([
    database.read(pairs, [known.map(([left]) => left), known.map(([, right]) => right)]),
    ...made.map(([left, right]) => database.read(nullable, [left as string, right as string | null])),
  ])
  expect(rows.map(({ left, right }) => [left, right])).toEqual(known)
  expect(single.map(([row]) => Object.values(row ?? {}))).toEqual(
    made.map(([left, right]) => [left, right, null, left, 'end']),
  )
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
