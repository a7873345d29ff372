import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticator } from '../access/authenticate-server-token.ts'
import type { Caller } from '../access/caller.ts'
import { methodNotAllowed, notAcceptable } from '../errors.ts'
import { MAX_BODY_BYTES } from '../graphql/limits.ts'
import { negotiateAnswer } from './media-types.ts'
import {
  type QueryServices,
  executeRequest,
  recordFailure,
  isTooShortToCompress,
  type QueryResponse,
  recordRequest,
  type RequestRecord,
  writeCompressible,
  writeResponse,
} from './query-response.ts'
import { readQueryText } from './query-body.ts'

export interface QueryRouteServices extends QueryServices {
  authenticator: Authenticator
}

/**
 * Responds to one query. `knownCaller` is set if the request has no token, because its session was checked before
 * (`POST /api/query`). Such a request has no `tokenId` in its record, so it does not count as usage of a token.
 */
export type QueryHandler = (request: IncomingMessage, response: ServerResponse, knownCaller?: Caller) => Promise<void>

/** `POST /query`. */
export function createQueryRoute(services: QueryRouteServices): QueryHandler {
  return async (request, response, knownCaller) => {
    const started = services.clock.monotonic()
    const record: RequestRecord = {
      requestId: services.random.requestId(),
      contentType: negotiateAnswer(request.headers.accept),
    }
    const result = await runQuery(services, request, record, knownCaller).then(
      (body): QueryResponse => ({ status: 200, body }),
      (error: unknown) => recordFailure(services, error, record),
    )
    if (isTooShortToCompress(result)) writeResponse(response, result, record)
    else await writeCompressible(request, response, result, record)
    recordRequest(services, record, result.status, services.clock.monotonic() - started)
  }
}

/**
 * The steps of a query: checks of method and `Accept`; the body and its cached response, while the token is read; the
 * quota; the response.
 */
async function runQuery(
  services: QueryRouteServices,
  request: IncomingMessage,
  record: RequestRecord,
  knownCaller: Caller | undefined,
): Promise<string | Buffer> {
  if (request.method !== 'POST') throw methodNotAllowed(request.method ?? '')
  if (record.contentType === undefined) throw notAcceptable()
  const reading = readQueryText(request, MAX_BODY_BYTES)
  // Checks in the database whether a cached response is still valid. Starts before the token is known, so that the
  // database receives this read and that of the token in one message.
  const finding = reading.then((text) => services.responseCache.find(text))
  // If the token or the quota refuses the request, this promise is not awaited. Its rejection must not end the process.
  finding.catch(() => {})

  const caller = knownCaller ?? (await services.authenticator.authenticate(request))
  if (!knownCaller) record.tokenId = caller.tokenId
  record.quotaHeaders = await services.quota.spend(caller)

  return (await executeRequest(services, { text: await reading, cached: await finding }, caller, record)).body
}
