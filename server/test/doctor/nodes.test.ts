import { afterAll, expect, inject, test } from 'vitest'
import { examineNodes } from '../../src/doctor/nodes.ts'
import { createTestDatabase, isCluster } from '../support/database.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

const LIMIT = 10_000
const sizes = { workers: 2, readConnections: 4, poolSize: 10 }
const examine = (nodeUrls: ReadonlyMap<string, string> | undefined, more: object = {}) =>
  examineNodes({ ...sizes, ...more, nodeUrls }, { ...database.connection, ...more }, LIMIT)

test.skipIf(isCluster())('reports nothing about the nodes of one server', async () => {
  expect(await examine(new Map())).toEqual([])
  expect(await examine(undefined)).toEqual([])
  expect(await examineNodes({ ...sizes, nodeUrls: new Map() }, undefined, LIMIT)).toEqual([])
})

test.skipIf(!isCluster())('names each worker, with the reason if it cannot be used', async () => {
  const [first, second] = inject('nodes').slice(1)
  const names = [first, second].map((node) => `Node ${node?.host}:${node?.port}`)
  expect(await examine(new Map())).toMatchObject(names.map((name) => ({ name, state: 'ok' })))
  const wrong = `postgres://postgres@${second?.host}:${second?.port}/${database.connection.database}`
  expect(await examine(new Map([[`${first?.host}:${first?.port}`, wrong]]))).toMatchObject([
    { name: names[0], state: 'note', says: expect.stringContaining('is not the primary of group 1') as string },
    { name: names[1], state: 'ok' },
  ])
  expect(await examine(undefined)).toMatchObject([{ name: 'Nodes', state: 'note' }])
})

test.skipIf(!isCluster())('names a worker that accepts too few connections, with those of Citus', async () => {
  const found = await examine(new Map(), { workers: 20 })
  expect(found).toHaveLength(2)
  for (const one of found)
    expect(one).toMatchObject({ state: 'note', says: expect.stringMatching(/up to 462$/) as string })
})

test.skipIf(!isCluster())('reports a cluster with other hashes of values', async () => {
  await database.query(`CREATE FUNCTION public.hashtext(text) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1'`)
  const other = await examine(new Map(), { options: '-c search_path=public,pg_catalog' })
  expect(other).toMatchObject([{ name: 'Nodes', state: 'note', says: expect.stringContaining('hashes') as string }])
})
