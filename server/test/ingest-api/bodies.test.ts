import { execFile } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BODY_LIMIT, MAX_CONCURRENT_REQUESTS } from '../../src/ingest-api/limits.ts'
import { readItems } from '../../src/ingest-api/read-items.ts'
import { startService, type TestService } from '../support/service.ts'
import { ingestToken, send } from './arrange.ts'

let service: TestService
let token: string
const item = [{ spaceId: 40, name: 'Forty' }]
beforeAll(async () => {
  service = await startService()
  token = await ingestToken(service)
})
afterAll(() => service.stop())

const codeOf = async (sent: Promise<{ status: number; body: { error?: { code: string } } }>) => {
  const { status, body } = await sent
  return `${status} ${body.error?.code ?? ''}`.trim()
}

const text = (body: string, headers: Record<string, string> = {}) => send(service, 'spaces', body, { token, headers })

test.each([
  ['', 'items'],
  ['{"items":[]}', 'items'],
  ['{"item":[]}', 'items'],
  ['7', 'items'],
  ['null', 'items'],
  ['{"items":[],"more":1}', 'more'],
  ['{"items":', undefined],
  ['[{"spaceId":1,}]', undefined],
])('rejects the body %j', async (body, field) => {
  const { status, body: answer, headers } = await text(body)
  expect(status).toBe(400)
  expect(answer.error).toMatchObject({ code: 'INVALID_ARGUMENT', request_id: headers.get('x-request-id') })
  expect(answer.error.field).toBe(field)
  expect(answer.error.request_id).toMatch(/^[0-9a-f]{32}$/)
})

test('rejects too many items, too many bytes, other media types and compressed bodies', async () => {
  const many = Array.from({ length: 5_001 }, () => 1)
  expect(await codeOf(send(service, 'spaces', many, { token }))).toBe('413 PAYLOAD_TOO_LARGE')
  expect(await codeOf(text(`[${' '.repeat(BODY_LIMIT)}]`))).toBe('413 PAYLOAD_TOO_LARGE')
  expect(await codeOf(text('x', { 'content-type': 'text/csv' }))).toBe('415 UNSUPPORTED_MEDIA_TYPE')
  expect(await codeOf(text('x', { 'content-encoding': 'gzip' }))).toBe('415 UNSUPPORTED_MEDIA_TYPE')
})

test('stops reading lines at the limit of items', async () => {
  const lines = 'x\n'.repeat(BODY_LIMIT / 2)
  expect(() => readItems({ format: 'ndjson', text: lines })).toThrow('at most 5000 items')
  const blank = readItems({ format: 'ndjson', text: '\n\n  1\r\n \nx\n' })
  expect(blank).toEqual([{ value: 1 }, { unreadable: expect.stringMatching(/^line 5: "x"/) as string }])
})

test('rejects an integer of eight million digits', async () => {
  const long = '9'.repeat(8_000_000)
  const { status, body } = await text(`[{"spaceId":${long},"name":"x"}]`)
  expect({ status, body }).toMatchObject({ status: 200, body: { results: [{ error: { field: 'spaceId' } }] } })
  const credential = await send(service, 'credentials', `[{"id":-${long},"name":"x"}]`, { token })
  expect(credential.body.results[0]?.error).toMatchObject({ field: 'id', code: 'INVALID_ARGUMENT' })
})

test('reads numbers of any length also without optimized regular expressions', async () => {
  const module = join(import.meta.dirname, '../../src/ingest/exact-json.ts')
  const read = `import { parseExactJson } from ${JSON.stringify(pathToFileURL(module))}
    const nines = '9'.repeat(8_000_000)
    for (const text of [nines, '-' + nines, '0.' + nines, '7.' + nines + 'e3', nines + 'e-8000000'])
      console.log(typeof parseExactJson(text))
    console.log(parseExactJson('12345678901234567890'), parseExactJson('1e999'))`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--no-regexp-optimization',
    '--input-type=module',
    '--eval',
    read,
  ])
  expect(stdout.trim().split('\n')).toEqual([
    'string',
    'string',
    'number',
    'number',
    'number',
    '12345678901234567890n 1e999',
  ])
})

test('rejects deeply nested values', async () => {
  const deep = '['.repeat(5_000) + ']'.repeat(5_000)
  expect(await codeOf(text(`{"items":[${deep}]}`))).toBe('400 INVALID_ARGUMENT')
  const { body } = await text(`${deep}\n${JSON.stringify(item[0])}\n`, { 'content-type': 'application/x-ndjson' })
  expect(body.results).toMatchObject([{ error: { code: 'INVALID_ARGUMENT' } }, { index: 1 }])
  const flat = '['.repeat(25) + ']'.repeat(25)
  expect(await codeOf(text(`{"items":[${flat}]}`))).toBe('200')
})

test('frees the slots of clients that disconnect during the token look-up', async () => {
  const own = await ingestToken(service)
  const { port } = new URL(service.url)
  const connections = () =>
    new Promise<number>((resolve) => service.app.server.getConnections((_, count) => resolve(count)))
  const before = await connections()
  const client = await service.database.pool.connect()
  await client.query('BEGIN; LOCK TABLE ingest_tokens IN ACCESS EXCLUSIVE MODE')
  try {
    const head = `POST /ingest/v1/spaces HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${own}\r\ncontent-length: 9\r\n\r\n`
    const gone = Array.from(
      { length: MAX_CONCURRENT_REQUESTS },
      () =>
        new Promise<void>((resolve) => {
          const socket = connect(Number(port), '127.0.0.1', () => {
            socket.write(head, () => socket.destroy())
          })
          socket.on('close', () => resolve())
        }),
    )
    await Promise.all(gone)
    await expect.poll(connections).toBeLessThanOrEqual(before)
  } finally {
    await client.query('COMMIT')
    client.release()
  }
  expect(await codeOf(send(service, 'spaces', item, { token: own }))).toBe('200')
})

test('rejects a malformed body of a route that needs none', async () => {
  expect(await codeOf(send(service, 'starboards/sb/refresh', '{', { token }))).toBe('400 INVALID_ARGUMENT')
})

test('returns 404 in the same envelope for unknown paths and objects', async () => {
  expect(await codeOf(send(service, 'nothing', item, { token }))).toBe('404 NOT_FOUND')
  for (const id of ['none', '%00', '%F0%9F%92%A9', 'x'.repeat(90)])
    expect(await codeOf(send(service, `starboards/${id}/refresh`, '{}', { token }))).toBe('404 NOT_FOUND')
  const response = await fetch(`${service.url}/ingest/v1/awards`)
  expect(response.status).toBe(404)
})
