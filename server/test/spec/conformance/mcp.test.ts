import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { EmptyResultSchema, LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tools } from '../../../src/mcp/tools.ts'
import { startWorld } from '../../support/fixture.ts'
import { callTool, connectMcp, type RpcAnswer, rpc, sendRpc } from '../../support/mcp.ts'

// The scenarios of the conformance suite of the protocol for servers with tools only, by their names, and the exchanges of the
// inspector. The scenarios of authorization are in oauth.test.ts.
const world = await startWorld()
afterAll(() => world.stop())
const { url } = world
const authorized = { 'access-token': world.personas.business }

// inspector.test.ts runs the inspector itself; these exchanges run without the npm registry, too.
describe.each(['2025-11-25', '2025-06-18', '2025-03-26'])("the SDK's client with version %s", (version) => {
  const versions = new Set<string | null>()
  const client = new Client({ name: 'test', version: '1' })
  beforeAll(async () => {
    // The client asks for its newest version.
    const send: typeof fetch = (address, init) => {
      versions.add(new Headers(init?.headers).get('mcp-protocol-version'))
      const body = init?.body === undefined ? null : (init.body as string).replace(LATEST_PROTOCOL_VERSION, version)
      return fetch(address, { ...init, body })
    }
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers: authorized }, fetch: send }),
    )
  })
  afterAll(() => client.close())

  test('initializes, pings, lists tools, and calls one with valid arguments', async () => {
    expect(await client.ping()).toEqual({})
    expect((await client.listTools()).tools).toHaveLength(tools.length)
    // The client validates the structured content with the output schema of the list.
    const { structuredContent } = await callTool(client, 'get_space', { spaceId: 40 })
    expect(structuredContent).toMatchObject({ space: { id: '40' } })
    expect([...versions]).toEqual([null, version])
  })

  test('gets the errors of refused arguments, unknown tools and methods', async () => {
    const { isError, content } = await callTool(client, 'get_space', { spaceId: 'x' })
    expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining('code: INVALID_ARGUMENT\nspaceId: ')])
    await expect(callTool(client, 'no_such')).rejects.toMatchObject({ code: -32_602 })
    for (const list of [() => client.listResources(), () => client.listPrompts(), () => client.listResourceTemplates()])
      await expect(list()).rejects.toMatchObject({ code: -32_601 })
    await expect(client.request({ method: 'no/such' }, EmptyResultSchema)).rejects.toMatchObject({ code: -32_601 })
  })
})

describe('the scenarios of the conformance suite', () => {
  const send = (body: string, headers: Record<string, string> = {}): Promise<RpcAnswer> =>
    sendRpc(url, { headers: { ...authorized, ...headers }, body })

  test('server-initialize, ping', async () => {
    const client = await connectMcp(url, world.personas.business)
    expect(client.getServerVersion()).toMatchObject({ name: 'questboard', version: expect.any(String) as string })
    expect(client.getServerCapabilities()).toMatchObject({ tools: {} })
    expect(await client.ping()).toEqual({})
    expect((await send(rpc('ping'))).body).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    await client.close()
  })

  test('tools-list: each tool has a unique name, a description and an object as input', async () => {
    const client = await connectMcp(url, world.personas.business)
    const { tools: listed } = await client.listTools()
    expect(new Set(listed.map(({ name }) => name)).size).toBe(tools.length)
    for (const { name, description, inputSchema, outputSchema } of listed) {
      expect(name).toMatch(/^[A-Za-z0-9_.-]{1,128}$/)
      expect(description?.length).toBeGreaterThan(10)
      expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object'])
    }
    await client.close()
  })

  test('tools-call-simple-text, tools-call-error', async () => {
    const client = await connectMcp(url, world.personas.business)
    const result = await callTool(client, 'get_space', { spaceId: 40 })
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }])
    const failed = await callTool(client, 'get_space', { spaceId: 987_654_321 })
    expect([failed.isError, failed.content[0]?.type]).toEqual([true, 'text'])
    await expect(callTool(client, 'no_such_tool')).rejects.toMatchObject({ code: -32_602 })
    await client.close()
  })

  test('tools-list: a schema has one type, as the checks of the inspector ask (--method tools/list --strict)', async () => {
    const { body } = await send(rpc('tools/list'))
    const schemas = body.result?.tools as { name: string; inputSchema: object; outputSchema: object }[]
    const typesIn = (part: unknown): unknown[] =>
      typeof part !== 'object' || part === null
        ? []
        : Object.entries(part as Record<string, unknown>).flatMap(([name, value]) => [
            ...(name === 'type' ? [value] : []),
            ...typesIn(value),
          ])
    const types = schemas.flatMap(({ inputSchema, outputSchema }) => typesIn([inputSchema, outputSchema]))
    expect(types.length).toBeGreaterThan(100)
    expect(types.filter((type) => Array.isArray(type))).toEqual([])
    const { outputSchema } = schemas.find(({ name }) => name === 'get_space') ?? {}
    expect(JSON.stringify(outputSchema)).toContain('"description":{"anyOf":[{"type":"string"},{"type":"null"}]}')
  })

  test('methods of the inspector for parts that are not offered get an error of JSON-RPC', async () => {
    for (const method of ['resources/list', 'resources/templates/list', 'prompts/list', 'logging/setLevel'])
      expect((await send(rpc(method, { level: 'debug' }))).body.error).toMatchObject({ code: -32_601 })
  })

  test('json-rpc-batch-rejection', async () => {
    const { status, body } = await send(`[${rpc('ping', {}, 1)},${rpc('ping', {}, 2)}]`)
    expect([status, Array.isArray(body), body.error?.message]).toEqual([400, false, 'The request body is a batch'])
  })

  test('protocol-version-header: an unsupported version gets 400, and none is 2025-03-26', async () => {
    expect((await send(rpc('ping'), { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400)
    expect((await send(rpc('ping'))).status).toBe(200)
  })

  test('dns-rebinding-protection: a page under another name gets 403', async () => {
    const refused = await send(rpc('ping'), { origin: 'http://evil.example.com' })
    expect([refused.status, refused.body.error?.data?.code]).toEqual([403, 'PERMISSION_DENIED'])
    expect((await send(rpc('ping'))).status).toBe(200)
  })

  test('sessionless: no session, and no stream of the server', async () => {
    const { headers } = await send(
      rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }),
    )
    expect(headers.get('mcp-session-id')).toBeNull()
    expect((await fetch(`${url}/mcp`, { headers: { ...authorized, accept: 'text/event-stream' } })).status).toBe(405)
    expect((await fetch(`${url}/mcp`, { headers: authorized, method: 'DELETE' })).status).toBe(405)
  })
})
