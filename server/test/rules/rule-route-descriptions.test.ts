import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { HOUR } from '../../src/clock.ts'
import { type ContentService, type Editor, type ErrorBody, startContent } from '../content/arrange.ts'

interface View {
  version: number
  createdBy: string | null
  rules: Record<string, unknown>[]
}
interface Found {
  events: number
  members: number
  differences: { address: string; difference: number }[]
}

const PATH = '/api/spaces/40/rules'
const rule = { id: 'welcome', description: 'Welcome', kind: 'award', points: 5 }

let service: ContentService
let admin: Editor
let editor: Editor
let operator: Editor
beforeAll(async () => {
  service = await startContent()
  ;({ operator } = service)
  await importRecords(service.services, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  await importRecords(service.services, 'awards', [{ key: 'a', spaceId: 40, address: 'ann', points: 10 }])
  admin = await service.withRole(40, 'admin')
  editor = await service.withRole(40, 'editor')
})
afterAll(() => service.close())

const set = (body: object, who = admin) => who.call<View & ErrorBody>('PUT', PATH, body)

describe('the rules of a space', () => {
  it('do not exist at first', async () => {
    expect((await admin.get(PATH)).status).toBe(404)
    expect((await admin.call('POST', `${PATH}/replay`, { version: 1 })).status).toBe(404)
  })

  it('an admin sets them, the team reads them, and the audit log records it', async () => {
    const made = await set({ version: 0, rules: [rule] })
    expect([made.status, made.body]).toMatchObject([
      200,
      { version: 1, createdBy: admin.account.id, rules: [{ ...rule, sprint: true }] },
    ])
    expect((await editor.get<View>(PATH)).body).toEqual(made.body)
    expect(await service.logOf(admin)).toContainEqual({
      event: 'rules.changed',
      details: { space: '40', version: '1' },
    })
  })

  it('keep their versions, and create none for equal rules', async () => {
    expect((await set({ rules: [rule] })).body.version).toBe(1)
    expect((await set({ version: 1, rules: [{ ...rule, points: 6 }] })).body.version).toBe(2)
    expect((await editor.get<View>(`${PATH}?version=1`)).body.rules).toMatchObject([{ points: 5 }])
    expect((await editor.get(`${PATH}?version=9`)).status).toBe(404)
    expect((await editor.get(`${PATH}?version=x`)).status).toBe(400)
  })

  it('the list of versions names their authors', async () => {
    const { id, username } = admin.account
    const createdBy = { id, username }
    const list = `${PATH}/versions`
    const all = await editor.get<{ versions: object[]; next: number | null }>(list)
    expect([all.status, all.body]).toMatchObject([
      200,
      {
        versions: [
          { version: 2, createdBy, rules: 1 },
          { version: 1, createdBy, rules: 1 },
        ],
        next: null,
      },
    ])
    expect((await editor.get(`${list}?before=2`)).body).toEqual({ versions: [all.body.versions[1]], next: null })
    const refused = await editor.get<ErrorBody>(`${list}?before=x`)
    expect([refused.status, refused.body.error.field]).toEqual([400, 'before'])
    expect((await (await service.someone()).get(list)).status).toBe(403)
    expect((await operator.get('/api/spaces/999/rules/versions')).status).toBe(404)
  })

  it('the list of versions has pages of 50', async () => {
    await importRecords(service.services, 'spaces', [{ spaceId: 41, name: 'Many' }])
    await service.database.query(
      `INSERT INTO rule_sets (space_id, version, rules, created_at)
       SELECT 41, version, '[]', to_timestamp(0) FROM generate_series(1, 51) AS version`,
    )
    const page = async (query: string) =>
      (
        await operator.get<{ versions: { version: number; createdBy: null }[]; next: number | null }>(
          `/api/spaces/41/rules/versions${query}`,
        )
      ).body
    const first = await page('')
    expect([first.versions.length, first.versions[0]?.version, first.versions[0]?.createdBy, first.next]).toEqual([
      50,
      51,
      null,
      2,
    ])
    expect(await page('?before=2')).toMatchObject({ versions: [{ version: 1 }], next: null })
  })

  it('reject a change that is based on another version', async () => {
    const late = await set({ version: 1, rules: [rule] })
    expect([late.status, late.body.error.code]).toEqual([409, 'changed_meanwhile'])
  })

  it.each([
    [{ rules: [{ ...rule, kind: 'lottery' }] }, 'rules.0.kind'],
    [{ rules: [{ ...rule, points: 0 }] }, 'rules.0.points'],
    [{ rules: [rule, rule] }, 'rules.1.id'],
    [{ rules: [{ ...rule, kind: 'claim', quests: ['GCnothing'] }] }, 'rules.0.quests.0'],
    [{ rules: [{ ...rule, kind: 'holder', credential: '999' }] }, 'rules.0.credential'],
    [{ rules: 'all' }, 'rules'],
    [{}, 'rules'],
    [{ rules: [], version: -1 }, 'version'],
    [{ rules: [], more: 1 }, 'more'],
  ])('reject %j and name the field', async (body, field) => {
    const refused = await set(body)
    expect([refused.status, refused.body.error.field]).toEqual([400, field])
    expect((await admin.get<View>(PATH)).body.version).toBe(2)
  })

  it('reject a document and name all invalid fields', async () => {
    const fieldsOf = async (rules: object[], more = {}) =>
      (await set({ rules, ...more })).body.error.problems?.map(({ field }) => field)
    const quests = ['GCnothing', 'GCnone']
    expect(await fieldsOf([{ ...rule, points: 0, id: 'A', more: 1, less: 2 }])).toEqual([
      'rules.0.id',
      'rules.0.points',
      'rules.0.more',
      'rules.0.less',
    ])
    expect(await fieldsOf([{ ...rule, points: 0 }], { version: -1 })).toEqual(['rules.0.points', 'version'])
    expect(
      await fieldsOf([
        { ...rule, kind: 'claim', quests },
        { ...rule, id: 'b', kind: 'holder', credential: '9' },
      ]),
    ).toEqual(['rules.0.quests.0', 'rules.0.quests.1', 'rules.1.credential'])
  })

  it('editors cannot change, try or replay them, and others cannot read them', async () => {
    expect((await set({ rules: [rule] }, editor)).status).toBe(403)
    expect((await editor.call('POST', `${PATH}/dry-run`, { rules: [rule] })).status).toBe(403)
    expect((await editor.call('POST', `${PATH}/dry-run`, { rules: 'all' })).status).toBe(403)
    expect((await editor.call('POST', `${PATH}/replay`, { version: 2 })).status).toBe(403)
    expect((await (await service.someone()).get(PATH)).status).toBe(403)
    expect((await operator.get<View>(PATH)).body.version).toBe(2)
    expect((await operator.get('/api/spaces/999/rules')).status).toBe(404)
    expect((await operator.get('/api/spaces/x/rules')).status).toBe(404)
  })

  it('need a recent sign-in to be changed or replayed', async () => {
    service.clock.advance(2 * HOUR)
    const refused = await set({ rules: [rule] })
    expect(refused.status).toBe(403)
    expect((await admin.call('POST', `${PATH}/replay`, { version: 2 })).status).toBe(403)
    admin = await service.withRole(40, 'admin')
  })
})

describe('a dry run and a replay', () => {
  it('show and store the differences, and the audit log records them', async () => {
    const since = '1970-01-01T00:00:00Z'
    const rules = [{ ...rule, points: 7 }]
    const tried = await admin.call<Found>('POST', `${PATH}/dry-run`, { rules, since })
    expect([tried.status, tried.body]).toMatchObject([
      200,
      { events: 1, members: 1, differences: [{ address: 'ann', before: 0, after: 7, difference: 7 }] },
    ])
    const { version } = (await set({ rules })).body
    const done = await admin.call<Found>('POST', `${PATH}/replay`, { version, since })
    expect([done.status, done.body]).toEqual([200, tried.body])
    expect(
      await service.database.query('SELECT points FROM board_entries WHERE space_id = 40 AND sprint_id = 0'),
    ).toEqual([{ points: 17 }])
    const [entry] = (await service.logOf(admin)).filter(({ event }) => event === 'rules.replayed')
    expect(entry?.details).toMatchObject({ space: '40', version: String(version), members: '1' })
    const again = await admin.call<Found>('POST', `${PATH}/replay`, { version, since })
    expect(again.body).toMatchObject({ members: 0, differences: [] })
  })

  it.each(['dry-run', 'replay'])('check the right at %s before the body', async (path) => {
    const outsider = await service.someone()
    const codeAt = async (space: number) =>
      (await outsider.call<ErrorBody>('POST', `/api/spaces/${space}/rules/${path}`, { nonsense: 1 })).body.error.code
    expect([await codeAt(40), await codeAt(999)]).toEqual(['permission_denied', 'not_found'])
  })

  it.each([
    ['dry-run', { rules: [{ ...rule, points: -1 }] }, 400, 'rules.0.points'],
    ['dry-run', { rules: [rule], since: 'yesterday' }, 400, 'since'],
    ['dry-run', { rules: [rule], since: '2100-01-01T00:00:00Z' }, 400, 'since'],
    ['replay', { version: 1 }, 409, undefined],
    ['replay', {}, 400, 'version'],
    ['replay', { version: 3, since: '2100-01-01T00:00:00Z' }, 400, 'since'],
  ])('reject at %s %j', async (path, body, status, field) => {
    const refused = await admin.call<ErrorBody>('POST', `${PATH}/${path}`, body)
    expect([refused.status, refused.body.error.field]).toEqual([status, field])
  })
})

it('GET /api/rules.schema.json serves docs/rules.schema.json to everyone', async () => {
  const { body, headers } = await service.fastify.inject('/api/rules.schema.json')
  expect(headers['content-type']).toContain('application/schema+json')
  const stored = readFileSync(join(import.meta.dirname, '../../../docs/rules.schema.json'), 'utf8')
  expect(JSON.parse(body)).toEqual(JSON.parse(stored))
})
