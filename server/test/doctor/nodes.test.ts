import { afterAll, expect, inject, test } from 'vitest'
import { examineNodes } from '../../src/doctor/nodes.ts'
import { createTestDatabase, isCluster } from '../support/database.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

const LIMIT = 10_000
const examine = (nodeUrls: ReadonlyMap<string, string> | undefined) =>
  examineNodes({ nodeUrls }, database.connection, LIMIT)

test.skipIf(isCluster())('nothing is said about the nodes of one server', async () => {
  expect(await examine(new Map())).toEqual([])
  expect(await examine(undefined)).toEqual([])
  expect(await examineNodes({ nodeUrls: new Map() }, undefined, LIMIT)).toEqual([])
})

test.skipIf(!isCluster())('each worker is named, with the reason if it cannot be used', async () => {
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
