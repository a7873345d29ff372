import type { IncomingMessage, ServerResponse } from 'node:http'
import { SECOND } from '../clock.ts'
import type { Dependencies } from '../services.ts'
import { overloaded, type ServiceError } from '../errors.ts'
import { isMcp, isQuery } from './count-request.ts'
import { failureBody } from './error-envelope.ts'
import { READABLE_BY_ALL } from './publishable/cors.ts'
import { isPublishable } from './publishable/tokens.ts'
import { GRAPHQL_TYPE, JSON_TYPE, negotiateAnswer } from './media-types.ts'
import type { Metrics } from './metrics.ts'

/** Returns a function to call for each refused request. It logs their number once a second. */
export function countRefusals(log: Dependencies['log']): () => void {
  let refused = 0
  const report = (): void => {
    log.warn({ refused }, 'requests were refused: the service is overloaded')
    refused = 0
  }
  return () => {
    if (refused++ === 0) setTimeout(report, SECOND).unref()
  }
}

/**
 * Sends 503 to a request that exceeds a limit, with as little work as possible. The number of such requests is logged once
 * a second. The metrics of queries are counted here, those of other requests by their routes.
 */
export function createRefusal({
  clock,
  random,
  log,
  metrics,
  mcpFailure,
}: Pick<Dependencies, 'clock' | 'random' | 'log'> & {
  metrics: Pick<Metrics, 'query' | 'publishable'>
  /** The body for a client of the Model Context Protocol. */
  mcpFailure: (error: ServiceError, id: null, requestId: string) => string
}): (request: IncomingMessage, response: ServerResponse) => void {
  // One error for all requests, because its stack trace takes longer than the rest of the response.
  const error = overloaded()
  const count = countRefusals(log)
  function queryFailure({ headers }: IncomingMessage, requestId: string) {
    const type = negotiateAnswer(headers.accept) ?? `${JSON_TYPE}; charset=utf-8`
    return { type, body: failureBody([error], { requestId, now: clock.now() }, type.startsWith(GRAPHQL_TYPE)) }
  }
  return (request, response) => {
    count()
    const publishable = isPublishable(request)
    const requestId = random.requestId()
    const { type, body } = isMcp(request)
      ? { type: JSON_TYPE, body: mcpFailure(error, null, requestId) }
      : queryFailure(request, requestId)
    response.writeHead(error.status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
      ...error.headers,
      ...(publishable && READABLE_BY_ALL),
    })
    response.end(body)
    if (isQuery(request) || isMcp(request)) metrics.query(error.status, 0)
    if (publishable && isQuery(request) && request.method !== 'OPTIONS') metrics.publishable('overloaded')
  }
}
