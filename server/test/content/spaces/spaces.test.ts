import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOUR } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { type ContentService, type Editor, type ErrorBody, startContent } from '../arrange.ts'

interface Space {
  spaceId: number
  name: string
  description: string | null
  slug: string | null
  owner: { id: string; username: string } | null
  standing: string
  version: string
}

let service: ContentService
let operator: Editor
beforeAll(async () => {
  service = await startContent()
  ;({ operator } = service)
})
afterAll(() => service.close())

const create = async (body: object): Promise<Space> => {
  const { status, body: space } = await operator.call<Space>('POST', '/api/spaces', body)
  expect(status, JSON.stringify(space)).toBe(201)
  return space
}

describe('spaces', () => {
  it('operators create them, with a new id, an owner and a public page', async () => {
    const owner = await service.someone()
    const space = await create({ name: 'Meridian', slug: 'meridian', owner: owner.account.username })
    expect(space).toMatchObject({ name: 'Meridian', description: null, slug: 'meridian', standing: 'operator' })
    expect(space.owner).toEqual({ id: owner.account.id, username: owner.account.username })
    expect((await owner.get(`/api/spaces/${space.spaceId}`)).body).toMatchObject({ standing: 'owner' })
    expect((await service.logOf(operator)).map(({ event }) => event)).toEqual(
      expect.arrayContaining(['data.created', 'space.published']),
    )
    expect(await service.logOf(owner)).toContainEqual({
      event: 'space.given',
      details: { space: String(space.spaceId), by: 'team' },
    })
    const refused = await owner.call<ErrorBody>('POST', '/api/spaces', { name: 'Mine' })
    expect([refused.status, refused.body.error.code]).toEqual([403, 'permission_denied'])
  })

  it('belong to their creator, unless the request names another owner', async () => {
    const { owner } = await create({ name: 'Own' })
    expect(owner).toEqual({ id: operator.account.id, username: operator.account.username })
    expect((await create({ name: 'Ownerless', owner: null })).owner).toBeNull()
  })

  it('never get the id of a deleted space', async () => {
    const { spaceId } = await create({ name: 'Short-lived' })
    expect((await operator.call('DELETE', `/api/spaces/${spaceId}`)).status).toBe(204)
    expect((await operator.get(`/api/spaces/${spaceId}`)).status).toBe(404)
    const next = await create({ name: 'Next' })
    expect(next.spaceId).toBeGreaterThan(spaceId)
    await create({ spaceId: 500, name: 'Chosen' })
    await operator.call('DELETE', '/api/spaces/500')
    expect((await create({ name: 'After 500' })).spaceId).toBeGreaterThan(500)
  })

  it('get different ids when they are created at the same time', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, (_, n) => create({ name: `Parallel ${n}` })))
    expect(new Set(made.map(({ spaceId }) => spaceId)).size).toBe(5)
  })

  it('keep their id: a creation never changes an existing space', async () => {
    const { spaceId } = await create({ name: 'First' })
    const again = await operator.call<ErrorBody>('POST', '/api/spaces', { spaceId, name: 'Second' })
    expect([again.status, again.body.error.code]).toEqual([409, 'id_taken'])
    expect((await operator.get(`/api/spaces/${spaceId}`)).body).toMatchObject({ name: 'First' })
  })

  it('reject a change that is based on an older version', async () => {
    const space = await create({ name: 'Original', description: 'kept' })
    const path = `/api/spaces/${space.spaceId}`
    const first = await operator.call<Space>('PATCH', path, { version: space.version, name: 'Changed' })
    expect(first.body).toMatchObject({ name: 'Changed', description: 'kept' })
    expect(first.body.version).not.toBe(space.version)
    const second = await operator.call<ErrorBody>('PATCH', path, { version: space.version, description: 'lost' })
    expect([second.status, second.body.error.code]).toEqual([409, 'changed_meanwhile'])
    expect((await operator.get(path)).body).toEqual(first.body)
  })

  it('keep one of two changes that are sent at the same time', async () => {
    const space = await create({ name: 'Contested' })
    const path = `/api/spaces/${space.spaceId}`
    const names = ['Left', 'Right', 'Middle']
    const answers = await Promise.all(
      names.map((name) => operator.call<Space>('PATCH', path, { version: space.version, name })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    const winner = names[answers.findIndex(({ status }) => status === 200)]
    expect((await operator.get(path)).body).toMatchObject({ name: winner })
  })

  it('have one public page, with a unique slug', async () => {
    const one = await create({ name: 'One', slug: 'unique' })
    const other = await create({ name: 'Other' })
    const path = `/api/spaces/${other.spaceId}`
    const taken = await operator.call<ErrorBody>('PATCH', path, { version: other.version, slug: 'unique' })
    expect([taken.status, taken.body.error.code]).toEqual([409, 'slug_taken'])
    const removed = await operator.call<Space>('PATCH', `/api/spaces/${one.spaceId}`, {
      version: one.version,
      slug: null,
    })
    expect(removed.body.slug).toBeNull()
    const published = await operator.call<Space>('PATCH', path, { version: other.version, slug: 'unique' })
    expect(published.body).toMatchObject({ slug: 'unique' })
  })

  it('write no audit entry for a change that changes nothing', async () => {
    const space = await create({ name: 'Still' })
    const before = (await service.logOf(operator)).length
    const same = await operator.call<Space>('PATCH', `/api/spaces/${space.spaceId}`, {
      version: space.version,
      name: 'Still',
    })
    expect([same.status, same.body.version]).toEqual([200, space.version])
    expect((await service.logOf(operator)).length).toBe(before)
  })

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 7 }, 'name'],
    [{}, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: 'Fine', description: ['no'] }, 'description'],
    [{ name: 'Fine', slug: 'No Slug' }, 'slug'],
    [{ name: 'Fine', spaceId: 0 }, 'spaceId'],
    [{ name: 'Fine', spaceId: 2_147_483_648 }, 'spaceId'],
    [{ name: 'Fine', owner: 'nobody-at-all' }, 'owner'],
    [{ name: 'Fine', owner: '' }, 'owner'],
    [{ name: 'Fine', colour: 'red' }, 'colour'],
  ])('reject %j and name the field', async (body, field) => {
    const { status, body: answer } = await operator.call<ErrorBody>('POST', '/api/spaces', body)
    expect([status, answer.error.code, answer.error.field]).toEqual([400, 'invalid_argument', field])
  })

  it('teams list their own, and operators list all', async () => {
    const first = await create({ name: 'Listed one' })
    const second = await create({ name: 'Listed two' })
    const viewer = await service.withRole(first.spaceId, 'viewer')
    const list = await viewer.get<{ items: object[]; next: string | null }>('/api/spaces')
    expect(list.body.items).toMatchObject([{ id: String(first.spaceId), name: 'Listed one', standing: 'viewer' }])
    const pages = await operator.get<{ items: { id: string }[]; next: string }>('/api/spaces?search=LISTED&first=1')
    expect(pages.body.items.map(({ id }) => id)).toEqual([String(first.spaceId)])
    const rest = await operator.get<{ items: { id: string }[]; next: null }>(
      `/api/spaces?search=LISTED&first=1&after=${pages.body.next}`,
    )
    expect([rest.body.items.map(({ id }) => id), rest.body.next]).toEqual([[String(second.spaceId)], null])
    expect((await operator.get('/api/spaces?first=0')).status).toBe(400)
  })

  it('have their public page and the numbers of members and quests in the list', async () => {
    const shown = await create({ name: 'Counted one', slug: 'counted-one' })
    const empty = await create({ name: 'Counted two' })
    const { spaceId } = shown
    const addresses = ['a', 'b'].map((digit) => `0x${digit.repeat(40)}`)
    await importRecords(
      service.services,
      'points',
      addresses.map((address) => ({ spaceId, address, points: 5 })),
    )
    await importRecords(service.services, 'quests', [
      { id: 'GCcounted1', spaceId, name: 'Open', type: 'Drop' },
      { id: 'GCcounted2', spaceId, name: 'Draft', type: 'Drop', status: 'Draft' },
      { id: 'GCcounted3', spaceId, name: 'Private', type: 'Drop', isPrivate: true },
      { id: 'GCcounted4', spaceId, name: 'Deleted', type: 'Drop', status: 'Deleted' },
    ])
    const list = await operator.get<{ items: object[] }>('/api/spaces?search=counted')
    expect(list.body.items).toMatchObject([
      { id: String(spaceId), slug: 'counted-one', logo: null, members: 2, quests: 3 },
      { id: String(empty.spaceId), slug: null, members: 0, quests: 0 },
    ])
    const viewer = await service.withRole(spaceId, 'viewer')
    expect((await viewer.get<{ items: object[] }>('/api/spaces')).body.items).toMatchObject([{ members: 2, quests: 3 }])
  })

  it('need a recent sign-in to be deleted', async () => {
    const { spaceId } = await create({ name: 'Kept' })
    service.clock.advance(2 * HOUR)
    const refused = await operator.call<ErrorBody>('DELETE', `/api/spaces/${spaceId}`)
    expect([refused.status, refused.body.error.code]).toEqual([403, 'fresh_sign_in_required'])
  })
})
