import Fastify from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ingestRoute } from '../../src/ingest-api/route.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { startService, type TestService } from '../support/service.ts'
import { ingestToken } from './arrange.ts'

let service: TestService
let token: string
beforeAll(async () => {
  service = await startService()
  token = await ingestToken(service)
  await importRecords(service.deps, 'spaces', [{ spaceId: 40, name: 'Forty' }])
})
afterAll(() => service.stop())

const ID = '0d9f5c3a-7b1e-4c8a-9f64-2f1f3c5b7a90'
const FIRST = 'first must be a whole number from 1 to 1000'
const AFTER = 'after must be the value of `next` from a response'
const ENTRY = 'after must be the id of an entry, or the `next` of a page'
const CONFIRM = 'confirm must be the id'

it.each([
  ['GET', 'spaces?first=0', 'first', FIRST],
  ['GET', 'spaces?first=', 'first', FIRST],
  ['GET', 'snapshots?first=1001', 'first', FIRST],
  ['GET', 'snapshots?first=1&first=2', 'first', FIRST],
  ['GET', 'spaces/40/ledger?first=1e2', 'first', FIRST],
  ['GET', `spaces?after=${'x'.repeat(201)}`, 'after', AFTER],
  ['GET', 'snapshots?after=', 'after', AFTER],
  ['GET', 'spaces/40/ledger?after=', 'after', ENTRY],
  ['GET', `snapshots/${ID}/download?format=xml`, 'format', 'format must be one of csv, ndjson, '],
  ['GET', 'spaces/40/export?kind=gifts', undefined, 'kind: a space is exported as spaces, sprints, points, quests'],
  ['GET', 'spaces/40/export?kind=quests&kind=quests', undefined, 'kind: a space is exported as '],
  ['DELETE', 'spaces/40', 'confirm', `${CONFIRM}, which is deleted with its sprints, `],
  ['DELETE', 'spaces/40?confirm=40&confirm=40', 'confirm', CONFIRM],
  ['DELETE', `snapshots/${ID}?confirm=x`, 'confirm', `${CONFIRM} of the snapshot, which is deleted with its list `],
] as const)('rejects %s %s', async (method, path, field, message) => {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${service.url}/ingest/v1/${path}`, { method, headers })
  const { error } = (await response.json()) as { error: { code: string; field?: string; message: string } }
  expect([response.status, error.code, error.field]).toEqual([400, 'INVALID_ARGUMENT', field])
  expect(error.message.slice(0, message.length)).toBe(message)
})

it('names the limit of its route for a body that is too large', async () => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ note: 'x'.repeat(2 ** 20) })
  const response = await fetch(`${service.url}/ingest/v1/snapshots`, { method: 'POST', headers, body })
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  expect([response.status, error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  expect(error.message).toBe('The body is too large; allowed: 1048576 bytes')
})

const description = { method: 'GET', path: '/things/:id', tag: 'spaces', summary: 'Show', answers: {} } as const

it('refuses to register a route whose path parameters are not described', () => {
  expect(() => ingestRoute(Fastify(), description, () => '')).toThrow('path and params differ in id')
})

it('fails if no token was authenticated', async () => {
  const fastify = Fastify()
  ingestRoute(fastify, { ...description, params: { id: 'The thing.' } }, () => 'handled')
  const { statusCode, body } = await fastify.inject('/things/1')
  expect([statusCode, body]).toEqual([500, expect.stringContaining('without its caller')])
})
