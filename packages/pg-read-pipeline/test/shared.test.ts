import { Client, type ClientConfig } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createReadPipeline, type Reader, sharedLookup, statement } from '../src/index.ts'

const connection: ClientConfig = { ...inject('postgres'), database: 'postgres' }
const pipeline = createReadPipeline({
  createClient: (settings) => new Client({ ...connection, ...settings }),
  connections: 2,
})
const writer = new Client(connection)
beforeAll(async () => {
  await writer.connect()
  await writer.query('CREATE TABLE shared_lookups (id int PRIMARY KEY, name text)')
  await writer.query(`INSERT INTO shared_lookups SELECT id, 'name ' || id FROM generate_series(1, 100) AS id`)
})
afterAll(async () => {
  await pipeline.close()
  await writer.query('DROP TABLE shared_lookups')
  await writer.end()
})

const byIds = statement<{ id: number; name: string }>(
  'test.by-ids',
  'SELECT id, name FROM shared_lookups WHERE id = ANY ($1::int[])',
)
const byId = statement<{ name: string }>('test.by-id', 'SELECT name FROM shared_lookups WHERE id = $1')
const slow = statement<{ name: string }>(
  'test.slow-by-id',
  'SELECT name FROM shared_lookups, pg_sleep(0.05) WHERE id = $1',
)

/** The keys of each execution of a lookup. */
function createLookup() {
  const executions: number[][] = []
  const find = sharedLookup<number, string>(String, async (reader, ids) => {
    executions.push(ids)
    return new Map((await reader.read(byIds, [ids])).map(({ id, name }) => [String(id), name]))
  })
  return { executions, find }
}

test('callers of one turn share one statement, and each gets its own row', async () => {
  const { executions, find } = createLookup()
  expect(await Promise.all([3, 1, 3, 999].map((id) => find(pipeline, id)))).toEqual([
    'name 3',
    'name 1',
    'name 3',
    undefined,
  ])
  expect(executions).toEqual([[3, 1, 999]])
})

test('many concurrent callers need few statements', async () => {
  const { executions, find } = createLookup()
  const ids = Array.from({ length: 100 }, (_, index) => index + 1)
  const found = await Promise.all(ids.map((id) => find(pipeline, id)))
  expect(found).toEqual(ids.map((id) => `name ${id}`))
  expect(executions.length).toBeLessThan(20)
})

test('a statement has at most 500 keys, and all callers get their rows', async () => {
  const { executions, find } = createLookup()
  const ids = Array.from({ length: 1_200 }, (_, index) => index + 1)
  // An equal key does not need another statement.
  const found = await Promise.all([...ids.slice(0, 500), 1, ...ids.slice(500)].map((id) => find(pipeline, id)))
  expect(executions.map((keys) => keys.length)).toEqual([500, 500, 200])
  expect(executions.flat()).toEqual(ids)
  expect(found.filter((name) => name !== undefined)).toHaveLength(101)
})

test('a failed statement fails its callers, and the next callers succeed', async () => {
  let fails = true
  const find = sharedLookup<number, string>(String, async (reader, ids) => {
    if (fails) throw new Error('no connection')
    return new Map((await reader.read(byIds, [ids])).map(({ id, name }) => [String(id), name]))
  })
  const failed = await Promise.allSettled([find(pipeline, 1), find(pipeline, 2)])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fails = false
  expect(await find(pipeline, 1)).toBe('name 1')
})

test('keys of different groups never share a statement, so the failure of one group leaves the others', async () => {
  const executions: number[][] = []
  const find = sharedLookup<number, string>(
    String,
    async (reader, ids) => {
      executions.push(ids)
      if (ids.some((id) => id >= 50)) throw new Error('no connection')
      return new Map((await reader.read(byIds, [ids])).map(({ id, name }) => [String(id), name]))
    },
    (id) => (id < 50 ? 'low' : 'high'),
  )
  for (let round = 0; round < 2; round++) {
    const found = await Promise.allSettled([1, 51, 2, 52].map((id) => find(pipeline, id)))
    expect(found.map((one) => (one.status === 'fulfilled' ? one.value : one.status))).toEqual([
      'name 1',
      'rejected',
      'name 2',
      'rejected',
    ])
  }
  expect(executions).toEqual([
    [1, 2],
    [51, 52],
    [1, 2],
    [51, 52],
  ])
})

const rename = (name: string) => writer.query('UPDATE shared_lookups SET name = $1 WHERE id = 50', [name])

test.each([
  ['a lookup', (reader: Reader, find: ReturnType<typeof createLookup>['find']) => find(reader, 50)],
  ['a shared read', async (reader: Reader) => (await reader.readShared(byId, [50]))[0]?.name],
])('%s returns data that was committed before its call, also while another one runs', async (_, lookUp) => {
  const { find } = createLookup()
  for (let round = 0; round < 20; round++) {
    const earlier = lookUp(pipeline, find)
    await rename(`round ${round}`)
    expect(await lookUp(pipeline, find)).toBe(`round ${round}`)
    await earlier
  }
})

test('shared reads with equal values return the same rows, others their own', async () => {
  const [one, same, other] = await Promise.all([
    pipeline.readShared(byId, [1]),
    pipeline.readShared(byId, [1]),
    pipeline.readShared(byId, [2]),
  ])
  expect(one).toBe(same)
  expect(other).toEqual([{ name: 'name 2' }])
})

test('callers during a shared read share the next one', async () => {
  const first = pipeline.readShared(slow, [7])
  await new Promise(setImmediate)
  const [second, third] = await Promise.all([pipeline.readShared(slow, [7]), pipeline.readShared(slow, [7])])
  expect(second).toBe(third)
  expect(second).not.toBe(await first)
})
