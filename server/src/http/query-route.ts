import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticator, Caller } from '../access/authenticate.ts'
import { requireAreas } from '../access/permissions.ts'
import type { Quota } from '../access/quota.ts'
import type { UsageRecorder } from '../access/usage.ts'
import type { Dependencies } from '../services.ts'
import { type ErrorCode, methodNotAllowed, notAcceptable, RequestFailure, ServiceError } from '../errors.ts'
import type { Compiler } from '../graphql/compile.ts'
import type { Context } from '../graphql/context.ts'
import { execute, toQueryError } from '../graphql/execute.ts'
import { MAX_BODY_BYTES } from '../graphql/limits.ts'
import type { OperationSummary } from '../graphql/operation-summary.ts'
import type { AccessLog } from '../logging/log.ts'
import { type ErrorEntry, failureBody, resultBody } from './error-envelope.ts'
import { GRAPHQL_TYPE, JSON_TYPE, negotiateAnswer } from './media-types.ts'
import type { Metrics } from './metrics.ts'
import { parseQueryBody, readQueryText } from './query-body.ts'
import type { ResponseCache } from './response-cache.ts'

export interface QueryRoute extends Pick<Dependencies, 'clock' | 'random' | 'log'> {
  accessLog: AccessLog
  authenticator: Authenticator
  quota: Quota
  usage: UsageRecorder
  compiler: Compiler
  responseCache: ResponseCache
  metrics: Pick<Metrics, 'query' | 'fieldFailed'>
  contextFor(caller: Caller): Context
}

/** Responds to one query. `knownCaller` is set if the request was authenticated by other means than a token. */
export type QueryHandler = (request: IncomingMessage, response: ServerResponse, knownCaller?: Caller) => Promise<void>

/** The facts about one request, for its response headers, the log, the metrics and the usage figures. */
interface RequestRecord {
  requestId: string
  /** Undefined if the `Accept` header allows no supported type. */
  contentType: string | undefined
  tokenId?: string
  operation?: string
  quotaHeaders?: Record<string, string>
}

interface QueryResponse {
  status: number
  body: string | Buffer
  headers?: Record<string, string> | undefined
}

/** `POST /query` (spec 4.1). */
export function createQueryRoute(route: QueryRoute): QueryHandler {
  return async (request, response, knownCaller) => {
    const started = route.clock.monotonic()
    const record: RequestRecord = {
      requestId: route.random.requestId(),
      contentType: negotiateAnswer(request.headers.accept),
    }
    const result = await runQuery(route, request, record, knownCaller).then(
      (body): QueryResponse => ({ status: 200, body }),
      (error: unknown) => failure(route, error, record),
    )
    writeResponse(response, result, record)
    report(route, record, result.status, route.clock.monotonic() - started)
  }
}

/** The path of a query: authenticate, quota, answer. */
async function runQuery(
  route: QueryRoute,
  request: IncomingMessage,
  record: RequestRecord,
  knownCaller: Caller | undefined,
): Promise<string | Buffer> {
  if (request.method !== 'POST') throw methodNotAllowed(request.method ?? '')
  if (record.contentType === undefined) throw notAcceptable()
  const reading = readQueryText(request, MAX_BODY_BYTES)
  // Starts with the token look-up, so that both are in the same message to the database.
  const finding = reading.then((text) => route.responseCache.find(text))
  finding.catch(() => {}) // awaited below, unless the token or the quota refuses the request first

  const caller = knownCaller ?? (await route.authenticator.authenticate(request))
  if (!knownCaller) record.tokenId = caller.tokenId
  record.quotaHeaders = await route.quota.spend(caller)

  return answer(route, { text: await reading, cached: await finding }, caller, record)
}

/**
 * A query of the service itself, for its own pages: without token, quota and usage figures.
 * @returns `data`
 * @throws RequestFailure if any field failed
 */
export function createOwnQuery(
  route: QueryRoute,
  caller: Caller,
): (query: string, variables: object) => Promise<unknown> {
  return async (query, variables) => {
    const text = JSON.stringify({ query, variables })
    const record = { requestId: route.random.requestId(), contentType: JSON_TYPE }
    const body = await answer(route, { text, cached: await route.responseCache.find(text) }, caller, record)
    const { data, errors = [] } = JSON.parse(body.toString()) as { data: unknown; errors?: ErrorEntry[] }
    if (errors.length === 0) return data
    throw new RequestFailure(
      errors.map(({ extensions, message }) => new ServiceError(extensions.code as ErrorCode, message)),
    )
  }
}

/** A cached response; or plan, execute, store in the cache. */
async function answer(
  route: QueryRoute,
  { text, cached }: { text: string; cached: Awaited<ReturnType<ResponseCache['find']>> },
  caller: Caller,
  record: RequestRecord,
): Promise<string | Buffer> {
  if (cached) {
    authorize(cached.operation, caller, record)
    return cached.body
  }

  const { query, operationName, variables } = parseQueryBody(text)
  const operation = route.compiler.compile(query, operationName)
  authorize(operation, caller, record)
  const plan = operation.prepare(variables)

  const { requestId } = record
  const context = route.contextFor(caller)
  const { data, errors } = await execute({ ...plan, rawVariables: variables, context, log: route.log, requestId })
  for (const { error } of errors) route.metrics.fieldFailed(error.code)
  const body = resultBody(data, errors, { requestId, now: route.clock.now() })
  const validators = errors.length === 0 ? context.cacheValidators.complete : undefined
  if (validators) {
    const { label, coordinates } = operation
    route.responseCache.store(text, () => ({ operation: { label, coordinates }, body, validators }))
  }
  return body
}

/** @throws PERMISSION_DENIED */
function authorize({ label, coordinates }: OperationSummary, caller: Caller, record: RequestRecord): void {
  record.operation = label
  requireAreas(coordinates, caller.areas)
}

function failure(route: QueryRoute, thrown: unknown, { requestId, contentType }: RequestRecord): QueryResponse {
  const errors = thrown instanceof RequestFailure ? thrown.errors : [toQueryError(thrown)]
  const [{ status, headers, cause }] = errors as [ServiceError]
  if (status >= 500) route.log.error({ request_id: requestId, err: cause ?? thrown }, 'a query failed')
  const withoutData = contentType?.startsWith(GRAPHQL_TYPE)
  return { status, body: failureBody(errors, { requestId, now: route.clock.now() }, withoutData), headers }
}

function writeResponse(
  response: ServerResponse,
  { status, body, headers }: QueryResponse,
  record: RequestRecord,
): void {
  const { contentType = `${JSON_TYPE}; charset=utf-8`, requestId, quotaHeaders } = record
  // Node writes a flat list of names and values without copying it.
  const lines = ['content-type', contentType, 'content-length', String(Buffer.byteLength(body))]
  lines.push('cache-control', 'no-store', 'x-content-type-options', 'nosniff', 'x-request-id', requestId)
  const others = headers ? { ...quotaHeaders, ...headers } : quotaHeaders
  for (const name in others) lines.push(name, others[name] as string)
  response.writeHead(status, lines)
  response.end(body)
}

function report(route: QueryRoute, record: RequestRecord, status: number, milliseconds: number): void {
  const { requestId, tokenId, operation } = record
  if (tokenId !== undefined) route.usage.record(tokenId, operation ?? '(refused)', status)
  route.metrics.query(status, milliseconds / 1000, operation)
  route.accessLog({
    request_id: requestId,
    token_id: tokenId,
    operation,
    status,
    ms: Math.round(milliseconds * 1000) / 1000,
    msg: 'query',
  })
}
