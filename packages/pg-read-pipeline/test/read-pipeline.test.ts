import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { createReadPipeline, statement } from '../src/index.ts'

const createClient = (settings: ClientConfig) =>
  new Client({ ...inject('postgres'), database: 'postgres', ...settings })
const pipeline = createReadPipeline({ createClient, connections: 2 })
afterAll(() => pipeline.close())

const double = statement<{ doubled: number }>('test.double', 'SELECT $1::int * 2 AS doubled')

test('runs many reads on few connections', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => pipeline.read(double, [n])))
  expect(answers.map(([row]) => row?.doubled)).toEqual(Array.from({ length: 100 }, (_, n) => n * 2))
})

test('an error fails only its own statement', async () => {
  const fails = statement('test.divide', 'SELECT 1 / $1::int')
  const results = await Promise.allSettled([
    pipeline.read(double, [1]),
    pipeline.read(fails, [0]),
    pipeline.read(double, [3]),
  ])
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('prepares and runs statements after one that cannot be prepared', async () => {
  const missing = statement('test.missing', 'SELECT * FROM there_is_no_such_table')
  for (const turn of [1, 2]) {
    const fresh = statement<{ sum: number }>(`test.sum-${turn}`, 'SELECT $1::int + $2::int AS sum')
    const asked = [
      pipeline.read(fresh, [turn, 1]),
      pipeline.read(missing, []),
      pipeline.read(double, [turn]),
      pipeline.read(fresh, [turn, 2]),
      pipeline.read(missing, []),
      pipeline.read(fresh, [turn, 3]),
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

test('prepares statements again that the server has deallocated', async () => {
  const forget = statement('test.forget', 'DEALLOCATE ALL')
  const many = () => Promise.all(Array.from({ length: 100 }, (_, n) => pipeline.read(double, [n])))
  await many()
  await Promise.all(Array.from({ length: 100 }, () => pipeline.read(forget, []).catch(() => {})))
  expect((await many()).map(([row]) => row?.doubled)).toEqual(Array.from({ length: 100 }, (_, n) => n * 2))
})

test('keeps the statements that were used last, with their rows intact', async () => {
  const few = createReadPipeline({ createClient, connections: 1, maxPrepared: 16 })
  const kept = statement<{ name: string }>(
    'test.kept',
    `SELECT name FROM pg_prepared_statements WHERE name LIKE 'test.one-of-many-%'`,
  )
  const many = Array.from({ length: 40 }, (_, n) =>
    statement<{ found: number }>(`test.one-of-many-${n}`, `SELECT $1::int + ${n} AS found`),
  )
  for (let round = 0; round < 3; round++) {
    const found = await Promise.all(many.flatMap((one) => [few.read(one, [round]), few.read(double, [round])]))
    expect(found.map(([row]) => row)).toEqual(many.flatMap((_, n) => [{ found: round + n }, { doubled: 2 * round }]))
    const names = (await few.read(kept, [])).map(({ name }) => name)
    expect(names.toSorted()).toEqual(many.slice(-15).map(({ name }) => name))
  }
  await few.close()
})

test('a lost connection fails the statement that ended it, and the next reads succeed', async () => {
  const end = statement('test.end', 'SELECT pg_terminate_backend(pg_backend_pid())')
  const results = await Promise.allSettled([
    pipeline.read(double, [1]),
    pipeline.read(end, []),
    pipeline.read(double, [2]),
  ])
  // Skipped statements are sent again on another connection. A statement that ends two connections is not.
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await pipeline.read(double, [3])).toEqual([{ doubled: 6 }])
})

test('a value that cannot be encoded fails its own statement', async () => {
  const results = await Promise.allSettled([
    pipeline.read(double, [1]),
    pipeline.read(double, [undefined as never]),
    pipeline.read(double, [{ toString: 'no function' } as never]),
    pipeline.read(double, [2]),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
})

test('a group may take longer than one statement, and close() waits for it', async () => {
  const sleepy = statement<{ slept: string }>('test.sleepy', 'SELECT pg_sleep(0.2)::text AS slept')
  const own = createReadPipeline({ createClient, connections: 1, statementTimeout: 300 })
  await own.read(double, [1])
  const asked = Array.from({ length: 10 }, () => own.read(sleepy, []))
  await sleep(20)
  const closed = own.close()
  const results = await Promise.allSettled(asked)
  expect(results.map(({ status }) => status)).toEqual(Array(10).fill('fulfilled'))
  await closed
  await expect(own.read(double, [1])).rejects.toThrow('the database is closed')
})

test('each connection runs the settings after it connects', async () => {
  const zone = statement<{ zone: string }>('test.zone', `SELECT current_setting('TimeZone') AS zone`)
  const own = createReadPipeline({ createClient, connections: 1, settings: `SET TimeZone = 'Asia/Tokyo'` })
  expect(await own.read(zone, [])).toEqual([{ zone: 'Asia/Tokyo' }])
  await own.close()
})

test('priority statements do not wait behind others', async () => {
  const slow = statement('test.queue-slow', 'SELECT pg_sleep(0.02)')
  const first = statement<{ one: number }>('test.queue-first', 'SELECT 1 AS one', undefined, { priority: true })
  await pipeline.read(first, [])
  const order: string[] = []
  const pages = Array.from({ length: 60 }, () => pipeline.read(slow, []).then(() => order.push('page')))
  await sleep(20)
  await pipeline.read(first, []).then(() => order.push('first'))
  expect(order).toEqual(['first'])
  await Promise.all(pages)
})

test('statements cannot write', async () => {
  const write = statement('test.write', 'CREATE TABLE written (id int)')
  await expect(pipeline.read(write, [])).rejects.toThrow('read-only transaction')
})

test('sends and reads texts of any length and alphabet unchanged', async () => {
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
    pipeline.read(pairs, [known.map(([left]) => left), known.map(([, right]) => right)]),
    ...made.map(([left, right]) => pipeline.read(nullable, [left as string, right as string | null])),
  ])
  expect(rows.map(({ left, right }) => [left, right])).toEqual(known)
  expect(single.map(([row]) => Object.values(row ?? {}))).toEqual(
    made.map(([left, right]) => [left, right, null, left, 'end']),
  )
})
