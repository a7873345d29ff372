import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** The SDK's own client, connected to a service. */
export async function connectMcp(url: string, token: string, header = 'authorization'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const value = header === 'authorization' ? `Bearer ${token}` : token
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { [header]: value } },
  })
  // The SDK declares no `sessionId: undefined`, which exactOptionalPropertyTypes distinguishes.
  await client.connect(transport)
  return client
}

export interface ToolResult {
  structuredContent?: Record<string, unknown>
  content: { type: string; text: string }[]
  isError?: boolean
}

export const callTool = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<ToolResult> =>
  (await client.callTool({ name, arguments: args })) as unknown as ToolResult

export interface RpcAnswer {
  status: number
  headers: Headers
  text: string
  body: {
    id?: unknown
    result?: ToolResult & Record<string, unknown>
    error?: { code: number; message: string; data?: { code: string; http_status: number; details?: string[] } }
  }
}

export const RPC_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** Sends any request to `/mcp`, without the SDK. */
export async function sendRpc(
  url: string,
  init: RequestInit & { headers?: Record<string, string> },
): Promise<RpcAnswer> {
  const response = await fetch(`${url}/mcp`, { method: 'POST', ...init, headers: { ...RPC_HEADERS, ...init.headers } })
  const text = await response.text()
  const body = (text === '' ? {} : JSON.parse(text)) as RpcAnswer['body']
  return { status: response.status, headers: response.headers, text, body }
}

export const rpc = (method: string, params: object = {}, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

export const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
