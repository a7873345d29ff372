import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECOND } from '../../../src/clock.ts'
import { logosByAccount } from '../../../src/rate-limits/limits.ts'
import { decodePng, encodePng } from '../../support/png.ts'
import { type ContentService, type Editor, type ErrorBody, startContent } from '../arrange.ts'

interface Space {
  spaceId: number
  logo: string | null
  version: string
}

const image = encodePng(40, 20).toString('base64')
const other = encodePng(20, 40, [0, 128, 0, 255]).toString('base64')

let service: ContentService
let operator: Editor
beforeAll(async () => {
  service = await startContent()
  ;({ operator } = service)
})
afterAll(() => service.close())

const create = async (body: object = {}): Promise<Space> =>
  (await operator.call<Space>('POST', '/api/spaces', { name: 'Logos', ...body })).body
const pathOf = ({ spaceId }: Space) => `/api/spaces/${spaceId}/logo`
const logoOf = async ({ spaceId }: Space) => (await operator.get<Space>(`/api/spaces/${spaceId}`)).body.logo

describe('the logo of a space', () => {
  it('becomes a new square PNG, and its path changes with it', async () => {
    const space = await create()
    expect(space.logo).toBeNull()
    const { status, body } = await operator.call<{ logo: string }>('PUT', pathOf(space), { image })
    expect([status, body.logo]).toEqual([200, await logoOf(space)])
    const list = await operator.get<{ items: unknown[] }>(`/api/spaces?search=${space.spaceId}`)
    expect(list.body.items).toMatchObject([{ id: String(space.spaceId), logo: body.logo }])
    const answer = await operator.browser.get(body.logo)
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, max-age=3600',
    })
    expect(decodePng(answer.rawPayload)).toMatchObject({ width: 192, height: 192 })
    const second = await operator.call<{ logo: string }>('PUT', pathOf(space), { image: other })
    expect(second.body.logo).not.toBe(body.logo)
  })

  it('does not conflict with an edit of the space', async () => {
    const space = await create()
    await operator.call('PUT', pathOf(space), { image })
    const { version } = space
    expect(await operator.call('PATCH', `/api/spaces/${space.spaceId}`, { version, name: 'Edited' })).toMatchObject({
      status: 200,
      body: { name: 'Edited', logo: await logoOf(space) },
    })
  })

  it('disappears when an admin removes it', async () => {
    const space = await create()
    await operator.call('PUT', pathOf(space), { image })
    expect((await operator.call('DELETE', pathOf(space))).status).toBe(204)
    expect(await logoOf(space)).toBeNull()
    expect((await operator.get(pathOf(space))).status).toBe(404)
    expect((await operator.call('DELETE', pathOf(space))).status).toBe(204)
  })

  it('is in the audit log when it changes, and only then', async () => {
    const editor = await service.someone()
    const space = await create({ owner: editor.account.username })
    const details = { space: String(space.spaceId) }
    for (let n = 0; n < 2; n++) await editor.call('PUT', pathOf(space), { image })
    service.clock.advance(SECOND)
    for (let n = 0; n < 2; n++) await editor.call('DELETE', pathOf(space))
    const events = (await service.logOf(editor)).filter(({ event }) => event.startsWith('space.logo'))
    expect(events).toEqual([
      { event: 'space.logo-removed', details },
      { event: 'space.logo-changed', details },
    ])
  })

  it('is for the team to see, and for admins and the owner to change', async () => {
    const space = await create()
    await operator.call('PUT', pathOf(space), { image })
    const [viewer, editor, admin] = [
      await service.withRole(space.spaceId, 'viewer'),
      await service.withRole(space.spaceId, 'editor'),
      await service.withRole(space.spaceId, 'admin'),
    ]
    expect((await viewer.browser.get(pathOf(space))).statusCode).toBe(200)
    expect((await (await service.someone()).get(pathOf(space))).status).toBe(403)
    for (const [someone, status] of [
      [viewer, 403],
      [editor, 403],
      [admin, 200],
    ] as const)
      expect((await someone.call('PUT', pathOf(space), { image: other })).status).toBe(status)
    expect((await editor.call('DELETE', pathOf(space))).status).toBe(403)
    expect((await operator.call('PUT', '/api/spaces/2000000000/logo', { image })).status).toBe(404)
  })

  it.each([
    undefined,
    7,
    '',
    'not base64!',
    Buffer.from('<svg/>').toString('base64'),
    encodePng(8, 8).toString('base64'),
  ])('the service rejects an image that is %j', async (wrong) => {
    const space = await create()
    const { status, body } = await operator.call<ErrorBody>('PUT', pathOf(space), { image: wrong })
    expect([status, body.error.field]).toEqual([400, 'image'])
    expect(body.error.message).toContain('PNG or JPEG')
    expect(await logoOf(space)).toBeNull()
  })

  it('the service accepts a limited number of uploads an hour', async () => {
    const owner = await service.someone()
    const space = await create({ owner: owner.account.username })
    for (let n = 0; n < logosByAccount.max; n++)
      expect((await owner.call('PUT', pathOf(space), { image: 'AAAA' })).status).toBe(400)
    const refused = await owner.call<ErrorBody>('PUT', pathOf(space), { image })
    expect([refused.status, refused.body.error.code]).toEqual([429, 'too_many_requests'])
  })
})
