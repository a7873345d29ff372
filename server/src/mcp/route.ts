import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../access/caller.ts'
import { tokenOf } from '../access/token-headers.ts'
import { queryCodes } from '../error-codes.ts'
import { otherOriginDenied, RequestFailure, ServiceError, wrongMethod } from '../errors.ts'
import { toQueryError } from '../graphql/execute.ts'
import { MAX_BODY_BYTES } from '../graphql/limits.ts'
import { JSON_TYPE } from '../http/media-types.ts'
import {
  isTooShortToCompress,
  type QueryResponse,
  recordRequest,
  type RequestRecord,
  writeCompressible,
  writeResponse,
} from '../http/query-response.ts'
import { readQueryText } from '../http/query-body.ts'
import { protectedResourcePaths } from '../oauth/resources.ts'
import type { QueryRouteServices } from '../http/query-route.ts'
import { queryAs } from '../http/service-query.ts'
import { isAccessToken } from '../secrets/oauth-token-format.ts'
import type { Site } from '../settings/site.ts'
import { readArguments } from './arguments.ts'
import { failureOf, type Message, readMessage, RPC_CODES, toolFailure } from './message.ts'
import type { Tool } from './tool.ts'
import type { AuthenticateUser } from './user-caller.ts'
import { MCP } from '../settings/scopes.ts'

export interface McpRoute extends QueryRouteServices {
  site: Pick<Site, 'issuer' | 'origin'>
  authenticateUser: AuthenticateUser
  searchManual: (words: string, limit: number) => Promise<unknown>
}

export const MCP_PATH = '/mcp'

interface McpRecord extends RequestRecord {
  messageId?: Message['id']
  /** The status for log and metrics if a failure is returned with HTTP status 200. */
  loggedStatus?: number
}

/** `POST /mcp`: the Model Context Protocol over Streamable HTTP, without sessions (docs/mcp.md). */
export function createMcpRoute(route: McpRoute): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const started = route.clock.monotonic()
    const record: McpRecord = { requestId: route.random.requestId(), contentType: JSON_TYPE, operation: 'mcp' }
    const result = await answer(route, request, record).catch((error: unknown) => failure(route, error, record))
    if (isTooShortToCompress(result)) writeResponse(response, result, record)
    else await writeCompressible(request, response, result, record)
    recordRequest(route, record, record.loggedStatus ?? result.status, route.clock.monotonic() - started)
  }
}

async function answer(route: McpRoute, request: IncomingMessage, record: McpRecord): Promise<QueryResponse> {
  if (request.method !== 'POST') throw wrongMethod(request.method ?? '', MCP_PATH, ['POST'])
  refuseOtherOrigins(route, request)
  const reading = readQueryText(request, MAX_BODY_BYTES)
  reading.catch(() => {}) // awaited below, unless the token refuses the request first
  const caller = await authenticate(route, request, record)
  const message = await reading.then(readMessage).catch(async (invalid: unknown) => {
    record.quotaHeaders = await route.quota.spend(caller)
    throw invalid
  })

  record.messageId = message.id

  const { isTool, respond } = await import('./respond.ts')
  if (message.tool !== undefined && isTool(message.tool)) record.operation = `mcp.${message.tool}`
  const refused = await spend(route, caller, message, record)
  if (refused) return refused
  const { accept, 'content-type': type, 'mcp-protocol-version': version } = request.headers
  const headers = { accept, 'content-type': type, 'mcp-protocol-version': version }
  const given = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  const { rpcError, ...result } = await respond(
    { url: route.site.issuer + MCP_PATH, headers: Object.fromEntries(given) as Record<string, string>, message },
    (tool, args) => runTool(route, caller, record, tool, args),
  )
  if (rpcError !== undefined || result.status >= 400) recordRefusal(record, result.status, rpcError)
  return result
}

/** Records a message that the SDK rejects: unknown tool or method, invalid parameters, or an unsupported header. */
function recordRefusal(record: McpRecord, status: number, rpcError: number | undefined): void {
  const ofStatus = status === 406 ? 'NOT_ACCEPTABLE' : status === 415 ? 'UNSUPPORTED_MEDIA_TYPE' : 'INVALID_ARGUMENT'
  const code = rpcError === RPC_CODES.internal ? 'INTERNAL_ERROR' : ofStatus
  record.errorCode = code
  if (status < 400) record.loggedStatus = queryCodes[code].status
}

/** Accepts a server token or an access token of a user. Requests of users are not counted as usage of a token. */
async function authenticate(route: McpRoute, request: IncomingMessage, record: McpRecord): Promise<Caller> {
  const token = tokenOf(request)
  if (token !== undefined && isAccessToken(token)) {
    const { caller, subject } = await route.authenticateUser(token)
    record.userToken = { client_id: subject.client_id, grant_id: subject.grant_id }
    return caller
  }
  const caller = await route.authenticator.authenticate(request)
  record.tokenId = caller.tokenId
  return caller
}

/** Rejects requests from pages at other origins, even after DNS rebinding. Clients other than browsers send no `Origin`. */
function refuseOtherOrigins({ site }: McpRoute, { headers: { origin } }: IncomingMessage): void {
  if (origin !== undefined && origin !== site.origin) throw otherOriginDenied(origin, site.origin)
}

/** Spends one unit per message. @returns the response if the quota for a call of a tool is exhausted */
async function spend(
  { quota }: McpRoute,
  caller: Caller,
  { id, tool }: Message,
  record: McpRecord,
): Promise<QueryResponse | undefined> {
  try {
    record.quotaHeaders = await quota.spend(caller)
    return undefined
  } catch (error) {
    if (tool === undefined || !(error instanceof ServiceError) || error.code !== 'QUOTA_EXCEEDED') throw error
    record.loggedStatus = error.status
    record.errorCode = error.code
    // Clients pass results of tools to the model, but not HTTP errors.
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: toolFailure([error]) })
    return { status: 200, body, headers: error.headers }
  }
}

async function runTool(route: McpRoute, caller: Caller, record: McpRecord, tool: Tool, given: object) {
  const { operation } = record
  try {
    const data = (await tool.run(readArguments(tool, given), {
      query: (query, variables) => queryAs(route, caller, record, { query, variables }),
      searchManual: route.searchManual,
    })) as Record<string, unknown>
    return { content: [{ type: 'text' as const, text: JSON.stringify(data) }], structuredContent: data }
  } catch (thrown) {
    const errors = errorsOf(route, thrown, record)
    if (!(thrown instanceof RequestFailure)) record.loggedStatus = errors[0].status
    return toolFailure(errors)
  } finally {
    // The query replaces it with the name of its field; the log and the metrics show the tool.
    if (operation !== undefined) record.operation = operation
  }
}

function failure(route: McpRoute, thrown: unknown, record: McpRecord): QueryResponse {
  const errors = errorsOf(route, thrown, record)
  const [{ status, headers }] = errors
  const challenge = challengeFor(route, errors[0])
  return {
    status,
    body: failureOf(errors[0], record.messageId ?? null, record.requestId),
    headers: { ...headers, ...challenge },
  }
}

/** The `WWW-Authenticate` header that names the authorization server (RFC 9728 5.1, RFC 6750 3). */
function challengeFor({ site }: McpRoute, { code, details }: ServiceError): Record<string, string> | undefined {
  const metadata = `resource_metadata="${site.issuer}${protectedResourcePaths[1]}", scope="${MCP}"`
  if (code === 'TOKEN_REQUIRED') return { 'www-authenticate': `Bearer ${metadata}` }
  if (code === 'INVALID_TOKEN') return { 'www-authenticate': `Bearer error="invalid_token", ${metadata}` }
  if (code === 'PERMISSION_DENIED' && details?.includes(`scope: ${MCP}`))
    return { 'www-authenticate': `Bearer error="insufficient_scope", ${metadata}` }
  return undefined
}

function errorsOf({ log }: McpRoute, thrown: unknown, record: McpRecord): readonly [ServiceError, ...ServiceError[]] {
  const errors = thrown instanceof RequestFailure ? thrown.errors : [toQueryError(thrown)]
  const [{ code, status, cause }] = errors as [ServiceError]
  record.errorCode = code
  if (status >= 500) log.error({ request_id: record.requestId, err: cause ?? thrown }, 'an MCP request failed')
  return errors as [ServiceError, ...ServiceError[]]
}
