import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { type ContentService, type Editor, type ErrorBody, startContent } from '../arrange.ts'

interface Sprint {
  spaceId: number
  sprintId: number
  name: string
  startTime: string | null
  endTime: string | null
  version: string
}

let service: ContentService
let editor: Editor
beforeAll(async () => {
  service = await startContent()
  await importRecords(service.services, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  editor = await service.withRole(40, 'editor')
})
afterAll(() => service.close())

const path = '/api/spaces/40/sprints'

describe('sprints', () => {
  it('editors create, change and list them', async () => {
    const made = await editor.call<Sprint>('POST', path, { name: 'Autumn', startTime: '2026-11-01T00:00:00Z' })
    expect([made.status, made.body]).toMatchObject([
      201,
      { spaceId: 40, sprintId: 1, name: 'Autumn', startTime: '2026-11-01T00:00:00.000Z', endTime: null },
    ])
    const changed = await editor.call<Sprint>('PATCH', `${path}/1`, {
      version: made.body.version,
      endTime: '2026-12-01T00:00:00Z',
    })
    expect(changed.body).toMatchObject({ name: 'Autumn', endTime: '2026-12-01T00:00:00.000Z' })
    expect((await editor.get<{ sprints: Sprint[] }>(path)).body.sprints).toEqual([changed.body])
    expect(await service.logOf(editor)).toContainEqual({
      event: 'data.changed',
      details: { kind: 'sprint', id: '40-1', space: '40', fields: 'endTime' },
    })
  })

  it.each<[string, Partial<Sprint>[], number | null]>([
    ['none without a start', [{}], null],
    ['none before the start', [{ startTime: '2100-01-01T00:00:00Z' }], null],
    ['none from the end on', [{ startTime: '2020-01-01T00:00:00Z', endTime: '2020-02-01T00:00:00Z' }], null],
    [
      'the one with the latest start',
      [{ startTime: '2020-01-02T00:00:00Z' }, { startTime: '2020-01-01T00:00:00Z' }],
      1,
    ],
    ['the newest of equal ones', [{ startTime: '2020-01-01T00:00:00Z' }, { startTime: '2020-01-01T00:00:00Z' }], 2],
  ])('name the one that runs: %s', async (_, sprints, expected) => {
    const space = await service.operator.call<{ spaceId: number }>('POST', '/api/spaces', { name: 'Running' })
    const own = `/api/spaces/${space.body.spaceId}/sprints`
    for (const [n, sprint] of sprints.entries())
      expect((await service.operator.call('POST', own, { name: `Sprint ${n + 1}`, ...sprint })).status).toBe(201)
    expect((await service.operator.get<{ running: number | null }>(own)).body.running).toBe(expected)
  })

  it('only admins delete them', async () => {
    await editor.call('POST', path, { sprintId: 7, name: 'Gone' })
    expect((await editor.call('DELETE', `${path}/7`)).status).toBe(403)
    const admin = await service.withRole(40, 'admin')
    expect((await admin.call('DELETE', `${path}/7`)).status).toBe(204)
    expect((await editor.get(`${path}/7`)).status).toBe(404)
    const next = await editor.call<Sprint>('POST', path, { name: 'Next' })
    expect(next.body.sprintId).toBe(8)
  })

  it('viewers read them, and others do not', async () => {
    const viewer = await service.withRole(40, 'viewer')
    expect((await viewer.get(path)).status).toBe(200)
    expect((await viewer.call('POST', path, { name: 'No' })).status).toBe(403)
    const stranger = await service.someone()
    expect((await stranger.get(path)).status).toBe(403)
    expect((await stranger.get('/api/spaces/999/sprints')).status).toBe(404)
  })

  it.each([
    [{ startTime: '2026-11-02T00:00:00Z', endTime: '2026-11-01T00:00:00Z' }, 'endTime'],
    [{ startTime: 'soon' }, 'startTime'],
    [{ sprintId: -1 }, 'sprintId'],
    [{ name: null, startTime: {} }, 'startTime'],
  ])('reject %j and name the field', async (body, field) => {
    const { status, body: answer } = await editor.call<ErrorBody>('POST', path, body)
    expect([status, answer.error.field]).toEqual([400, field])
  })

  it.each(['0', '-1', 'x', '2147483648'])('do not exist with the id %s', async (id) => {
    expect((await editor.get(`${path}/${id}`)).status).toBe(404)
  })
})
