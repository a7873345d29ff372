import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { type ContentService, type Editor, type ErrorBody, startContent } from '../arrange.ts'

interface Changed {
  lines: number
  added: number
  removed: number
  unchanged: number
  refused: number
  problems: { line: number; field?: string; reason: string; fault?: { code: string } }[]
}
interface Listed {
  items: { address: string; username: string | null }[]
  next: string | null
}

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const lines = (...numbers: number[]) => numbers.map(address).join('\n')

let service: ContentService
let editor: Editor
let nextId = 600
beforeAll(async () => {
  service = await startContent()
  await importRecords(service.services, 'spaces', [{ spaceId: 41, name: 'Forty-one' }])
  editor = await service.withRole(41, 'editor')
})
afterAll(() => service.close())

/** The path of the holders of a new credential with a list. */
async function newList(credType: 'EVM_ADDRESS' | 'TWITTER' = 'EVM_ADDRESS'): Promise<string> {
  const id = String(nextId++)
  const credential = { id, name: 'List', credSource: 'CSV', credType, curatorSpaceId: 41 } as const
  await importRecords(service.services, 'credentials', [credential])
  return `/api/credentials/${id}/holders`
}

const change = (path: string, mode: string, text: string, dryRun = false) =>
  editor.call<Changed>('POST', path, { mode, text, dryRun })

async function holdersIn(path: string): Promise<string[]> {
  const { body } = await editor.get<Listed>(path)
  return body.items.map((item) => item.address)
}

describe('the list of holders of a credential', () => {
  it('lets an editor add, remove and replace holders', async () => {
    const path = await newList()
    const added = await change(path, 'add', lines(1, 2, 2))
    expect(added).toMatchObject({ status: 200, body: { lines: 3, added: 2, removed: 0, unchanged: 1, refused: 0 } })
    const removed = await change(path, 'remove', lines(2, 9))
    expect(removed.body).toMatchObject({ lines: 2, added: 0, removed: 1, unchanged: 1 })
    const replaced = await change(path, 'replace', `wallet;address\nA;${address(3)}\nB;${address(4)}\n`)
    expect(replaced.body).toMatchObject({ lines: 2, added: 2, removed: 1, unchanged: 0 })
    expect(await holdersIn(path)).toEqual([address(3), address(4)])
    const entry = (await service.logOf(editor)).find(({ details }) => details.removed === '1' && details.added === '2')
    expect(entry).toMatchObject({ event: 'data.imported', details: { kind: 'holders', added: '2', removed: '1' } })
  })

  it('counts holders before it stores them, also beside refused lines', async () => {
    const path = await newList()
    await change(path, 'add', lines(1))
    const { status, body } = await change(path, 'add', `${lines(1, 2)}\nnobody\n${lines(3)}`, true)
    expect(status).toBe(200)
    expect(body).toMatchObject({ lines: 4, added: 2, unchanged: 1, refused: 1 })
    expect(body.problems).toMatchObject([{ line: 3, field: 'address', fault: { code: 'wrong_format' } }])
    expect((await change(path, 'remove', lines(1, 2), true)).body).toMatchObject({ removed: 1, unchanged: 1 })
    expect((await change(path, 'replace', lines(2), true)).body).toMatchObject({ added: 1, removed: 1 })
    expect(await holdersIn(path)).toEqual([address(1)])
  })

  it('stays as it is if a line is invalid', async () => {
    const path = await newList()
    for (const mode of ['add', 'remove', 'replace']) {
      const { status, body } = await editor.call<ErrorBody>('POST', path, { mode, text: `${address(1)}\nnobody` })
      expect(status).toBe(400)
      expect(body.error.field).toBe('text')
      expect(body.error.problems?.[0]?.message).toMatch(/^line 2, address: "nobody"/)
    }
    const other = { mode: 'add', text: `credentialId,address\n500,${address(1)}` }
    const { status, body } = await editor.call<ErrorBody>('POST', path, other)
    expect(status).toBe(400)
    expect(body.error.problems?.[0]?.message).toBe(
      `line 2, credentialId: "500" is not the credential of this list; allowed: ${path.split('/')[3]}, or no value`,
    )
    expect(await holdersIn(path)).toEqual([])
  })

  it.each([
    ['', 'empty_file'],
    ['wallet,age\nx,y', 'unknown_columns'],
    ['address\n', 'no_records'],
  ])('finds no holders in %j', async (text, code) => {
    const path = await newList()
    for (const dryRun of [true, false]) {
      const { status, body } = await editor.call<ErrorBody>('POST', path, { mode: 'replace', text, dryRun })
      expect(status).toBe(400)
      expect(body.error).toMatchObject({ field: 'text', fault: { code } })
      expect(body.error.message).not.toContain('--')
    }
  })

  it('has pages, names, and a search by the beginning of the address', async () => {
    const path = await newList()
    await change(path, 'add', lines(0xa1, 0xa2, 0xb1))
    await importRecords(service.services, 'points', [
      { spaceId: 41, address: address(0xa2), points: 1, username: 'Ada' },
    ])
    await service.database.query(
      "UPDATE profiles SET username = NULL, own_username = $2, own_avatar = '' WHERE address = $1",
      [address(0xa2), 'Ada L.'],
    )
    const first = await editor.get<Listed>(`${path}?first=2`)
    expect(first.body.items).toEqual([
      { address: address(0xa1), username: null },
      { address: address(0xa2), username: 'Ada L.' },
    ])
    const second = await editor.get<Listed>(`${path}?first=2&after=${first.body.next}`)
    expect(second.body).toEqual({ items: [{ address: address(0xb1), username: null }], next: null })
    expect(await holdersIn(`${path}?search=${address(0xb1).slice(0, 41).toUpperCase()}`)).toEqual([address(0xb1)])
    const handles = await newList('TWITTER')
    await change(handles, 'add', '@Rose\nrosemary\nthyme')
    expect(await holdersIn(`${handles}?search=%40ROSE`)).toEqual(['rose', 'rosemary'])
  })

  it('returns 403 to viewers, for reads and changes', async () => {
    const path = await newList()
    for (const other of [await service.withRole(41, 'viewer'), await service.someone()]) {
      expect((await other.get(path)).status).toBe(403)
      expect((await other.call('POST', path, { mode: 'add', text: address(1) })).status).toBe(403)
    }
    expect((await editor.get('/api/credentials/599/holders')).status).toBe(404)
  })

  it('rejects a text larger than 4 MiB', async () => {
    const path = await newList()
    expect((await change(path, 'add', 'x'.repeat(4 * 1024 * 1024))).status).toBe(413)
    expect((await change(path, 'add', 'x'.repeat(1024 * 1024))).status).toBe(400)
  })

  it('checks a text in many turns of the event loop', async () => {
    const path = await newList('TWITTER')
    const before = performance.eventLoopUtilization()
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const { body } = await change(path, 'add', '@\n'.repeat(200_000), true)
    delay.disable()
    expect(body).toMatchObject({ refused: 200_000 })
    const longestTurn = delay.max / 1e6
    expect(longestTurn).toBeLessThan(performance.eventLoopUtilization(before).active / 4)
  })

  it('rejects a text with more than 200,000 lines', async () => {
    const path = await newList('TWITTER')
    const { status, body } = await editor.call<ErrorBody>('POST', path, { mode: 'add', text: 'a\n'.repeat(200_001) })
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ field: 'text', fault: { code: 'too_many', parameters: { max: 200_000 } } })
    expect((await change(path, 'add', 'a\n'.repeat(200_000), true)).body).toMatchObject({ lines: 200_000, added: 1 })
  })

  it('rejects a request without a session, CSRF token or role, or during another change, before it reads the body', async () => {
    const path = await newList('TWITTER')
    const tooLarge = { mode: 'add', text: 'x'.repeat(4 * 1024 * 1024) }
    const viewer = await service.withRole(41, 'viewer')
    expect((await viewer.call('POST', path, tooLarge)).status).toBe(403)
    const { statusCode, body } = await service.fastify.inject({ method: 'POST', url: path, payload: tooLarge })
    expect(statusCode).toBe(403)
    expect(body).toContain('bad_csrf_token')
    const first = change(path, 'add', 'a\n'.repeat(200_000), true)
    await setTimeout(300)
    expect((await editor.call('POST', path, tooLarge)).status).toBe(429)
    expect((await first).status).toBe(200)
    expect((await change(path, 'add', 'a')).status).toBe(200)
  })
})
