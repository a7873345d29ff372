import { createHmac } from 'node:crypto'
import type { Server } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createReceiver, type WebhookEvent } from '../../../examples/webhook-receiver/server.ts'
import { verifyDelivery } from '../../../examples/webhook-receiver/verify.ts'
import { close, urlOf } from './listening.ts'

const now = new Date('2026-11-21T12:00:00Z')
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const oldSecret = `whsec_${Buffer.alloc(24, 8).toString('base64')}`
const event = { type: 'quest.status_changed', timestamp: now.toISOString(), data: { questId: 'GC1' } }

let server: Server
let url: string
const handled: WebhookEvent[] = []
let broken = false
beforeAll(async () => {
  const handle = async (one: WebhookEvent) => {
    if (broken) throw new Error('the database is down')
    handled.push(one)
  }
  server = createReceiver({ secrets: [secret, oldSecret], handle, now: () => now }).listen(0, '127.0.0.1')
  url = await urlOf(server)
})
beforeEach(() => {
  handled.length = 0
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterAll(() => close(server))

interface Sending {
  id?: string
  at?: Date
  by?: string
  body?: string
  signature?: string
}

function headersOf({ id = 'msg_1', at = now, by = secret, body = JSON.stringify(event), signature }: Sending) {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const key = Buffer.from(by.slice('whsec_'.length), 'base64')
  const own = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature ?? `v1,${own}` }
}

async function deliver(sending: Sending = {}, sentBody = sending.body ?? JSON.stringify(event)): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers: headersOf(sending), body: sentBody })
  return response.status
}

test('accepts a signature of another implementation (the example of the Standard Webhooks specification)', () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  const delivery = { headers, body: Buffer.from('{"test": 2432232314}') }
  const of = new Date(1_614_265_330_000)
  expect(verifyDelivery(delivery, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], of)).toBe('msg_p5jXN8AQM9LWM0D4loKWxJek')
})

test('handles an event once, however often it is delivered', async () => {
  expect(await deliver({ id: 'once' })).toBe(204)
  expect(await deliver({ id: 'once' })).toBe(204)
  expect(handled).toEqual([event])
})

test('accepts the old and the new secret during a rotation, and one valid signature of several', async () => {
  expect(await deliver({ id: 'old', by: oldSecret })).toBe(204)
  const { 'webhook-signature': own } = headersOf({ id: 'several' })
  expect(await deliver({ id: 'several', signature: `v1a,abc v1,${'A'.repeat(44)} ${own}` })).toBe(204)
})

test.each<[string, Sending, string?]>([
  ['another body', {}, '{"type":"forged"}'],
  ['another secret', { by: `whsec_${Buffer.alloc(24, 9).toString('base64')}` }],
  ['a time more than five minutes ago', { at: new Date(now.getTime() - 301_000) }],
  ['a time more than five minutes ahead', { at: new Date(now.getTime() + 301_000) }],
  ['no signature', { signature: '' }],
  ['a signature of another version', { signature: 'v2,abc' }],
])('rejects %s without handling the event', async (_, sending, body) => {
  expect(await deliver({ id: 'bad', ...sending }, body)).toBe(401)
  expect(handled).toEqual([])
})

test('rejects a delivery without its headers or with a malformed time', async () => {
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
  const headers = { ...headersOf({}), 'webhook-timestamp': 'NaN' }
  expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(event) })).status).toBe(401)
})

test('receives an event again if it could not handle it', async () => {
  broken = true
  expect(await deliver({ id: 'retry' })).toBe(500)
  broken = false
  expect(await deliver({ id: 'retry' })).toBe(204)
  expect(handled).toHaveLength(1)
})

test('rejects other methods and large bodies', async () => {
  expect((await fetch(url)).status).toBe(405)
  expect(await deliver({ body: 'x'.repeat(1_000_001) })).toBe(413)
})
