import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../access/caller.ts'
import { requireAreas } from '../access/permissions.ts'
import { requirePublicFields } from '../access/publishable-fields.ts'
import type { Quota } from '../access/quota.ts'
import type { RequestLog } from '../access/request-log.ts'
import type { UsageRecorder } from '../access/usage.ts'
import type { Dependencies } from '../services.ts'
import { RequestFailure, type ServiceError } from '../errors.ts'
import type { CacheValidator } from '../graphql/cache-validators.ts'
import type { Compiler } from '../graphql/compile.ts'
import type { Context } from '../graphql/context.ts'
import { execute, toQueryError } from '../graphql/execute.ts'
import type { OperationSummary } from '../graphql/operation-summary.ts'
import type { AccessLog } from '../logging/log.ts'
import { compressed, MIN_COMPRESSED_BYTES } from './compression.ts'
import { failureBody, resultBody } from './error-envelope.ts'
import { GRAPHQL_TYPE, JSON_TYPE } from './media-types.ts'
import type { Metrics } from './metrics.ts'
import { parseQueryBody, type QueryBody } from './query-body.ts'
import type { CachedResponse, ResponseCache } from './response-cache.ts'

/** The services that all routes for queries use: `/query` for server and for publishable tokens, `/mcp`, public pages. */
export interface QueryServices extends Pick<Dependencies, 'clock' | 'random' | 'log'> {
  /** Writes one line per request. */
  accessLog: AccessLog
  quota: Quota
  /** Counts the requests of each token. */
  usage: UsageRecorder
  /** The last requests of each token, for its owner. */
  tokenRequests: RequestLog
  compiler: Compiler
  responseCache: ResponseCache
  metrics: Pick<Metrics, 'query' | 'fieldFailed'>
  contextFor(caller: Caller): Context
}

/** The facts about one request, which its steps add. Response headers, log, metrics and usage figures contain them. */
export interface RequestRecord {
  requestId: string
  /** Undefined if the `Accept` header allows no supported type. */
  contentType: string | undefined
  /** The token whose usage includes the request. */
  tokenId?: string
  /** For a request to `/mcp` with an access token of a user: the app and the grant of the token, for the log. */
  userToken?: { client_id: string | undefined; grant_id: string | undefined }
  operation?: string
  /** The code of the first error. */
  errorCode?: string
  quotaHeaders?: Record<string, string>
}

export interface QueryResponse {
  status: number
  body: string | Buffer
  headers?: Record<string, string> | undefined
}

/** The result of a GraphQL document, before it becomes an HTTP response. */
interface QueryResult {
  body: string
  /** Whether fields failed. */
  failed: boolean
  /** Data that the cache stores with the body; undefined if the response must not be cached. */
  cacheEntry: Omit<CachedResponse, 'body'> | undefined
}

/**
 * Returns the cached response to the text of a request, after a check of the caller's rights. Without one, plans and
 * executes the document, and stores the response in the cache.
 */
export async function executeRequest(
  services: QueryServices,
  { text, cached }: { text: string; cached: CachedResponse | undefined },
  caller: Caller,
  record: RequestRecord,
): Promise<{ body: string | Buffer; validators: readonly CacheValidator[] | undefined }> {
  if (cached) {
    authorize(cached.operation, caller, record)
    return cached
  }
  const { body, cacheEntry } = await executeDocument(services, parseQueryBody(text), caller, record)
  // A function, because the cache stores a response only if its request is repeated. Most entries are never created.
  if (cacheEntry) services.responseCache.store(text, () => ({ ...cacheEntry, body }))
  return { body, validators: cacheEntry?.validators }
}

/**
 * Plans and executes a document.
 * @throws RequestFailure if the document or its variables are invalid; ServiceError PERMISSION_DENIED. Both are thrown
 * before the document is executed.
 */
export async function executeDocument(
  services: QueryServices,
  { query, operationName, variables }: QueryBody,
  caller: Caller,
  record: RequestRecord,
): Promise<QueryResult> {
  const operation = services.compiler.compile(query, operationName)
  authorize(operation, caller, record)
  const plan = operation.prepare(variables)

  const { requestId } = record
  const context = services.contextFor(caller)
  const { data, errors } = await execute({ ...plan, rawVariables: variables, context, log: services.log, requestId })
  for (const { error } of errors) services.metrics.fieldFailed(error.code)
  const [first] = errors
  if (first) record.errorCode = first.error.code
  const failed = first !== undefined
  // Undefined if a field does not support caching: the response is then not cached.
  const validators = failed ? undefined : context.cacheValidators.allOrUndefined
  const { label, coordinates, fieldsWithResolver } = operation
  return {
    body: resultBody(data, errors, { requestId, now: services.clock.now() }),
    failed,
    cacheEntry: validators && { operation: { label, coordinates, fieldsWithResolver }, validators },
  }
}

/**
 * Checks the caller's rights to the fields of an operation.
 * @throws ServiceError PERMISSION_DENIED
 */
export function authorize(
  { label, coordinates, fieldsWithResolver }: OperationSummary,
  caller: Caller,
  record: RequestRecord,
): void {
  record.operation = label
  requireAreas(coordinates, caller.areas)
  if (caller.publishable) requirePublicFields(fieldsWithResolver)
}

/** Records and logs an error. @returns its response */
export function recordFailure(services: QueryServices, thrown: unknown, record: RequestRecord): QueryResponse {
  const { requestId, contentType } = record
  const errors = thrown instanceof RequestFailure ? thrown.errors : [toQueryError(thrown)]
  const [{ code, status, headers, cause }] = errors as [ServiceError]
  record.errorCode = code
  if (status >= 500) services.log.error({ request_id: requestId, err: cause ?? thrown }, 'a query failed')
  // If the request was not executed, a response of the type application/graphql-response+json has no `data`.
  const withoutData = contentType?.startsWith(GRAPHQL_TYPE)
  return { status, body: failureBody(errors, { requestId, now: services.clock.now() }, withoutData), headers }
}

/** Writes a response; compresses it if it is long enough and the client accepts that. */
export async function writeCompressible(
  request: IncomingMessage,
  response: ServerResponse,
  result: QueryResponse,
  record: RequestRecord,
): Promise<void> {
  const copy = await compressed(result.body, request.headers['accept-encoding'])
  if (!copy) return writeResponse(response, result, record)
  const headers = { vary: 'accept-encoding', ...result.headers, 'content-encoding': copy.encoding }
  writeResponse(response, { ...result, body: copy.body, headers }, record)
}

/**
 * Whether a body is certainly too short to compress. The caller then uses `writeResponse`, because most responses are
 * short and a promise for each would cost time. A string of length n has at most 3n bytes in UTF-8, a Buffer n bytes.
 */
export const isTooShortToCompress = ({ body }: QueryResponse): boolean => body.length < MIN_COMPRESSED_BYTES / 3

/** Writes a response as it is. */
export function writeResponse(
  response: ServerResponse,
  { status, body, headers }: QueryResponse,
  record: RequestRecord,
): void {
  const { contentType = `${JSON_TYPE}; charset=utf-8`, requestId, quotaHeaders } = record
  const others = headers ? { ...quotaHeaders, ...headers } : quotaHeaders
  // Node writes a flat list of names and values without copying it.
  const lines = ['x-content-type-options', 'nosniff', 'x-request-id', requestId]
  // A preflight gets 204, and a `GET` whose ETag matches gets 304 for public data; neither has a body.
  if (status !== 204 && status !== 304)
    lines.push('content-type', contentType, 'content-length', String(Buffer.byteLength(body)))
  if (headers?.['cache-control'] === undefined) lines.push('cache-control', 'no-store')
  for (const name in others) lines.push(name, others[name] as string)
  response.writeHead(status, lines)
  response.end(body)
}

/** Adds a finished request to the usage figures, the request log of the token, the metrics and the access log. */
export function recordRequest(
  services: QueryServices,
  record: RequestRecord,
  status: number,
  milliseconds: number,
): void {
  const { requestId, tokenId, operation, errorCode: code = null } = record
  const roundedMs = Math.round(milliseconds * 1000) / 1000
  if (tokenId !== undefined) {
    const label = operation ?? '(refused)'
    services.usage.record(tokenId, label, status, milliseconds)
    services.tokenRequests.record({
      at: services.clock.now(),
      tokenId,
      requestId,
      operation: label,
      status,
      milliseconds: roundedMs,
      code,
    })
  }
  services.metrics.query(status, milliseconds / 1000, operation)
  services.accessLog({
    request_id: requestId,
    token_id: tokenId,
    ...record.userToken,
    operation,
    status,
    ms: roundedMs,
    msg: 'query',
  })
}
