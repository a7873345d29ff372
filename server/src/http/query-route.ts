import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticator, Caller } from '../access/authenticate.ts'
import type { QueryCode } from '../error-codes.ts'
import { methodNotAllowed, notAcceptable, RequestFailure, ServiceError } from '../errors.ts'
import type { CacheValidator } from '../graphql/cache-validators.ts'
import { MAX_BODY_BYTES } from '../graphql/limits.ts'
import type { ErrorEntry } from './error-envelope.ts'
import { JSON_TYPE, negotiateAnswer } from './media-types.ts'
import {
  answerDocument,
  type AnswerServices,
  authorize,
  failure,
  isSmall,
  type QueryResponse,
  recordRequest,
  type RequestRecord,
  sendResponse,
  writeResponse,
} from './query-answer.ts'
import { parseQueryBody, readQueryText } from './query-body.ts'
import type { ResponseCache } from './response-cache.ts'

export interface QueryRoute extends AnswerServices {
  authenticator: Authenticator
}

/** Responds to one query. `knownCaller` is set if the request was authenticated by other means than a token. */
export type QueryHandler = (request: IncomingMessage, response: ServerResponse, knownCaller?: Caller) => Promise<void>

/** Runs a query of the service itself. @returns `data` */
export type ServiceQuery = (query: string, variables: object) => Promise<unknown>

/** The same, with the validators of the data; undefined if the data must not be reused. */
export type ValidatedQuery = (
  query: string,
  variables: object,
) => Promise<{ data: unknown; validators: readonly CacheValidator[] | undefined }>

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
    if (isSmall(result)) writeResponse(response, result, record)
    else await sendResponse(request, response, result, record)
    recordRequest(route, record, result.status, route.clock.monotonic() - started)
  }
}

/** The steps of a query: authentication, quota, response. */
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

  return (await answer(route, { text: await reading, cached: await finding }, caller, record)).body
}

/**
 * A query of the service itself, for its own pages: without token, quota and usage figures.
 * @returns `data`
 * @throws RequestFailure if any field failed
 */
export function createServiceQuery(route: QueryRoute, caller: Caller): ServiceQuery {
  const ask = createValidatedQuery(route, caller)
  return async (query, variables) => (await ask(query, variables)).data
}

/** @throws RequestFailure if any field failed */
export function createValidatedQuery(route: QueryRoute, caller: Caller): ValidatedQuery {
  return (query, variables) => {
    const record = { requestId: route.random.requestId(), contentType: JSON_TYPE }
    return validatedQueryAs(route, caller, record, { query, variables })
  }
}

/**
 * A query for a caller that another route has authenticated and charged to its quota.
 * @returns `data`
 * @throws RequestFailure if any field failed
 */
export async function queryAs(
  route: QueryRoute,
  caller: Caller,
  record: RequestRecord,
  asked: { query: string; variables: object },
): Promise<unknown> {
  return (await validatedQueryAs(route, caller, record, asked)).data
}

async function validatedQueryAs(
  route: QueryRoute,
  caller: Caller,
  record: RequestRecord,
  asked: { query: string; variables: object },
): ReturnType<ValidatedQuery> {
  const text = JSON.stringify(asked)
  const cached = await route.responseCache.find(text)
  const { body, validators } = await answer(route, { text, cached }, caller, record)
  const { data, errors = [] } = JSON.parse(body.toString()) as { data: unknown; errors?: ErrorEntry[] }
  if (errors.length === 0) return { data, validators }
  throw new RequestFailure(
    errors.map(
      ({ extensions: { code, details }, message }) =>
        new ServiceError(code as QueryCode, message, details && { details: [...details] }),
    ),
  )
}

/** A cached response; or plan, execute, store in the cache. */
async function answer(
  route: QueryRoute,
  { text, cached }: { text: string; cached: Awaited<ReturnType<ResponseCache['find']>> },
  caller: Caller,
  record: RequestRecord,
): Promise<{ body: string | Buffer; validators: readonly CacheValidator[] | undefined }> {
  if (cached) {
    authorize(cached.operation, caller, record)
    return cached
  }
  const { body, cacheEntry } = await answerDocument(route, parseQueryBody(text), caller, record)
  if (cacheEntry) route.responseCache.store(text, () => ({ ...cacheEntry, body }))
  return { body, validators: cacheEntry?.validators }
}
