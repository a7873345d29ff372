import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ContentService, type ErrorBody, startContent } from '../content/arrange.ts'

let service: ContentService
beforeAll(async () => {
  service = await startContent()
})
afterAll(() => service.close())

const PATH = '/api/operator/programme'
const programme = {
  spaces: [{ spaceId: 40, name: 'Forty', quests: [{ id: 'GCone', name: 'One', type: 'Drop' }] }],
}

it('compares and applies a file for operators', async () => {
  const { operator } = service
  const objects = [
    { kind: 'space', id: '40', name: 'Forty', action: 'created', fields: [] },
    { kind: 'quest', id: 'GCone', name: 'One', action: 'created', fields: [] },
  ]
  const compared = await operator.call('POST', `${PATH}?diff=true`, programme)
  expect(compared).toEqual({ status: 200, body: { stored: false, unchanged: 0, objects } })
  expect((await operator.get('/api/spaces/40')).status).toBe(404)
  expect((await operator.call('POST', PATH, programme)).body).toEqual({ stored: true, unchanged: 0, objects })
  expect(await service.logOf(operator)).toContainEqual({
    event: 'data.created',
    details: { kind: 'space', id: '40', space: '40' },
  })
  const rules = [{ id: 'first', kind: 'claim', description: 'A claim', points: 5, quests: ['GCone'] }]
  expect((await operator.call('POST', PATH, { spaces: [{ spaceId: 40, rules }] })).body).toMatchObject({
    objects: [{ action: 'changed', fields: [{ field: 'rules.first', before: null, after: rules[0] }] }],
  })
  expect((await operator.get('/api/spaces/40/rules')).body).toMatchObject({
    version: 1,
    createdBy: operator.account.id,
  })
  const renamed = { spaces: [{ spaceId: 40, name: 'Renamed' }] }
  expect((await operator.call('POST', PATH, renamed)).body).toMatchObject({
    objects: [{ action: 'changed', fields: [{ field: 'name', before: 'Forty', after: 'Renamed' }] }],
  })
})

it('names all invalid fields', async () => {
  const answer = await service.operator.call<ErrorBody>('POST', PATH, {
    spaces: [{ spaceId: 41, name: 'A', quests: [{ id: 'GC!', name: 'One', type: 'Drip' }] }],
    credentials: [{ id: 500, name: 'L', credType: 'EVM_ADDRESS', credSource: 'CSV', sources: 1 }],
  })
  expect(answer.status).toBe(400)
  expect(answer.body.error.problems?.map(({ field }) => field)).toEqual([
    'spaces[0].quests[0].id',
    'spaces[0].quests[0].type',
    'credentials[0].sources',
  ])
  const rules = [{ id: 'A', kind: 'claim', description: 'A claim', points: 0 }]
  const invalidRules = await service.operator.call<ErrorBody>('POST', PATH, {
    spaces: [{ spaceId: 41, name: 'A', rules }],
  })
  expect(invalidRules.body.error.problems?.map(({ field }) => field)).toEqual([
    'spaces[0].rules[0].id',
    'spaces[0].rules[0].points',
  ])
  const source = { kind: 'CSV', url: { env: 'QUESTBOARD_SECRET' } }
  const credential = { id: 500, name: 'L', credType: 'EVM_ADDRESS', credSource: 'CSV', source }
  const withSecret = await service.operator.call<ErrorBody>('POST', PATH, { credentials: [credential] })
  expect(withSecret.body.error).toMatchObject({ field: 'credentials[0].source.url' })
  expect((await service.operator.call('POST', `${PATH}?diff=1`, programme)).status).toBe(400)
})

it('removes only what the request names, and returns the current list otherwise', async () => {
  const { operator } = service
  const file = (quests: string[], removals?: string[]) => ({
    spaces: [{ spaceId: 43, name: 'Pruned', quests: quests.map((id) => ({ id, name: id, type: 'Drop' })) }],
    ...(removals && { removals }),
  })
  await operator.call('POST', PATH, file(['GCkept', 'GCold', 'GCseen']))
  const prune = (removals?: string[]) =>
    operator.call<ErrorBody>('POST', `${PATH}?prune=true`, file(['GCkept'], removals))
  for (const removals of [undefined, ['quest GCseen'], ['quest GCold', 'quest GCseen', 'quest GCgone']])
    expect(await prune(removals)).toMatchObject({
      status: 409,
      body: { error: { code: 'removals_not_confirmed', removals: ['quest GCold', 'quest GCseen'] } },
    })
  expect((await operator.get('/api/quests/GCold')).status).toBe(200)
  expect(await prune(['quest GCseen', 'quest GCold'])).toMatchObject({
    status: 200,
    body: {
      stored: true,
      objects: [
        { id: 'GCold', action: 'removed' },
        { id: 'GCseen', action: 'removed' },
      ],
    },
  })
  expect((await operator.get('/api/quests/GCold')).status).toBe(404)
})

it('returns 403 for other accounts', async () => {
  expect((await (await service.someone()).call('POST', PATH, programme)).status).toBe(403)
})

it('describes spaces and starboards as a file that changes nothing when it is applied', async () => {
  const { operator } = service
  const starboards = [{ id: 'aura', name: 'Aura', type: 'TWITTER' }]
  const spaces = [{ spaceId: 43, name: 'Exported', quests: [{ id: 'GCexported', name: 'One', type: 'Drop' }] }]
  expect((await operator.call('POST', PATH, { spaces, starboards })).status).toBe(200)
  const exported = await operator.get<object>(`${PATH}?spaces=43&starboards=aura`)
  expect(exported).toMatchObject({ status: 200, body: { spaces: [{ spaceId: 43, name: 'Exported' }], starboards } })
  expect((await operator.call('POST', PATH, exported.body)).body).toMatchObject({ stored: true, objects: [] })
})

it('names the invalid list of an export, and the object that does not exist', async () => {
  const { operator } = service
  const fieldOf = async (query: string) => {
    const { status, body } = await operator.get<ErrorBody>(`${PATH}?${query}`)
    return [status, body.error.field]
  }
  expect(await fieldOf('')).toEqual([400, 'spaces'])
  expect(await fieldOf('spaces=43,')).toEqual([400, 'spaces'])
  expect(await fieldOf('spaces=43&spaces=44')).toEqual([400, 'spaces'])
  expect(await fieldOf('starboards=a%20b')).toEqual([400, 'starboards'])
  expect(await fieldOf(`spaces=${Array.from({ length: 51 }, (_, index) => index + 1).join(',')}`)).toEqual([
    400,
    'spaces',
  ])
  expect(await operator.get(`${PATH}?spaces=4300`)).toMatchObject({
    status: 404,
    body: { error: { message: expect.stringContaining('space 4300') as string } },
  })
  expect((await (await service.someone()).get(`${PATH}?spaces=43`)).status).toBe(403)
})
