import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../src/clock.ts'
import { claimImport } from '../../src/ingest-uploads/imports.queries.ts'
import { sweepImports } from '../../src/ingest-uploads/sweep.ts'
import { kindNames } from '../../src/ingest/kinds.ts'
import { signedInBrowser } from '../support/oauth-flow.ts'
import { IMPORTS, startUploads, type Uploads } from '../support/uploads.ts'

interface Shown {
  id: string
  state: string
  kind: string | null
  by: { username: string }
  appliedBy: { username: string } | null
  preview: { columns: { name: string; known: boolean }[]; rows: { line: number; values: string[] }[] } | null
  added: number | null
  removed: number | null
  problems: { line: number; field?: string }[]
  problemCount: number
  message: string | null
  fault: unknown
  error: { code: string; field?: string; message: string }
}

let { world, operator, author, upload, view, act, work, checked, applied } = {} as Uploads<Shown>
beforeAll(async () => {
  ;({ world, operator, author, upload, view, act, work, checked, applied } = await startUploads<Shown>())
})
afterAll(() => world.stop())
beforeEach(() => world.database.query('DELETE FROM import_chunks; DELETE FROM imports'))
const spaceNames = async (id: number) =>
  (await world.database.query<{ name: string }>('SELECT name FROM spaces WHERE space_id = $1', [id])).map(
    ({ name }) => name,
  )
const eventsOf = (id: string) =>
  world.database.query<{ event: string; details: object }>(
    `SELECT event, details FROM security_events WHERE details ->> 'import' = $1 ORDER BY event`,
    [id],
  )
const files = () => world.database.query('SELECT FROM import_chunks')

describe('an upload', () => {
  it('shows the first rows of the checked file, and stores it after the confirmation', async () => {
    const { status, body } = await upload(
      gzipSync('spaceId,name\n900,Nine\n901,Nine and one\n40,Renamed\n'),
      'a.csv.gz',
    )
    expect([status, body]).toMatchObject([201, { state: 'checking', kind: 'spaces', by: author }])
    expect(body.preview?.columns).toEqual([
      { name: 'spaceId', known: true },
      { name: 'name', known: true },
    ])
    expect(body.preview?.rows[1]).toEqual({ line: 3, values: ['901', 'Nine and one'] })
    await work()
    expect(await view(body.id)).toMatchObject({ state: 'checked', kind: 'spaces', lines: 3, added: 2, changed: 1 })
    expect(await spaceNames(900)).toEqual([])
    expect(await applied(body.id)).toMatchObject({
      state: 'stored',
      added: 2,
      changed: 1,
      unchanged: 0,
      preview: null,
      appliedBy: author,
    })
    expect(await spaceNames(900)).toEqual(['Nine'])
    expect(await files()).toEqual([])
    expect(await eventsOf(body.id)).toEqual([
      { event: 'data.imported', details: { kind: 'spaces', read: '3', added: '2', import: body.id } },
      { event: 'import.confirmed', details: { import: body.id } },
      { event: 'import.uploaded', details: { import: body.id } },
    ])
  })

  it('shows the lines of the faults of a file that it refuses, and its first rows', async () => {
    const shown = await checked('spaceId,name\n902,Good\nx,Bad\n904,\n', 'spaces.csv')
    expect(shown).toMatchObject({ state: 'refused', problemCount: 2, added: null })
    expect(shown.problems).toMatchObject([
      { line: 3, field: 'spaceId' },
      { line: 4, field: 'name' },
    ])
    expect(shown.preview?.rows).toHaveLength(3)
    expect((await act(shown.id, 'apply')).body.error.code).toBe('not_checked')
    expect(await spaceNames(902)).toEqual([])
    expect(await files()).toEqual([])
  })

  it('shows unknown columns, and lists the kinds', async () => {
    const shown = await checked('spaceId,nam\n902,Good\n', 'list.csv')
    expect(shown).toMatchObject({
      state: 'refused',
      preview: {
        columns: [
          { name: 'spaceId', known: true },
          { name: 'nam', known: false },
        ],
        rows: [{ line: 2 }],
      },
    })
    expect(shown.message).toContain('"nam" (name?)')
    const named = await upload('spaceId,nam\n902,Good\n', 'spaces.csv')
    expect(named.body.preview?.columns).toContainEqual({ name: 'nam', known: false })
    const other = await upload('spaceId;"points, total";nam\n40;5;x\n', 'odd.csv')
    expect(other.body.preview?.columns.map(({ name }) => name)).toEqual(['spaceId', 'points, total', 'nam'])
  })

  it.each([
    ['a.csv', 'spaceId,na\0me\n902,Good\n', 'na\uFFFDme'],
    ['a.ndjson', '{"spaceId":902,"name":"Good","\\u0000x\\ud800":1}\n', '\uFFFDx\uFFFD'],
  ])('names an unknown field that the database cannot store: %s', async (name, body, field) => {
    const shown = await checked(body, name, { kind: 'spaces' })
    expect(shown).toMatchObject({ state: 'refused', message: null })
    expect(shown.problems).toContainEqual(expect.objectContaining({ field }))
  })

  it('gives a code for texts in other languages if it refuses the whole file', async () => {
    const shown = await checked('[{"spaceId":40}]\n', 'spaces.json')
    expect(shown).toMatchObject({
      state: 'refused',
      message: 'The file is a JSON array; write one object per line (NDJSON).',
      fault: { code: 'one_object_per_line', parameters: {} },
      problems: [],
    })
    const similar = await checked('spaceId,name,nickname\n900,Good,G\n', 'list.csv')
    expect(similar.fault).toEqual({ code: 'similar_kind', parameters: { kind: 'spaces', columns: '"nickname"' } })
  })

  it('refuses a value that is nested too deep for the preview', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const shown = await checked(`{"spaceId":902,"name":${deep}}\n`, 'a.ndjson', { kind: 'spaces' })
    expect(shown).toMatchObject({ state: 'refused', problems: [{ line: 1 }] })
    expect(shown.preview?.rows).toEqual([{ line: 1, values: ['902', '…'] }])
  })

  it('counts the holders that a replacement removes, before and after it', async () => {
    const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
    const lists = { kind: 'holders', credentialId: '500', replace: 'true' }
    const before = await checked(`${address(1)}\n${address(2)}\n${address(3)}\n`, 'list.txt', lists)
    await applied(before.id)
    const shown = await checked(`${address(3)}\n${address(4)}\n`, 'list.txt', lists)
    expect(shown).toMatchObject({ state: 'checked', added: 1, removed: 2 })
    expect(await applied(shown.id)).toMatchObject({ state: 'stored', added: 1, removed: 2 })
    const [credential] = await world.database.query('SELECT item_count FROM credentials WHERE credential_id = 500')
    expect(credential).toEqual({ item_count: 2 })
  })

  it.each([
    ['', {}, 'fileName'],
    ['x'.repeat(201), {}, 'fileName'],
    ['a.csv', { kind: 'nonsense' }, 'kind'],
    ['a.csv', { credentialId: 'x' }, 'credentialId'],
    ['a.csv', { kind: 'points', replace: 'true' }, 'replace'],
  ])('rejects %j with %j', async (name, more, field) => {
    const { status, body } = await upload('spaceId,name\n', name, more)
    expect([status, body.error.field]).toEqual([400, field])
    expect(await world.database.query('SELECT FROM imports')).toEqual([])
  })

  it('rejects an empty file', async () => {
    expect((await upload('', 'a.csv')).body.error).toMatchObject({
      message: 'The file is empty.',
      fault: { code: 'empty_file', parameters: {} },
    })
    expect(await world.database.query('SELECT FROM imports')).toEqual([])
  })
})

describe('the history', () => {
  it('lists imports newest first, for operators only', async () => {
    const first = await checked('spaceId,name\n40,Forty\n', 'one.csv')
    world.clock.advance(MINUTE)
    const second = await checked('spaceId,name\n40,Forty\n', 'two.csv')
    const { items } = (await operator.browser.get(IMPORTS)).json<{ items: Shown[] }>()
    expect(items.map(({ id }) => id)).toEqual([second.id, first.id])
    for (const item of items) expect(Object.keys(item)).not.toEqual(expect.arrayContaining(['preview', 'problems']))
    expect((await operator.browser.get(`${IMPORTS}/${operator.account.id}`)).statusCode).toBe(404)
    const other = await signedInBrowser(world.app)
    expect((await other.browser.get(IMPORTS)).statusCode).toBe(403)
    expect((await act(first.id, 'apply', other)).status).toBe(403)
  })

  it('ends unconfirmed imports after a day and interrupted uploads after an hour, and forgets all after 90 days', async () => {
    const { id } = await checked('spaceId,name\n40,Forty\n', 'one.csv')
    await world.database.query(
      `INSERT INTO imports (import_id, account_id, file_name, replaces, state, created_at, touched_at)
       VALUES (gen_random_uuid(), $1, 'broken.csv', false, 'uploading', $2, $2)`,
      [operator.account.id, new Date(world.clock.now())],
    )
    const states = async () =>
      (await world.database.query<{ state: string }>('SELECT state FROM imports ORDER BY file_name')).map(
        ({ state }) => state,
      )
    const { kysely } = world.database
    await sweepImports(kysely, world.clock.now() + HOUR - 1)
    expect(await states()).toEqual(['uploading', 'checked'])
    await sweepImports(kysely, world.clock.now() + DAY + 1)
    expect(await states()).toEqual(['failed', 'expired'])
    expect(await files()).toEqual([])
    expect((await act(id, 'apply')).status).toBe(409)
    expect(await sweepImports(kysely, world.clock.now() + 90 * DAY)).toBe(0)
    expect(await sweepImports(kysely, world.clock.now() + 92 * DAY)).toBe(2)
  })
})

it('keeps the first rows of a refused file for a day', async () => {
  const { id } = await checked('spaceId,name\nx,Bad\n', 'spaces.csv')
  const { kysely } = world.database
  await sweepImports(kysely, world.clock.now() + DAY - 1)
  expect((await view(id)).preview?.rows).toHaveLength(1)
  await sweepImports(kysely, world.clock.now() + DAY + 1)
  expect(await view(id)).toMatchObject({ state: 'refused', kind: 'spaces', preview: null, problemCount: 1 })
})

describe('an import', () => {
  it('continues in another process after its process was silent for a minute', async () => {
    const { id } = await checked('spaceId,name\n903,Taken over\n', 'one.csv')
    await act(id, 'apply')
    const now = world.clock.now()
    const lost = await claimImport(world.database.kysely, operator.account.id, new Date(now), new Date(now - MINUTE))
    expect(lost?.id).toBe(id)
    await work()
    expect(await view(id)).toMatchObject({ state: 'storing' })
    world.clock.advance(MINUTE + 1)
    await work()
    expect(await view(id)).toMatchObject({ state: 'stored', added: 1 })
  })

  it('stops while it stores, and stores nothing, when it is cancelled', async () => {
    const { id } = await checked('spaceId,name\n905,Left behind\n', 'one.csv')
    await act(id, 'apply')
    const holder = await world.database.pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('LOCK TABLE spaces IN SHARE MODE')
      const working = work()
      await vi.waitFor(
        async () => expect((await view(id)) as object).toMatchObject({ progress: { phase: 'writing', read: 1 } }),
        5_000,
      )
      expect((await act(id, 'cancel')).body.state).toBe('storing')
      await working
    } finally {
      await holder.query('ROLLBACK')
      holder.release()
    }
    expect(await view(id)).toMatchObject({ state: 'cancelled', added: null })
    expect(await spaceNames(905)).toEqual([])
    expect((await act(id, 'cancel')).body.error.code).toBe('import_ended')
  })

  it('ends with a cancellation during its upload, which fails and leaves no part of its file', async () => {
    const cookie = [...operator.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'x-csrf-token': await operator.browser.csrfToken() }
    let finish = () => {}
    const started = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('spaceId,name\n905,Left behind\n'))
        finish = () => controller.close()
      },
    })
    const url = `${world.url}${IMPORTS}/uploads?fileName=a.csv`
    const uploading = fetch(url, { method: 'POST', headers, body: started, duplex: 'half' } as RequestInit)
    const { id } = await vi.waitFor(async () => {
      const [row] = await world.database.query<{ id: string }>('SELECT import_id AS id FROM imports')
      if (!row) throw new Error('the upload has not begun')
      return row
    }, 5_000)
    expect(await act(id, 'cancel')).toMatchObject({ status: 200, body: { state: 'cancelled' } })
    finish()
    expect((await uploading).status).toBe(400)
    expect(await view(id)).toMatchObject({ state: 'cancelled' })
    expect(await files()).toEqual([])
  })

  it('ends with a cancellation before the confirmation, with its file', async () => {
    const { id } = await checked('spaceId,name\n905,Left behind\n', 'one.csv')
    expect((await act(id, 'cancel')).body).toMatchObject({ state: 'cancelled', preview: null })
    expect(await files()).toEqual([])
  })
})

it('has a template of each kind, which can be imported after those before it', async () => {
  for (const kind of kindNames) {
    const template = await operator.browser.get(`${IMPORTS}/templates/${kind}.csv`)
    expect(template.headers['content-type']).toContain('text/csv')
    const shown = await checked(template.body, 'file.csv', { kind })
    expect([kind, shown.state, shown.message, shown.problems]).toEqual([kind, 'checked', null, []])
    expect(await applied(shown.id)).toMatchObject({ kind, state: 'stored', added: 1 })
  }
  expect((await operator.browser.get(`${IMPORTS}/templates/nonsense.csv`)).statusCode).toBe(404)
})
