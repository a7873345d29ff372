import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticator, Caller } from '../access/authenticate.ts'
import { methodNotAllowed, notAcceptable } from '../errors.ts'
import { MAX_BODY_BYTES } from '../graphql/limits.ts'
import { negotiateAnswer } from './media-types.ts'
import {
  type AnswerServices,
  answerText,
  failure,
  isSmall,
  type QueryResponse,
  recordRequest,
  type RequestRecord,
  sendResponse,
  writeResponse,
} from './query-answer.ts'
import { readQueryText } from './query-body.ts'

export interface QueryRoute extends AnswerServices {
  authenticator: Authenticator
}

/** Responds to one query. `knownCaller` is set if the request was authenticated by other means than a token. */
export type QueryHandler = (request: IncomingMessage, response: ServerResponse, knownCaller?: Caller) => Promise<void>

/** `POST /query`. */
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
  // Starts before the token is known: the database receives this read and that of the token in one message.
  const finding = reading.then((text) => route.responseCache.find(text))
  // If the token or the quota refuses the request, nobody awaits this promise. Its rejection must not end the process.
  finding.catch(() => {})

  const caller = knownCaller ?? (await route.authenticator.authenticate(request))
  if (!knownCaller) record.tokenId = caller.tokenId
  record.quotaHeaders = await route.quota.spend(caller)

  return (await answerText(route, { text: await reading, cached: await finding }, caller, record)).body
}
