import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { objectKinds, objectNames } from '../../src/objects/object-kinds.ts'
import { questboard, urlOf } from '../command/questboard.ts'
import { importText } from '../ingest/files.ts'
import { ask } from '../support/ask.ts'
import { createPersonas } from '../support/personas.ts'
import { startService, type TestService } from '../support/service.ts'
import { ingestToken } from './arrange.ts'

const A = `0x${'a'.repeat(40)}`
const B = `0x${'b'.repeat(40)}`

let service: TestService
let token: string
let reader: string
beforeAll(async () => {
  service = await startService()
  token = await ingestToken(service)
  reader = (await createPersonas(service.deps)).business
})
afterAll(() => service.stop())

beforeEach(async () => {
  const { deps } = service
  await importRecords(deps, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  await importRecords(deps, 'sprints', [{ spaceId: 40, sprintId: 1, name: 'First' }])
  const points = { spaceId: 40, points: 5 }
  await importRecords(deps, 'points', [
    { ...points, address: A },
    { ...points, address: B },
    { ...points, address: A, sprintId: 1 },
  ])
  await importRecords(deps, 'starboards', [{ id: 'stars', name: 'Stars', type: 'TWITTER' }])
  await importRecords(deps, 'users', [{ starboardId: 'stars', username: 'ann' }])
  await importRecords(deps, 'samples', [{ starboardId: 'stars', handle: 'ann', sampledAt: 1_700_000_000, score: 1 }])
  await importRecords(deps, 'credentials', [
    { id: '5', name: 'Five', credType: 'EVM_ADDRESS', credSource: 'CSV', curatorSpaceId: 40 },
  ])
  await importRecords(deps, 'holders', [{ credentialId: '5', address: A }])
  await importRecords(deps, 'quests', [{ id: 'GCquest', spaceId: 40, name: 'Quest', type: 'Drop', status: 'Active' }])
  await importRecords(deps, 'participants', [{ questId: 'GCquest', address: A }])
})

async function call(method: string, path: string, withToken = token) {
  const response = await fetch(`${service.url}/ingest/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${withToken}` },
  })
  const text = await response.text()
  return {
    status: response.status,
    text,
    body: response.headers.get('content-type')?.startsWith('application/json') ? (JSON.parse(text) as unknown) : {},
  }
}
const ids = { space: '40', sprint: '40-1', starboard: 'stars', credential: '5', quest: 'GCquest' }
const run = (...args: string[]) => questboard(args, { DATABASE_URL: urlOf(service.database.connection) })
const count = async (table: string) => (await service.database.query(`SELECT 1 FROM ${table}`)).length

describe('the ingest API', () => {
  it.each(objectNames)('lists, shows and deletes a %s', async (name) => {
    const { plural } = objectKinds[name]
    const id = ids[name]
    expect((await call('GET', `/${plural}`)).body).toMatchObject({ items: [{ id }], next: null })
    expect((await call('GET', `/${plural}/${id}`)).body).toMatchObject({ id, contents: expect.any(Object) as object })
    expect((await call('DELETE', `/${plural}/${id}`)).body).toMatchObject({ error: { field: 'confirm' } })
    expect((await call('GET', `/${plural}/${id}`)).status).toBe(200)
    expect((await call('DELETE', `/${plural}/${id}?confirm=${id}`)).body).toMatchObject({ kind: name, id })
    expect((await call('GET', `/${plural}/${id}`)).status).toBe(404)
    expect((await call('DELETE', `/${plural}/${id}?confirm=${id}`)).status).toBe(404)
    const events = await service.database.query(
      `SELECT details FROM security_events WHERE event = 'data.deleted' AND details ->> 'kind' = $1`,
      [name],
    )
    expect(events).toMatchObject([{ details: { id, by: 'ingest token' } }])
  })

  it('counts the quests that are deleted with a space', async () => {
    expect((await call('GET', '/spaces/40')).body).toMatchObject({ contents: { quests: 1 } })
    const { body } = await call('DELETE', '/spaces/40?confirm=40')
    expect(body).toMatchObject({ removed: { quests: 1, credentialsWithoutCurator: 1 } })
  })

  it.each(objectNames)('exports records of a %s that can be imported', async (name) => {
    for (const kind of objectKinds[name].exports) {
      const { status, text } = await call('GET', `/${objectKinds[name].plural}/${ids[name]}/export?kind=${kind}`)
      expect(status).toBe(200)
      if (text === '') continue
      const imported = await importText(service.deps, text, { kind })
      expect(imported, kind).toMatchObject({ kind, added: 0, changed: 0 })
      expect(imported.read).toBeGreaterThan(0)
    }
  })

  it('exports a quest completely: an import after its deletion restores it', async () => {
    const { deps } = service
    await importRecords(deps, 'credentials', [{ id: '77', name: 'Six', credType: 'EVM_ADDRESS', credSource: 'CSV' }])
    const group = {
      id: 'first',
      name: 'First',
      conditionRelation: 'ANY',
      conditions: [{ expression: 'holds it', credentialId: '77' }],
      rewards: [{ expression: '', rewardType: 'NFT', rewardCount: 2 }],
    } as const
    const quest = { id: 'GCwhole', spaceId: 40, name: 'Quest', type: 'Drop', cap: 7, startTime: 1_700_000_000 } as const
    const credentialGroups = [group, { ...group, id: 'second', conditions: [], rewards: [] }]
    await importRecords(deps, 'quests', [{ ...quest, status: 'Active', credentialGroups }])
    const { text } = await call('GET', '/quests/GCwhole/export')
    const before = JSON.parse(text) as Record<string, unknown>
    expect(before.credentialGroups).toMatchObject([
      { id: 'first', conditions: [{ credentialId: '77' }], rewards: [{ rewardCount: 2 }] },
      { id: 'second', conditions: [], rewards: [] },
    ])
    await call('DELETE', '/quests/GCwhole?confirm=GCwhole')
    await importText(service.deps, text, { kind: 'quests' })
    expect(JSON.parse((await call('GET', '/quests/GCwhole/export')).text)).toEqual(before)
    await call('DELETE', '/quests/GCwhole?confirm=GCwhole')
    await call('DELETE', '/credentials/77?confirm=77')
  })

  it('rejects a token for objects outside its scope', async () => {
    const narrow = await ingestToken(service, { spaces: [41], starboards: ['other'], credentials: ['6'] })
    for (const name of objectNames) {
      const { plural } = objectKinds[name]
      expect((await call('GET', `/${plural}`, narrow)).body).toEqual({ items: [], next: null })
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/export'],
        ['DELETE', `?confirm=${ids[name]}`],
      ] as const)
        expect((await call(method, `/${plural}/${ids[name]}${path}`, narrow)).status).toBe(403)
    }
  })

  it('pages through a list', async () => {
    await importRecords(
      service.deps,
      'spaces',
      [7, 100, 1_000].map((spaceId) => ({ spaceId, name: `Space ${spaceId}` })),
    )
    const seen: string[] = []
    for (let after: string | null = ''; after !== null;) {
      const page = (await call('GET', `/spaces?first=1&after=${after}`)).body as {
        items: { id: string }[]
        next: never
      }
      seen.push(...page.items.map(({ id }) => id))
      after = page.next
    }
    expect(seen).toEqual(['7', '40', '100', '1000'])
    for (const id of ['7', '100', '1000']) await call('DELETE', `/spaces/${id}?confirm=${id}`)
  })

  it.each(['/spaces/x', '/sprints/40', '/spaces/99999999999', '/credentials/99999999999999999999', '/spaces?first=0'])(
    'rejects %s',
    async (path) => {
      expect(await call('GET', path)).toMatchObject({ status: 400, body: { error: { code: 'INVALID_ARGUMENT' } } })
    },
  )

  it.each([
    '/starboards?after=%00',
    '/credentials?after=4%00',
    `/spaces?after=${'1'.repeat(201)}`,
    `/snapshots?after=${'-'.repeat(36)}`,
  ])('rejects %s and names the parameter', async (path) => {
    const { status, body } = await call('GET', path)
    expect([status, body]).toMatchObject([400, { error: { code: 'INVALID_ARGUMENT', field: 'after' } }])
  })
})

describe('a deletion', () => {
  it('removes a space with its sprints, boards and quests, and keeps its credentials', async () => {
    const query = '{ space(id: 40) { name loyaltyPointsRanks { totalCount } } }'
    expect((await ask(service.url, query, { token: reader })).errors).toBeUndefined()
    await call('DELETE', '/spaces/40?confirm=40')
    for (const table of ['spaces', 'sprints', 'boards', 'board_entries', 'quests', 'quest_participants'])
      expect(await count(table), table).toBe(0)
    expect(await service.database.query('SELECT curator_space_id FROM credentials')).toEqual([
      { curator_space_id: null },
    ])
    const gone = await ask(service.url, query, { token: reader })
    expect(gone.text).toContain('Space not found')
    const quests = await ask(service.url, '{ quests(input: { first: 5 }) { totalCount list { id } } }', {
      token: reader,
    })
    expect(quests.data).toEqual({ quests: { totalCount: 0, list: [] } })
  })

  it('removes the board of a sprint and keeps the overall board', async () => {
    await call('DELETE', '/sprints/40-1?confirm=40-1')
    expect(await service.database.query('SELECT sprint_id, member_count FROM boards')).toEqual([
      { sprint_id: 0, member_count: 2 },
    ])
  })

  it('rejects a credential that a quest uses', async () => {
    const credentialGroups = [{ conditionRelation: 'ALL', conditions: [{ credentialId: '5' }] }]
    const quest = { id: 'GCasks', spaceId: 40, name: 'Asks', type: 'Drop' as const, credentialGroups }
    await importText(service.deps, JSON.stringify(quest), { kind: 'quests' })
    const refused = await call('DELETE', '/credentials/5?confirm=5')
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } })
    expect(refused.text).toContain('GCasks')
    expect(await count('credential_holders')).toBe(1)
    await call('DELETE', '/quests/GCasks?confirm=GCasks')
    expect((await call('DELETE', '/credentials/5?confirm=5')).status).toBe(200)
  })
})

describe('the command line', () => {
  it('lists, shows and exports, and deletes only with a confirmation', async () => {
    expect(JSON.parse((await run('quest', 'list', '--json')).stdout)).toMatchObject([{ id: 'GCquest', name: 'Quest' }])
    expect((await run('space', 'show', '40')).stdout).toMatch(/^40 {2}Forty\n[\s\S]*members 3/)
    expect((await run('credential', 'export', '5', '--kind', 'holders')).stdout).toBe(
      `{"credentialId":"5","address":"${A}"}\n`,
    )
    const asked = await run('starboard', 'delete', 'stars')
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('Use --yes') as string })
    expect(await count('starboards')).toBe(1)
    expect(await run('starboard', 'delete', 'stars', '--yes')).toMatchObject({ code: 0 })
    expect(await count('starboards')).toBe(0)
    expect(await run('starboard', 'delete', 'stars', '--yes')).toMatchObject({
      code: 1,
      stderr: 'The starboard stars does not exist.\n',
    })
  })
})
