import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setSource } from '../../src/sync/set-source.ts'
import { address } from '../support/evm-node.ts'
import { type Answer, startUpstream } from '../support/upstream.ts'
import { listen } from '../webhooks/listen.ts'
import { syncFixture } from './arrange.ts'

let answer: Answer
const source = await startUpstream((request, response) => answer(request, response))
const fixture = await syncFixture(source)
const { database } = fixture.deps
afterAll(() => Promise.all([source.close(), fixture.close()]))

const OWNER = '00000000-0000-4000-8000-00000000000a'
beforeAll(() => database.query(`INSERT INTO accounts VALUES ($1, 'owner', now())`, [OWNER]))

describe('credential.synced and credential.sync_failed', () => {
  const types = ['credential.synced', 'credential.sync_failed']
  const says =
    (holders: string[], status = 200): Answer =>
    (_, response) =>
      void response.writeHead(status).end(JSON.stringify(holders))
  const arrange = async (more: object = {}) => {
    const id = await fixture.credential({ kind: 'REST', url: `${source.url}/holders`, ...more })
    return { id, ...(await listen(database, { subjects: [`credential:${id}`], types })) }
  }

  test('reports every successful run with its changes', async () => {
    const { id, heard } = await arrange()
    answer = says([address(1), address(2)])
    await fixture.run(id)
    answer = says([address(2), address(3)])
    await fixture.run(id)
    await fixture.run(id)
    const about = { credentialId: id, name: `Credential ${id}`, itemCount: 2 }
    expect((await heard()).map(({ type, data }) => [type, data])).toEqual([
      ['credential.synced', { ...about, added: 0, removed: 0 }],
      ['credential.synced', { ...about, added: 1, removed: 1 }],
      ['credential.synced', { ...about, added: 2, removed: 0 }],
    ])
  })

  test('reports a broken source once until it recovers, and the reason only to owners', async () => {
    const { id, heard } = await arrange()
    await database.query('UPDATE credentials SET owner_account_id = $1 WHERE credential_id = $2', [OWNER, id])
    const owner = await listen(database, { subjects: [`credential:${id}`], types, accountId: OWNER })
    answer = says([], 404)
    await expect(fixture.run(id)).rejects.toThrow()
    await expect(fixture.run(id)).rejects.toThrow()
    answer = says([address(1)])
    await fixture.run(id)
    answer = says([], 404)
    await expect(fixture.run(id)).rejects.toThrow()
    const told = await heard()
    expect(told.map(({ type }) => type)).toEqual([
      'credential.sync_failed',
      'credential.sync_failed',
      'credential.synced',
    ])
    expect(told[0]?.data).toMatchObject({ state: 'failed', reason: null })
    expect((await owner.heard())[0]?.data).toMatchObject({ reason: expect.stringContaining('404') as string })
  })

  test('reports each run that waits for an operator', async () => {
    const { id, heard } = await arrange({ mostRemoved: 0.1 })
    answer = says([address(1), address(2)])
    await fixture.run(id)
    answer = says([address(1)])
    await expect(fixture.run(id)).rejects.toThrow()
    await expect(fixture.run(id)).rejects.toThrow()
    const held = (await heard()).filter(({ type }) => type === 'credential.sync_failed')
    expect(held.map(({ data }) => data.state)).toEqual(['held', 'held'])
    await setSource(fixture.deps, id, { kind: 'REST', url: `${source.url}/holders` })
  })
})
