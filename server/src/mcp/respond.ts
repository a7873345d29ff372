import { createRequire } from 'node:module'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  InitializeRequestSchema,
  isJSONRPCRequest,
  ListToolsRequestSchema,
  McpError,
  PingRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { z } from 'zod'
import { PLATFORM } from '../settings/site.ts'
import type { Message } from './message.ts'
import type { Tool } from './tool.ts'
import { tools } from './tools.ts'

// Loaded with the first request, because the SDK takes 10 MB of heap.

export interface McpRequest {
  url: string
  headers: Record<string, string>
  message: Message
}

export interface McpResponse {
  status: number
  body: string
  /** The code of the JSON-RPC error, if the response is one. */
  rpcError: number | undefined
}

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }
const INSTRUCTIONS = `${PLATFORM} runs communities: spaces with loyalty points, starboards (rankings by influence or
activity), credentials (lists of holders) and quests. All tools only read. Times are Unix times in seconds. Lists have
pages: pass pageInfo.endCursor to read the next one. Ask search_manual how the service works.`.replaceAll('\n', ' ')

// Tools only read. A check can call the source of the credential, which an editor has set. No argument contains a URL.
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const jsonSchemaValidator = new AjvJsonSchemaValidator()
const byName = new Map(tools.map((tool) => [tool.name, tool]))
/** The SDK itself would report invalid parameters as an internal error. */
const requestSchemas = new Map<string, z.ZodType>([
  ['initialize', InitializeRequestSchema],
  ['ping', PingRequestSchema],
  ['tools/list', ListToolsRequestSchema],
  ['tools/call', CallToolRequestSchema],
])
/** Built once, because schemas take 10 ms. */
const listed = tools.map(({ name, title, description, inputSchema, outputSchema }) => ({
  name,
  title,
  description,
  inputSchema: schemaOf(inputSchema, 'input'),
  outputSchema: schemaOf(outputSchema, 'output'),
  annotations,
}))

function schemaOf(shape: z.ZodObject, io: 'input' | 'output') {
  return portable(z.toJSONSchema(shape, { io, target: 'draft-7' })) as { type: 'object' } & Record<string, unknown>
}

/** Some clients read only one `type` in a schema, so a nullable field becomes a choice between two schemas. */
function portable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(portable)
  if (typeof schema !== 'object' || schema === null) return schema
  const { type, ...rest } = schema as { type?: unknown }
  const parts = Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, portable(part)]))
  if (type === undefined) return parts
  // In `properties`, "type" can be the name of a field. Its value is then a schema.
  return Array.isArray(type)
    ? { ...parts, anyOf: (type as unknown[]).map((one) => ({ type: one })) }
    : { type: portable(type), ...parts }
}

/** Whether a tool exists; its name becomes a label of metrics. */
export const isTool = (name: string): boolean => byName.has(name)

/** Lists the invalid parameters of a request; undefined if there are none. */
function invalidParams({ content, method = '' }: Message): string | undefined {
  // Other messages have no parameters to check. The transport accepts notifications and responses, and refuses all else.
  if (!isJSONRPCRequest(content)) return undefined
  const issues = requestSchemas.get(method)?.safeParse(content).error?.issues
  return issues?.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
}

/**
 * Responds to one message. Server and transport live as long as the request: no state is kept, so each worker can
 * respond to each request.
 */
export async function respond(
  { url, headers, message }: McpRequest,
  run: (tool: Tool, given: object) => Promise<CallToolResult>,
): Promise<McpResponse> {
  const invalid = invalidParams(message)
  if (invalid !== undefined) {
    const error = { code: ErrorCode.InvalidParams, message: `Invalid parameters: ${invalid}` }
    return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: message.id, error }), rpcError: error.code }
  }
  const { server } = new McpServer(
    { name: PLATFORM.toLowerCase(), title: PLATFORM, version },
    { instructions: INSTRUCTIONS, jsonSchemaValidator, capabilities: { tools: {} } },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }))
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: given = {} } }) => {
    const tool = byName.get(name)
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `Tool ${name.slice(0, 100)} not found`)
    return run(tool, given)
  })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  let rpcError: number | undefined
  const send = transport.send.bind(transport)
  transport.send = (sent, options) => {
    if ('error' in sent) rpcError = sent.error.code
    return send(sent, options)
  }
  await server.connect(transport)
  try {
    const request = new Request(url, { method: 'POST', headers })
    const response = await transport.handleRequest(request, { parsedBody: message.content })
    return { status: response.status, body: await response.text(), rpcError }
  } finally {
    await server.close()
  }
}
