import { afterAll, describe, expect, test } from 'vitest'
import { tools } from '../../src/mcp/tools.ts'
import { startWorld } from '../support/fixture.ts'
import { callTool, connectMcp, type RpcAnswer, rpc, sendRpc } from '../support/mcp.ts'

// The scenarios of the conformance suite of the protocol for servers with tools only, by their names, and the methods of the
// inspector's command line. The scenarios of authorization are in oauth.test.ts.
const world = await startWorld()
afterAll(() => world.stop())
const { url } = world
const authorized = { 'access-token': world.personas.business }

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

  test('dns-rebinding-protection: a page under another name is refused', async () => {
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
