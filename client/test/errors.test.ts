import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createQuestboard, type Questboard, QuestboardError } from '@questboard/client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type ClientService, CREDENTIAL, STARBOARD, startCommunity } from './arrange.ts'

const SHORT_TIMEOUT = 100

/** The error of a failed request. */
async function failureOf(request: Promise<unknown>): Promise<QuestboardError> {
  const failure = await request.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(QuestboardError)
  return failure as QuestboardError
}

describe('an error of the service', () => {
  let service: ClientService
  beforeAll(async () => {
    service = await startCommunity()
  })
  afterAll(() => service.stop())

  const as = (accessToken?: string): Questboard =>
    createQuestboard({ baseUrl: service.url, ...(accessToken !== undefined && { accessToken }) })

  test('has code, category, status, request id, time, details and path', async () => {
    let sentId: string | null = null
    const client = createQuestboard({
      baseUrl: service.url,
      accessToken: service.personas.business,
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        sentId = response.headers.get('x-request-id')
        return response
      },
    })
    const failure = await failureOf(client.space(40).loyaltyPointsRanks({ sprintId: 9 }))
    expect(failure).toMatchObject({
      name: 'QuestboardError',
      message: 'Invalid sprint ID',
      code: 'INVALID_ARGUMENT',
      category: 'VALIDATION',
      httpStatus: 400,
      requestId: sentId,
      timestamp: new Date(service.clock.now()).toISOString(),
      details: ['sprintId: 9', expect.stringMatching(/^allowed: /)],
      path: ['space', 'loyaltyPointsRanks'],
    })
    expect(failure.requestId).toMatch(/^[0-9a-f]{32}$/)
    expect(failure.errors).toHaveLength(1)
  })

  test.each<[string, string, number, (services: ClientService) => Promise<unknown>]>([
    ['TOKEN_REQUIRED', 'Access token is required', 401, () => as().space(40).info()],
    ['INVALID_TOKEN', 'Invalid access token: revoked', 401, ({ personas }) => as(personas.revoked).space(40).info()],
    [
      'PERMISSION_DENIED',
      'This access token may not read the area "quest"',
      403,
      ({ personas }) => as(personas.spacesOnly).quest('GCquest002').info(),
    ],
    ['PERMISSION_DENIED', 'Quest is private', 403, ({ personas }) => as(personas.business).quest('GCprivate').info()],
    ['NOT_FOUND', 'Starboard not found', 404, ({ personas }) => as(personas.business).starboard('x').basicInfo()],
    ['NOT_FOUND', 'Starboard not found', 404, ({ personas }) => as(personas.business).starboard('x').user('user1')],
    ['NOT_FOUND', 'Space not found', 404, ({ personas }) => as(personas.business).space(41).findRank('0x1')],
    ['NOT_FOUND', 'Credential not found', 404, ({ personas }) => as(personas.business).credential(9).info()],
    [
      'INVALID_ARGUMENT',
      'Address not provided',
      400,
      ({ personas }) => as(personas.business).credential(CREDENTIAL).eligible(''),
    ],
    [
      'INVALID_ARGUMENT',
      'Invalid cursor',
      400,
      ({ personas }) => as(personas.business).space(40).loyaltyPointsRanks({ cursorAfter: 'x' }),
    ],
    [
      'INVALID_ARGUMENT',
      'Invalid pagination',
      400,
      ({ personas }) => as(personas.business).starboard(STARBOARD).leaderboard({ first: 0 }),
    ],
    [
      'INVALID_ARGUMENT',
      'Invalid status filter',
      400,
      ({ personas }) => as(personas.business).questPage({ statuses: ['Paused'] }),
    ],
  ])('%s: %s', async (code, message, httpStatus, request) => {
    const failure = await failureOf(request(service))
    expect({ ...failure, message: failure.message }).toMatchObject({ code, message, httpStatus })
  })

  test('keeps the data of fields without an error', async () => {
    const request = as(service.personas.business).query('{ space(id: 40) { name } quest(id: "none") { id } }')
    const failure = await failureOf(request)
    expect(failure.data).toEqual({ space: { name: 'Forty' }, quest: null })
    expect(failure.path).toEqual(['quest'])
  })
})

describe('a response that is not from the service', () => {
  let server: Server | undefined
  afterEach(() => {
    server?.closeAllConnections()
    server?.close()
  })

  async function serve(listener: RequestListener, timeoutMs = 30_000): Promise<Questboard> {
    server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return createQuestboard({ baseUrl, accessToken: 'secret', timeoutMs, retry: { retries: 0 } })
  }

  test('reports NETWORK_ERROR with its cause if no server listens', async () => {
    const client = await serve(() => {})
    server?.close()
    const failure = await failureOf(client.space(40).info())
    expect(failure).toMatchObject({ code: 'NETWORK_ERROR', category: 'CLIENT', httpStatus: undefined })
    expect(failure.cause).toBeInstanceOf(Error)
  })

  test('reports NETWORK_ERROR if the connection breaks', async () => {
    const client = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"data"')
      setTimeout(() => response.destroy(), 10)
    })
    expect((await failureOf(client.space(40).info())).code).toBe('NETWORK_ERROR')
  })

  test('reports TIMEOUT if the response or its end is missing', async () => {
    const silent = await serve(() => {}, SHORT_TIMEOUT)
    expect((await failureOf(silent.space(40).info())).code).toBe('TIMEOUT')
    server?.closeAllConnections()
    server?.close()
    const slow = await serve((_, response) => void response.writeHead(200).write('{"data"'), SHORT_TIMEOUT)
    expect((await failureOf(slow.space(40).info())).code).toBe('TIMEOUT')
  })

  test.each([
    ['a page of a proxy', 502, '<html>Bad gateway</html>'],
    ['a page with the status of success', 200, '<html>Welcome</html>'],
    ['JSON that is no answer', 200, '[]'],
    ['JSON that is null', 200, 'null'],
    ['an answer without data', 200, '{"data": null}'],
    ['an answer with a status of failure', 404, '{"data": {"space": {"name": "x"}}}'],
  ])('reports INVALID_RESPONSE for %s', async (_, status, body) => {
    const client = await serve((_, response) => void response.writeHead(status, { 'x-request-id': 'abc' }).end(body))
    const failure = await failureOf(client.space(40).info())
    expect(failure).toMatchObject({ code: 'INVALID_RESPONSE', category: 'CLIENT', requestId: 'abc' })
    expect(failure.message).toContain(String(status))
  })

  test('uses the message of an error without extensions', async () => {
    const client = await serve((_, response) => void response.end('{"errors": [{"message": "Cannot query field"}]}'))
    const failure = await failureOf(client.space(40).info())
    expect(failure).toMatchObject({ message: 'Cannot query field', details: [], requestId: undefined })
  })

  test('follows no redirect, so the token reaches no other host', async () => {
    let requests = 0
    const client = await serve((_, response) => {
      requests++
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    expect((await failureOf(client.space(40).info())).message).toContain('307')
    expect(requests).toBe(1)
  })
})

test.each(['', 'api.example.com', 'localhost:3000', 'ftp://example.com', '/relative'])(
  'rejects the base URL %j',
  (baseUrl) => {
    expect(() => createQuestboard({ baseUrl })).toThrow(
      `baseUrl must be an http or https URL, such as https://api.example.com; it is ${baseUrl}`,
    )
  },
)
