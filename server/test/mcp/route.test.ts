import { afterAll, describe, expect, test } from 'vitest'
import { startWorld } from '../support/fixture.ts'
import { callTool, connectMcp, INITIALIZED, rpc, RPC_HEADERS, sendRpc } from '../support/mcp.ts'
import { publishableToken } from '../support/pages.ts'
import { tokenWithLimits } from '../support/personas.ts'

const world = await startWorld()
afterAll(() => world.stop())
const { url, personas } = world
const authorized = { 'access-token': personas.business }
const list = rpc('tools/list')
const getSpace = rpc('tools/call', { name: 'get_space', arguments: { spaceId: 40 } })

const send = (body: string | undefined, headers: Record<string, string> = {}, method = 'POST') =>
  sendRpc(url, { method, headers: { ...authorized, ...headers }, ...(body !== undefined && { body }) })

describe('a token', () => {
  test.each(['authorization', 'access-token', 'access_token'])('may be in the header %s', async (header) => {
    const client = await connectMcp(url, personas.business, header)
    expect((await callTool(client, 'get_space', { spaceId: 40 })).isError).toBeUndefined()
    await client.close()
  })

  test.each([
    ['no token', {}, 'TOKEN_REQUIRED', 'Access token is required'],
    ['a malformed token', { authorization: 'Bearer x' }, 'INVALID_TOKEN', 'Invalid access token: malformed'],
    ['a revoked token', { 'access-token': personas.revoked }, 'INVALID_TOKEN', 'Invalid access token: revoked'],
    ['an expired token', { 'access-token': personas.expired }, 'INVALID_TOKEN', 'Invalid access token: expired'],
  ])('%s gets 401 with a challenge, before the message is read', async (_, headers, code, message) => {
    for (const body of [list, getSpace, 'not JSON']) {
      const answer = await sendRpc(url, { headers, body })
      expect([answer.status, answer.body.error?.data?.code, answer.body.error?.message]).toEqual([401, code, message])
      expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } })
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /)
    }
  })

  test('a publishable token gets 401, and the error explains why', async () => {
    const { token } = await publishableToken(world.deps, { origins: [new URL(url).origin] })
    const answer = await sendRpc(url, { headers: { authorization: `Bearer ${token}` }, body: list })
    expect(answer.status).toBe(401)
    expect(answer.body.error?.data?.details).toContain(
      'received: a publishable token, which only /query and /live take',
    )
  })
})

describe('the quota', () => {
  test('each message costs one unit: also notifications, rejected arguments, and unreadable bodies', async () => {
    const { token } = await tokenWithLimits(world.deps, { perSecond: null, perDay: 10 })
    const remaining = async (body: string) => {
      const { headers } = await sendRpc(url, { headers: { 'access-token': token }, body })
      return Number(/"daily";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
    }
    expect(await remaining(getSpace)).toBe(9)
    expect(await remaining(INITIALIZED)).toBe(8)
    expect(await remaining(list)).toBe(7)
    expect(await remaining(rpc('tools/call', { name: 'search_manual', arguments: { query: 'token' } }))).toBe(6)
    expect(await remaining(rpc('tools/call', { name: 'get_space', arguments: { spaceId: 'x' } }))).toBe(5)
    for (const [place, body] of [
      '{',
      '[]',
      `"${'x'.repeat(100_000)}"`,
      '{"jsonrpc":"2.0","id":1,"result":{}}',
    ].entries())
      expect(await remaining(body)).toBe(4 - place)
  })

  test.each([
    ['broken JSON', '{', {}],
    ['an empty body', '', {}],
    ['an array', '[]', {}],
    ['a body that is too large', `"${'x'.repeat(100_000)}"`, {}],
    ['another type', 'a=b', { 'content-type': 'text/plain' }],
    ['a compressed body', '{}', { 'content-encoding': 'gzip' }],
  ])('%s costs the same at /query, before and after the units are used up', async (_, body, headers) => {
    const outcomes = await Promise.all(
      ['/mcp', '/query'].map(async (path) => {
        const { token } = await tokenWithLimits(world.deps, { perSecond: null, perDay: 1 })
        const request = { method: 'POST', headers: { ...RPC_HEADERS, 'access-token': token, ...headers }, body }
        const answers = [await fetch(url + path, request), await fetch(url + path, request)]
        return answers.map((answer) => [answer.status, /r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]])
      }),
    )
    expect(outcomes[0]).toEqual(outcomes[1])
    expect(outcomes[0]?.[0]).toEqual([expect.any(Number), '0'])
    expect(outcomes[0]?.[1]?.[0]).toBe(429)
  })

  test('without units, a tool fails with the text of the query, and other messages with 429', async () => {
    const { token } = await tokenWithLimits(world.deps, { perSecond: null, perDay: 3 })
    const client = await connectMcp(url, token)
    await callTool(client, 'get_space', { spaceId: 40 })
    const { isError, content } = await callTool(client, 'get_space', { spaceId: 40 })
    expect([isError, content[0]?.text]).toEqual([
      true,
      'API quota exceeded: daily limit reached\ncode: QUOTA_EXCEEDED\nquota_type: daily\nlimit: 3',
    ])
    await client.close()
    for (const body of [list, INITIALIZED, '{']) {
      const refused = await sendRpc(url, { headers: { 'access-token': token }, body })
      expect([refused.status, refused.body.error?.message]).toEqual([429, 'API quota exceeded: daily limit reached'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })

  test('the limits are those of /query', async () => {
    const { token } = await tokenWithLimits(world.deps, { perSecond: null, perDay: 3 })
    await sendRpc(url, { headers: { 'access-token': token }, body: getSpace })
    const { headers } = await fetch(`${url}/query`, {
      method: 'POST',
      headers: { 'access-token': token, 'content-type': 'application/json' },
      body: '{"query":"{ __typename }"}',
    })
    expect(headers.get('ratelimit')).toContain('"daily";r=1')
  })
})

describe('requests without a message', () => {
  test.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('%s gets 405, because there are no sessions', async (method) => {
    const answer = await send(undefined, {}, method)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    expect(answer.body.error?.data).toMatchObject({ code: 'METHOD_NOT_ALLOWED' })
  })

  test.each<[string, string, Record<string, string>, number, string]>([
    ['a batch', `[${list}]`, {}, 400, 'The request body is a batch'],
    ['an empty batch', '[]', {}, 400, 'The request body is a batch'],
    ['broken JSON', '{', {}, 400, 'The request body is not JSON'],
    ['an empty body', '', {}, 400, 'The request body is not JSON'],
    ['a text', '"tools/list"', {}, 400, 'The request body must be a JSON-RPC message'],
    ['null', 'null', {}, 400, 'The request body must be a JSON-RPC message'],
    ['deep nesting', `${'['.repeat(45_000)}${']'.repeat(45_000)}`, {}, 400, 'The request body is a batch'],
    ['no JSON-RPC', '{"method":"tools/list","id":1}', {}, 400, 'Parse error: Invalid JSON-RPC message'],
    ['an id that is no text or number', rpc('ping', {}, { a: 1 }), {}, 400, 'Parse error: Invalid JSON-RPC message'],
    ['the id null', rpc('ping', {}, null), {}, 400, 'Parse error: Invalid JSON-RPC message'],
    ['a large body', `"${'x'.repeat(100_000)}"`, {}, 413, 'The request body is too large'],
    ['a form', 'a=b', { 'content-type': 'text/plain' }, 415, 'Content-Type must be application/json in UTF-8'],
    ['a compressed body', list, { 'content-encoding': 'gzip' }, 415, 'Content-Encoding is not accepted'],
    ['another Accept', list, { accept: 'text/html' }, 406, 'Not Acceptable'],
    ['an unknown version', list, { 'mcp-protocol-version': '1999-01-01' }, 400, 'Unsupported protocol version'],
  ])('%s', async (_, body, headers, status, message) => {
    const answer = await send(body, headers)
    expect([answer.status, answer.body.error?.message]).toEqual([status, expect.stringContaining(message)])
  })

  test('a method that does not exist, and one of an optional part, get an error of JSON-RPC', async () => {
    for (const method of ['tools/delete', 'resources/list', 'tasks/list', 'logging/setLevel', 'sampling/createMessage'])
      expect((await send(rpc(method, { level: 'debug' }))).body.error).toMatchObject({ code: -32_601 })
  })
})

test.each([
  ['tools/call', {}, 'params.name: Invalid input: expected string, received undefined'],
  ['tools/call', { name: 'get_space', arguments: 5 }, 'params.arguments: Invalid input: expected record'],
  ['tools/list', { cursor: 5 }, 'params.cursor: Invalid input: expected string'],
  ['initialize', { protocolVersion: 5 }, 'params.protocolVersion: Invalid input: expected string'],
])('the error of %s with %j names the parameter', async (method, params, message) => {
  const { status, body } = await send(rpc(method, params))
  expect([status, body.id]).toEqual([200, 1])
  expect(body.error?.code).toBe(-32_602)
  expect(body.error?.message).toContain(`Invalid parameters: ${message}`)
})

describe('an origin', () => {
  test.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'http://127.0.0.1:1'])(
    '%s gets 403 before the check of the token',
    async (origin) => {
      for (const headers of [authorized, { 'access-token': 'x' }]) {
        const answer = await sendRpc(url, { headers: { ...headers, origin }, body: getSpace })
        expect([answer.status, answer.body.error?.data?.code]).toEqual([403, 'PERMISSION_DENIED'])
        expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      }
    },
  )

  test('the own origin of the installation has access, whatever Host contains', async () => {
    expect((await send(getSpace, { origin: 'http://localhost:0' })).status).toBe(200)
  })
})

describe('the protocol', () => {
  test.each(['2025-11-25', '2025-06-18', '2025-03-26'])('speaks version %s', async (protocolVersion) => {
    const { body, headers } = await send(
      rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'a', version: '1' } }),
    )
    expect(body.result).toMatchObject({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'questboard', title: 'Questboard' },
      instructions: expect.stringContaining('search_manual') as string,
    })
    expect(headers.get('mcp-session-id')).toBeNull()
  })

  test('offers its newest version to a client with an unknown one', async () => {
    const { body } = await send(
      rpc('initialize', { protocolVersion: '2099-01-01', capabilities: {}, clientInfo: { name: 'a', version: '1' } }),
    )
    expect(body.result?.protocolVersion).toBe('2025-11-25')
  })

  test('keeps no state: a client can call a tool first, with any id', async () => {
    for (const id of [0, -1, 'a', '']) {
      const { body } = await send(rpc('tools/call', { name: 'get_space', arguments: { spaceId: 40 } }, id))
      expect([body.id, body.result?.structuredContent]).toEqual([id, expect.objectContaining({}) as object])
    }
  })

  test('responds to a notification and to a response with 202 and no body', async () => {
    for (const body of [INITIALIZED, '{"jsonrpc":"2.0","id":1,"result":{}}']) {
      const answer = await send(body)
      expect([answer.status, answer.text]).toEqual([202, ''])
    }
  })

  test('responds to many clients at once with their own ids', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, id) =>
        send(rpc('tools/call', { name: 'get_space', arguments: { spaceId: 40 + (id % 2) } }, id)),
      ),
    )
    expect(answers.map(({ body }) => [body.id, (body.result?.structuredContent?.space as { id: string }).id])).toEqual(
      answers.map((_, id) => [id, String(40 + (id % 2))]),
    )
  })
})
