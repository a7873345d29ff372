import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { waitingSessions } from '../../support/database.ts'
import { holdLocks } from '../../support/held.ts'
import { type ContentService, type Editor, type ErrorBody, startContent } from '../arrange.ts'

interface Credential {
  id: string
  name: string
  curatorSpaceId: number | null
  itemCount: number
  lastUpdate: string
  version: string
}

let service: ContentService
let editor: Editor
beforeAll(async () => {
  service = await startContent()
  await importRecords(service.services, 'spaces', [
    { spaceId: 40, name: 'Forty' },
    { spaceId: 41, name: 'Forty-one' },
  ])
  editor = await service.withRole(40, 'editor')
})
afterAll(() => service.close())

const fields = { name: 'Holder', credType: 'EVM_ADDRESS', credSource: 'CSV' }
const create = async (body: object = {}, who = editor): Promise<Credential> => {
  const answer = await who.call<Credential>('POST', '/api/credentials', { ...fields, curatorSpaceId: 40, ...body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

describe('credentials', () => {
  it('get an id of 18 digits, and keep all fields', async () => {
    const all = { ...fields, description: 'Of the first drop', chain: 'ETHEREUM', referenceLink: 'https://a.example' }
    const made = await create(all)
    expect(made.id).toMatch(/^[1-9][0-9]{17}$/)
    expect(made).toMatchObject({ ...all, curatorSpaceId: 40, itemCount: 0, syncStatus: 'SYNCED', sourceKind: null })
    expect((await editor.get(`/api/credentials/${made.id}`)).body).toEqual(made)
    expect((await create({ id: '9223372036854775807' })).id).toBe('9223372036854775807')
  })

  it('keep a version while holders come and go', async () => {
    const made = await create()
    await importRecords(service.services, 'holders', [{ credentialId: made.id, address: `0x${'ab'.repeat(20)}` }])
    const later = (await editor.get<Credential>(`/api/credentials/${made.id}`)).body
    expect(later).toMatchObject({ itemCount: 1, version: made.version })
    const changed = await editor.call<Credential>('PATCH', `/api/credentials/${made.id}`, {
      version: made.version,
      name: 'Renamed',
    })
    expect(changed.body).toMatchObject({ name: 'Renamed', itemCount: 1 })
  })

  it('without a curator are for operators', async () => {
    const refused = await editor.call<ErrorBody>('POST', '/api/credentials', fields)
    expect(refused.status).toBe(403)
    const made = await create({ curatorSpaceId: null }, service.operator)
    expect(made.curatorSpaceId).toBeNull()
    expect((await editor.get(`/api/credentials/${made.id}`)).status).toBe(403)
    const taken = await editor.call('PATCH', `/api/credentials/${made.id}`, {
      version: made.version,
      curatorSpaceId: 40,
    })
    expect(taken.status).toBe(403)
  })

  it('change their curator only for editors of both spaces', async () => {
    const made = await create()
    const path = `/api/credentials/${made.id}`
    const away = await editor.call('PATCH', path, { version: made.version, curatorSpaceId: 41 })
    expect(away.status).toBe(403)
    const moved = await service.operator.call<Credential>('PATCH', path, { version: made.version, curatorSpaceId: 41 })
    expect(moved.body.curatorSpaceId).toBe(41)
    expect((await editor.get(path)).status).toBe(403)
  })

  it('show the record for which the service checked the right', async () => {
    const made = await create()
    const path = `/api/credentials/${made.id}`
    const blocker = await holdLocks(service.database.pool, ['LOCK TABLE space_members IN ACCESS EXCLUSIVE MODE'])
    const waiting = editor.get<Credential>(path)
    await expect.poll(() => waitingSessions(service.database)).toBeGreaterThan(0)
    await service.database.query('UPDATE credentials SET curator_space_id = 41 WHERE credential_id = $1', [made.id])
    await blocker.release()
    expect((await waiting).body).toEqual(made)
    expect((await editor.get(path)).status).toBe(403)
  })

  it('belong to the account that owns them, also without a curator', async () => {
    const owner = await service.someone()
    const made = await create({ curatorSpaceId: null }, service.operator)
    await service.database.query('UPDATE credentials SET owner_account_id = $1 WHERE credential_id = $2', [
      owner.account.id,
      made.id,
    ])
    const changed = await owner.call<Credential>('PATCH', `/api/credentials/${made.id}`, {
      version: made.version,
      name: 'Owned',
    })
    expect(changed.body.name).toBe('Owned')
  })

  it('stay while a quest requires them', async () => {
    const made = await create()
    const admin = await service.withRole(40, 'admin')
    const groups = [{ conditionRelation: 'ALL', conditions: [{ credentialId: made.id }] }]
    const quest = { spaceId: 40, name: 'Q', type: 'Drop', credentialGroups: groups }
    const { id } = (await editor.call<{ id: string }>('POST', '/api/quests', quest)).body
    const path = `/api/credentials/${made.id}`
    const refused = await admin.call<ErrorBody>('DELETE', path)
    expect([refused.status, refused.body.error.code]).toEqual([409, 'in_use'])
    expect(refused.body.error.message).toContain(id)
    await admin.call('DELETE', `/api/quests/${id}`)
    expect((await admin.call('DELETE', path)).status).toBe(204)
    expect(await service.logOf(admin)).toContainEqual({
      event: 'data.deleted',
      details: expect.objectContaining({ kind: 'credential', id: made.id }) as object,
    })
  })

  it.each([
    [{ credType: 'MAGIC' }, 'credType'],
    [{ credSource: undefined }, 'credSource'],
    [{ curatorSpaceId: 'x' }, 'curatorSpaceId'],
    [{ id: '9223372036854775808' }, 'id'],
    [{ id: 9_007_199_254_740_993 }, 'id'],
    [{ syncStatus: 'SYNCED' }, 'syncStatus'],
    [{ referenceLink: `https://example.org/${'x'.repeat(2000)}` }, 'referenceLink'],
    [{ referenceLink: 'not a link' }, 'referenceLink'],
    [{ referenceLink: 'javascript:alert(1)' }, 'referenceLink'],
    [{ referenceLink: 'https://two words' }, 'referenceLink'],
  ])('reject %j and name the field', async (body, field) => {
    const sent = { ...fields, curatorSpaceId: 40, ...body }
    const { status, body: answer } = await editor.call<ErrorBody>('POST', '/api/credentials', sent)
    expect([status, answer.error.field]).toEqual([400, field])
  })

  it('keep a link that is not a URL until a change replaces it', async () => {
    const made = await create()
    const stored = 'See the forum'
    const path = `/api/credentials/${made.id}`
    await service.database.query('UPDATE credentials SET reference_link = $1 WHERE credential_id = $2', [
      stored,
      made.id,
    ])
    const change = async (body: object) => {
      const { version } = (await editor.get<Credential>(path)).body
      return editor.call<Credential & ErrorBody>('PATCH', path, { version, ...body })
    }
    expect((await change({ name: 'Renamed' })).body).toMatchObject({ name: 'Renamed', referenceLink: stored })
    expect((await change({ name: 'Again', referenceLink: stored })).body).toMatchObject({ name: 'Again' })
    const refused = await change({ referenceLink: 'See the blog' })
    expect([refused.status, refused.body.error.field]).toEqual([400, 'referenceLink'])
    expect((await change({ referenceLink: 'http://a.example' })).body).toMatchObject({
      referenceLink: 'http://a.example',
    })
  })

  it('the list of a space has those that it curates', async () => {
    const made = await create({ name: 'A rare name' })
    const list = await editor.get<{ items: object[] }>('/api/credentials?spaceId=40&search=rare')
    expect(list.body.items).toMatchObject([{ id: made.id, curatorSpaceId: 40, itemCount: 0 }])
    expect((await editor.get('/api/credentials?spaceId=41')).status).toBe(403)
  })
})

describe('starboards', () => {
  const path = '/api/starboards'
  const wanted = { name: 'Voices', type: 'TWITTER', tags: ['a', 'b "c"'], rewardName: 'Pool' }

  it('operators create, change and delete them', async () => {
    const { operator } = service
    const made = await operator.call<{ id: string; version: string }>('POST', path, wanted)
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ ...wanted, id: expect.stringMatching(/^SB[A-Za-z0-9]{8}$/) as string })
    const one = `${path}/${made.body.id}`
    const changed = await operator.call('PATCH', one, { version: made.body.version, rewardName: null })
    expect(changed.body).toMatchObject({ name: 'Voices', rewardName: null, tags: wanted.tags })
    expect((await operator.get<{ items: object[] }>(`${path}?search=voices`)).body.items).toHaveLength(1)
    expect((await editor.get(one)).status).toBe(403)
    expect((await editor.call('POST', path, wanted)).status).toBe(403)
    expect((await operator.call('DELETE', one)).status).toBe(204)
    expect((await operator.get(one)).status).toBe(404)
  })

  it('the account that owns them changes them', async () => {
    const made = await service.operator.call<{ id: string; version: string }>('POST', path, wanted)
    const owner = await service.someone()
    await service.database.query('UPDATE starboards SET owner_account_id = $1 WHERE starboard_id = $2', [
      owner.account.id,
      made.body.id,
    ])
    const changed = await owner.call('PATCH', `${path}/${made.body.id}`, { version: made.body.version, name: 'Mine' })
    expect(changed.body).toMatchObject({ name: 'Mine' })
  })

  it.each([
    [{ rewardDescription: 'Without a name', rewardName: null }, 'rewardName'],
    [{ tags: ['x'.repeat(101)] }, 'tags'],
    [{ type: 'RADIO' }, 'type'],
  ])('reject %j and name the field', async (body, field) => {
    const { body: answer } = await service.operator.call<ErrorBody>('POST', path, { ...wanted, ...body })
    expect(answer.error.field).toBe(field)
  })
})
