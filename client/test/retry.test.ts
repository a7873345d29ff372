import { QuestboardError } from '@questboard/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokenWithLimits } from '../../server/test/support/personas.ts'
import { type ClientService, startCommunity } from './arrange.ts'
import { observedClient, type ObservedClient } from './client-of.ts'

let service: ClientService
beforeAll(async () => {
  service = await startCommunity()
})
afterAll(() => service.stop())

async function limitedClient(limits: { perSecond: number | null; perDay: number | null }): Promise<ObservedClient> {
  const { token } = await tokenWithLimits(service.deps, limits)
  return observedClient(service.clock, { baseUrl: service.url, accessToken: token, cache: false })
}

/** A client of a service with prepared responses, then data. */
function clientOf(answers: Response[], random = 0.5): ObservedClient {
  const options = { baseUrl: service.url, cache: false as const, random: () => random }
  return observedClient(service.clock, options, async () =>
    answers.length > 0 ? (answers.shift() as Response) : Response.json({ data: { space: { id: '40' } } }),
  )
}

function refusal(headers: Record<string, string> = {}, status = 429): Response {
  return new Response('{}', { status, headers })
}

test('repeats a rate-limited request after the wait that the service requires', async () => {
  service.clock.set('2026-11-21T12:00:00.400Z')
  const client = await limitedClient({ perSecond: 1, perDay: null })
  await client.space(40).info()
  const { name } = await client.space(40).info()
  expect(name).toBe('Forty')
  // Retry-After is 1 s; the random half adds half of the first wait.
  expect(client.waits).toEqual([1_250])
})

test('throws an error with the wait if it is longer than the limit', async () => {
  service.clock.set('2026-11-21T12:00:00.000Z')
  const client = await limitedClient({ perSecond: null, perDay: 1 })
  await client.space(40).info()
  const failure = await client
    .space(40)
    .info()
    .catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(QuestboardError)
  expect(failure).toMatchObject({
    code: 'QUOTA_EXCEEDED',
    category: 'RATE_LIMIT',
    httpStatus: 429,
    retryAfterMs: 12 * 3_600_000,
    details: ['quota_type: daily', 'limit: 1'],
  })
  expect(client.waits).toEqual([])
})

test('doubles the wait without Retry-After, half of it at random', async () => {
  const lucky = clientOf([refusal(), refusal(), refusal()], 0)
  await lucky.space(40).info()
  expect(lucky.waits).toEqual([500, 1_000, 2_000])
  const unlucky = clientOf([refusal(), refusal(), refusal()], 1)
  await unlucky.space(40).info()
  expect(unlucky.waits).toEqual([1_000, 2_000, 4_000])
})

test('accepts a date in Retry-After, relative to the date of the response', async () => {
  const date = 'Sat, 21 Nov 2026 12:00:00 GMT'
  const client = clientOf([refusal({ date, 'retry-after': 'Sat, 21 Nov 2026 12:00:07 GMT' })])
  await client.space(40).info()
  expect(client.waits).toEqual([7_250])
})

test('throws the error after the last retry; the number of retries is an option', async () => {
  const five = Array.from({ length: 5 }, () => refusal())
  const client = clientOf(five)
  await expect(client.space(40).info()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
  expect(client.requests).toHaveLength(5)
  const impatient = observedClient(service.clock, { baseUrl: service.url, retry: { retries: 0 } }, async () =>
    refusal(),
  )
  await expect(impatient.space(40).info()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED', httpStatus: 429 })
  expect(impatient.requests).toHaveLength(1)
})

test('treats a quota error with status 200 in the same way', async () => {
  const extensions = { code: 'QUOTA_EXCEEDED', category: 'RATE_LIMIT', http_status: 429 }
  const client = clientOf([Response.json({ data: null, errors: [{ message: 'API quota exceeded', extensions }] })])
  await client.space(40).info()
  expect(client.waits).toHaveLength(1)
})

test('retries if the service is unavailable, but not after other errors', async () => {
  const client = clientOf([refusal({ 'retry-after': '1' }, 503)])
  await client.space(40).info()
  expect(client.waits).toEqual([1_250])
  for (const status of [400, 401, 403, 404, 500]) {
    const refused = clientOf([refusal({}, status)])
    await expect(refused.space(40).info()).rejects.toMatchObject({ httpStatus: status })
    expect(refused.waits).toEqual([])
  }
})

test('aborts the wait before a retry', async () => {
  const abort = new AbortController()
  const client = observedClient(service.clock, { baseUrl: service.url }, async () => {
    abort.abort(new Error('enough'))
    return refusal()
  })
  await expect(client.space(40).info({ signal: abort.signal })).rejects.toThrow('enough')
  expect(client.requests).toHaveLength(1)
})
