import { afterAll, beforeAll, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { type ContentService, type Editor, type ErrorBody, startContent } from '../arrange.ts'

const SPACE = 7300

let world: ContentService
let outsider: Editor
beforeAll(async () => {
  world = await startContent()
  await importRecords(world.services, 'spaces', [{ spaceId: SPACE, name: 'Managed' }])
  outsider = await world.someone()
})
afterAll(() => world.close())

it.each(['awards', 'reversals'])('checks the right to POST /api/spaces/{id}/%s before the body', async (what) => {
  const refused = async (who: Editor, space: number) =>
    (await who.call<ErrorBody>('POST', `/api/spaces/${space}/${what}`, { nonsense: 1 })).body.error.code
  expect(await refused(world.operator, SPACE)).toBe('invalid_argument')
  expect(await refused(outsider, SPACE)).toBe('permission_denied')
  expect(await refused(outsider, 7399)).toBe('not_found')
})

it.each(['ledger?source=gift', 'members?name='])(
  'checks the right to GET /api/spaces/{id}/%s before the query',
  async (what) => {
    const refused = async (who: Editor) => (await who.get<ErrorBody>(`/api/spaces/${SPACE}/${what}`)).body.error.code
    expect(await refused(world.operator)).toBe('invalid_argument')
    expect(await refused(outsider)).toBe('permission_denied')
  },
)

it('names in the error of an award only the fields that the body can have', async () => {
  const { body } = await world.operator.call<ErrorBody>('POST', `/api/spaces/${SPACE}/awards`, { total: 1 })
  expect(body.error).toMatchObject({
    field: 'total',
    message:
      'total is not a field of an award; allowed: key, sprintId, address, points, reason, availableAt, expiresAt',
    fault: { parameters: { allowed: expect.not.arrayContaining(['spaceId']) as string[] } },
  })
})
