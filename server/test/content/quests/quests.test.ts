import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOUR } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { type ContentService, type Editor, type ErrorBody, startContent } from '../arrange.ts'

interface Quest {
  id: string
  name: string
  status: string
  autoStatus: boolean
  participantsCount: number
  credentialGroups: { id: string; name: string; conditions: object[]; rewards: object[] }[]
  version: string
}

const HOLDER = `0x${'d1'.repeat(20)}`

let service: ContentService
let editor: Editor
beforeAll(async () => {
  service = await startContent()
  const deps = service.services
  await importRecords(deps, 'spaces', [
    { spaceId: 40, name: 'Forty' },
    { spaceId: 41, name: 'Forty-one' },
  ])
  await importRecords(deps, 'credentials', [
    { id: '500', name: 'Genesis holder', credType: 'EVM_ADDRESS', credSource: 'CSV' },
    { id: '501', name: 'Early swapper', credType: 'EVM_ADDRESS', credSource: 'CSV' },
  ])
  await importRecords(deps, 'holders', [{ credentialId: '500', address: HOLDER }])
  editor = await service.withRole(40, 'editor')
})
afterAll(() => service.close())

const groups = [
  {
    name: 'Both',
    conditionRelation: 'ALL',
    conditions: [{ credentialId: '500' }, { expression: 'Swapped early', credentialId: 501 }],
    rewards: [{ expression: '25 points', rewardType: 'LOYALTYPOINTS', rewardCount: 25 }],
  },
]

const create = async (body: object = {}, who = editor): Promise<Quest> => {
  const answer = await who.call<Quest>('POST', '/api/quests', { spaceId: 40, name: 'Quest', type: 'Drop', ...body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const change = (quest: Quest, body: object, who = editor) =>
  who.call<Quest>('PATCH', `/api/quests/${quest.id}`, { version: quest.version, ...body })

describe('quests', () => {
  it('get an id, and keep all fields with which they were created', async () => {
    const fields = {
      name: 'Light the beacon',
      description: 'Hold and swap.',
      type: 'MysteryBox',
      status: 'Active',
      startTime: '2026-11-01T00:00:00.000Z',
      endTime: '2027-11-01T00:00:00.000Z',
      cap: 100,
      loyaltyPoints: 25,
      gasType: 'Gas',
      chain: 'ETHEREUM',
      isPrivate: true,
    }
    const quest = await create({ ...fields, credentialGroups: groups })
    expect(quest.id).toMatch(/^GC[A-Za-z0-9]{8}$/)
    expect(quest).toMatchObject({ ...fields, spaceId: 40, autoStatus: false, participantsCount: 0 })
    expect(quest.credentialGroups).toEqual([
      {
        id: '1',
        name: 'Both',
        conditionRelation: 'ALL',
        conditions: [
          { expression: 'Genesis holder', credentialId: '500' },
          { expression: 'Swapped early', credentialId: '501' },
        ],
        rewards: [{ expression: '25 points', rewardType: 'LOYALTYPOINTS', rewardCount: 25 }],
      },
    ])
    expect((await editor.get(`/api/quests/${quest.id}`)).body).toEqual(quest)
  })

  it('start as drafts, and autoStatus publishes them', async () => {
    const draft = await create({ status: 'Draft', startTime: new Date(service.clock.now() + HOUR).toISOString() })
    expect(draft).toMatchObject({ status: 'Draft', autoStatus: false })
    const published = await change(draft, { autoStatus: true })
    expect(published.body).toMatchObject({ status: 'NotStarted', autoStatus: true })
    const fixed = await change(published.body, { status: 'Expired' })
    expect(fixed.body).toMatchObject({ status: 'Expired', autoStatus: false })
    const again = await change(fixed.body, { status: 'Active', autoStatus: true, startTime: null })
    expect(again.body).toMatchObject({ status: 'Active', autoStatus: true })
    const hidden = await change(again.body, { status: 'Deleted' })
    expect(hidden.body).toMatchObject({ status: 'Deleted', autoStatus: false })
    const transitions = await service.database.query<{ to_status: string }>(
      'SELECT to_status FROM quest_transitions WHERE quest_id = $1',
      [draft.id],
    )
    expect(new Set(transitions.map(({ to_status }) => to_status))).toEqual(
      new Set(['NotStarted', 'Expired', 'Active', 'Deleted']),
    )
  })

  it('keep a version while the clock moves their status and participants join', async () => {
    const quest = await create({ startTime: new Date(service.clock.now() + HOUR).toISOString() })
    expect(quest.status).toBe('NotStarted')
    service.clock.advance(2 * HOUR)
    await importRecords(service.services, 'participants', [{ questId: quest.id, address: HOLDER }])
    const later = (await editor.get<Quest>(`/api/quests/${quest.id}`)).body
    expect(later).toMatchObject({ status: 'Active', participantsCount: 1, version: quest.version })
    const changed = await change(quest, { name: 'Renamed' })
    expect(changed.body).toMatchObject({ name: 'Renamed', status: 'Active', autoStatus: true, participantsCount: 1 })
  })

  it('reject a change of groups that another editor has changed', async () => {
    const quest = await create({ credentialGroups: groups })
    const first = await change(quest, { credentialGroups: [] })
    expect(first.body.credentialGroups).toEqual([])
    const second = await change(quest, { credentialGroups: groups, name: 'Lost' })
    expect(second.status).toBe(409)
    expect((await editor.get(`/api/quests/${quest.id}`)).body).toEqual(first.body)
  })

  it.each([
    [{ name: undefined }, 'name'],
    [{ type: 'Lottery' }, 'type'],
    [{ spaceId: undefined }, 'spaceId'],
    [{ spaceId: 'x' }, 'spaceId'],
    [{ cap: -1 }, 'cap'],
    [{ id: 'no spaces' }, 'id'],
    [{ startTime: '2026-11-02T00:00:00Z', endTime: '2026-11-01T00:00:00Z' }, 'endTime'],
    [{ autoStatus: false }, 'status'],
    [{ participantsCount: 5 }, 'participantsCount'],
    [{ credentialGroups: {} }, 'credentialGroups'],
    [{ credentialGroups: [{ conditionRelation: 'SOME' }] }, 'credentialGroups[0].conditionRelation'],
    [
      {
        credentialGroups: [{ conditionRelation: 'ALL', conditions: [{ credentialId: '500' }, { credentialId: '9' }] }],
      },
      'credentialGroups[0].conditions[1].credentialId',
    ],
    [
      { credentialGroups: [{ conditionRelation: 'ALL', conditions: [{ credentialId: 'x' }] }] },
      'credentialGroups[0].conditions[0].credentialId',
    ],
    [
      { credentialGroups: [{ conditionRelation: 'ANY', rewards: [{ rewardType: 'OAT', rewardCount: -1 }] }] },
      'credentialGroups[0].rewards[0].rewardCount',
    ],
  ])('reject %j and name the field', async (body, field) => {
    const sent = { spaceId: 40, name: 'Quest', type: 'Drop', ...body }
    const { status, body: answer } = await editor.call<ErrorBody>('POST', '/api/quests', sent)
    expect([status, answer.error.field]).toEqual([400, field])
    expect(answer.error.message).toContain(field)
  })

  it('name all invalid fields at once', async () => {
    const { body } = await editor.call<ErrorBody>('POST', '/api/quests', {
      spaceId: 40,
      name: 'Quest',
      type: 'Lottery',
      cap: 'many',
      credentialGroups: [{ conditionRelation: 'ALL', conditions: [{}] }, { conditionRelation: 'NONE' }],
    })
    expect(body.error.problems?.map(({ field }) => field)).toEqual([
      'type',
      'cap',
      'credentialGroups[0].conditions[0].credentialId',
      'credentialGroups[1].conditionRelation',
    ])
  })

  it('belong to the team of their space', async () => {
    const draft = await create({ status: 'Draft' })
    const viewer = await service.withRole(40, 'viewer')
    const stranger = await service.someone()
    expect((await viewer.get(`/api/quests/${draft.id}`)).status).toBe(200)
    expect((await change(draft, { name: 'No' }, viewer)).status).toBe(403)
    expect((await stranger.get(`/api/quests/${draft.id}`)).status).toBe(404)
    expect((await change(draft, { name: 'No' }, stranger)).status).toBe(404)
    expect((await editor.call('DELETE', `/api/quests/${draft.id}`)).status).toBe(403)
    const moved = await change(draft, { spaceId: 41 })
    expect(moved.status).toBe(403)
    const admin = await service.withRole(40, 'admin')
    expect((await admin.call('DELETE', `/api/quests/${draft.id}`)).status).toBe(204)
    expect((await admin.get(`/api/quests/${draft.id}`)).status).toBe(404)
  })

  it('move to another space only for editors of both', async () => {
    const quest = await create()
    await service.database.query(
      `INSERT INTO space_members (space_id, account_id, role, added_at) VALUES (41, $1, 'editor', now())`,
      [editor.account.id],
    )
    expect((await change(quest, { spaceId: 41 })).body).toMatchObject({ spaceId: 41 })
    await service.database.query('DELETE FROM space_members WHERE space_id = 41')
  })

  it('the list for their team includes drafts', async () => {
    const draft = await create({ status: 'Draft', name: 'Needle in the list' })
    const list = await editor.get<{ items: object[] }>('/api/quests?spaceId=40&search=needle')
    expect(list.body.items).toMatchObject([{ id: draft.id, status: 'Draft' }])
    expect((await editor.get('/api/quests?spaceId=41')).status).toBe(403)
    expect((await editor.get<ErrorBody>('/api/quests')).body.error.field).toBe('spaceId')
    const all = await service.operator.get<{ items: object[] }>('/api/quests?search=needle')
    expect(all.body.items).toHaveLength(1)
  })
})

describe('the preview', () => {
  const preview = <T>(body: object, who = editor) =>
    who.call<T>('POST', '/api/quests/preview', { spaceId: 40, address: HOLDER, credentialGroups: groups, ...body })

  it('evaluates unsaved groups like credentialGroups of a quest', async () => {
    const { status, body } = await preview({})
    expect([status, body]).toEqual([
      200,
      {
        credentialGroups: [
          {
            id: '1',
            name: 'Both',
            conditionRelation: 'ALL',
            conditions: [
              { expression: 'Genesis holder', eligible: true },
              { expression: 'Swapped early', eligible: false },
            ],
            rewards: [{ expression: '25 points', eligible: false, rewardType: 'LOYALTYPOINTS', rewardCount: 0 }],
          },
        ],
      },
    ])
    const any = await preview({ credentialGroups: [{ ...groups[0], conditionRelation: 'ANY' }] })
    expect(any.body).toMatchObject({ credentialGroups: [{ rewards: [{ eligible: true, rewardCount: 25 }] }] })
    const nobody = await preview({ address: '' })
    expect(nobody.body).toMatchObject({
      credentialGroups: [{ conditions: [{ eligible: false }, { eligible: false }] }],
    })
  })

  it.each([
    [{ address: 'not an address' }, 'address'],
    [{ credentialGroups: [{ conditionRelation: 'X' }] }, 'credentialGroups[0].conditionRelation'],
    [
      { credentialGroups: [{ conditionRelation: 'ALL', conditions: [{ credentialId: '77' }] }] },
      'credentialGroups[0].conditions[0].credentialId',
    ],
    [{ spaceId: undefined }, 'spaceId'],
    [{ spaceId: 0 }, 'spaceId'],
    [{ spaceId: 2_147_483_648 }, 'spaceId'],
  ])('rejects %j and names the field', async (body, field) => {
    const answer = await preview<ErrorBody>(body)
    expect([answer.status, answer.body.error.field]).toEqual([400, field])
  })

  it('needs the right to edit the space', async () => {
    expect((await preview({}, await service.withRole(40, 'viewer'))).status).toBe(403)
    expect((await preview({ spaceId: 999 })).status).toBe(404)
  })
})
