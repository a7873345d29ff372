import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { UPLOAD_LIMIT } from '../../src/ingest-api/limits.ts'
import { arriving } from '../../src/ingest-api/replace-list.ts'
import { testClock } from '../support/clock.ts'
import { startService, type TestService } from '../support/service.ts'
import { ingestToken, send } from './arrange.ts'

let service: TestService
let token: string
beforeAll(async () => {
  service = await startService()
  token = await ingestToken(service)
})
afterAll(() => service.stop())
afterEach(() => void vi.useRealTimers())
beforeEach(async () => {
  await service.database.query(
    'TRUNCATE quest_participants, quest_claims, quest_conditions, credentials, credential_holders CASCADE',
  )
  await send(service, 'credentials', [{ id: '7', name: 'Pass', credType: 'EVM_ADDRESS', credSource: 'CSV' }], { token })
  await send(service, 'holders', [{ credentialId: 7, address: address(1) }], { token })
})

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const upload = (body: string, { type = 'text/plain', id = '7', as = token } = {}) =>
  send(service, `holders/replace?credentialId=${id}`, body, { token: as, headers: { 'content-type': type } })
const credential = async () =>
  (
    await service.database.query(
      `SELECT item_count, sync_status, array(
         SELECT address FROM credential_holders h WHERE h.credential_id = c.credential_id AND h.generation = c.generation
         ORDER BY address) AS holders FROM credentials c`,
    )
  )[0]
const old = { item_count: 1, sync_status: 'SYNCED', holders: [address(1)] }

test('replaces a whole list with text or NDJSON', async () => {
  expect((await upload([2, 3, 3].map(address).join('\n'))).body).toEqual({ credentialId: '7', itemCount: 2, read: 3 })
  expect(await credential()).toEqual({ item_count: 2, sync_status: 'SYNCED', holders: [address(2), address(3)] })
  const lines = [4, 5].map((n) => JSON.stringify({ address: address(n) })).join('\n')
  expect((await upload(lines, { type: 'application/x-ndjson' })).status).toBe(200)
  expect(await credential()).toMatchObject({ holders: [address(4), address(5)] })
})

test('keeps the old list if one line is invalid, and reports the line', async () => {
  const { status, body } = await upload([address(2), 'nobody', address(3)].join('\n'))
  expect(status).toBe(400)
  expect(body.error).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: 'Nothing was stored: 1 line is invalid',
    problems: [{ line: 2, field: 'address', message: expect.stringContaining('nobody') as string }],
  })
  expect(await credential()).toEqual(old)
})

test.each([
  ['nothing', { body: '' }, 400],
  ['no credential', { id: '' }, 400],
  ['an invalid credential', { id: 'x' }, 400],
  ['an unknown credential', { id: '8' }, 404],
  ['JSON', { type: 'application/json' }, 415],
])('rejects %s', async (_, { body = address(2), ...rest }: { body?: string; id?: string; type?: string }, status) => {
  expect((await upload(body, rest)).status).toBe(status)
  expect(await credential()).toEqual(old)
})

test('rejects a token of another scope', async () => {
  const other = await ingestToken(service, { credentials: ['8'] })
  const { status, body } = await upload(address(2), { as: other })
  expect([status, body.error.code]).toEqual([403, 'PERMISSION_DENIED'])
})

test('shows the old list and SYNCING during an upload, and keeps the list if the upload is aborted', async () => {
  const sending = request(`${service.url}/ingest/v1/holders/replace?credentialId=7`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', authorization: `Bearer ${token}` },
  })
  sending.on('error', () => {}) // the test destroys the connection
  for (let from = 0; from < 120_000; from += 10_000)
    sending.write(Array.from({ length: 10_000 }, (_, i) => `${address(from + i)}\n`).join(''))
  await expect.poll(credential).toEqual({ ...old, sync_status: 'SYNCING' })
  sending.destroy()
  await expect.poll(credential).toEqual(old)
})

const read = async (bytes: AsyncIterable<Buffer>) => {
  let read = 0
  for await (const chunk of bytes) read += chunk.length
  return read
}

test('rejects an upload above the size limit', async () => {
  const bytes = () => Readable.from(Array.from({ length: 4 }, () => Buffer.alloc(100)))
  expect(await read(arriving(bytes(), testClock(), { maxBytes: 400 }))).toBe(400)
  const cut = bytes()
  await expect(read(arriving(cut, testClock(), { maxBytes: 399 }))).rejects.toMatchObject({ status: 413 })
  expect(cut.destroyed, 'the response uses the same connection').toBe(false)
  const sending = request(`${service.url}/ingest/v1/holders/replace?credentialId=7`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', authorization: `Bearer ${token}`, 'content-length': UPLOAD_LIMIT + 1 },
  })
  sending.on('error', () => {}) // the test destroys the connection
  sending.write(address(1))
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(413)
  sending.destroy()
})

/** An upload whose pieces arrive when a test sends them, with a budget of 300 ms that 1,000 bytes a second keep full. */
function pacedUpload() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let passed = 0
  const bytes = new Readable({ read() {} })
  const limits = { timeout: 300, minRate: 1_000 }
  const chunks = arriving(bytes, { ...testClock(), monotonic: () => passed }, limits)
  const wait = async (milliseconds: number) => {
    passed += milliseconds
    await vi.advanceTimersByTimeAsync(milliseconds)
  }
  return {
    bytes,
    wait,
    /** Reads a piece that arrives after a wait. @returns its size */
    read: async (after: number, size: number): Promise<number | undefined> => {
      const chunk: Promise<IteratorResult<Buffer, undefined>> = chunks.next()
      chunk.catch(() => {}) // the caller handles the failure after the wait
      await wait(after)
      bytes.push(Buffer.alloc(size))
      return (await chunk).value?.length
    },
  }
}

test('aborts an upload whose waits use up the budget', async () => {
  const { bytes, read } = pacedUpload()
  for (let waits = 0; waits < 6; waits++) expect(await read(50, 1)).toBe(1)
  await expect(read(50, 1)).rejects.toMatchObject({ status: 408, code: 'timeout' })
  expect(bytes.destroyed, 'the response uses the same connection').toBe(false)
})

test('reads an upload that is as fast as required', async () => {
  const { read } = pacedUpload()
  for (let waits = 0; waits < 12; waits++) expect(await read(50, 50)).toBe(50)
})

test('does not count the time to store what arrived', async () => {
  const { read, wait } = pacedUpload()
  expect(await read(50, 1)).toBe(1)
  await wait(350)
  expect(await read(200, 1)).toBe(1)
})
