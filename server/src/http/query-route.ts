import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticator, Caller } from '../access/authenticate.ts'
import { requireAreas } from '../access/permissions.ts'
import type { Quota } from '../access/quota.ts'
import type { UsageRecorder } from '../access/usage.ts'
import type { Dependencies } from '../dependencies.ts'
import { methodNotAllowed, notAcceptable, RequestFailure, type ServiceError } from '../errors.ts'
import type { Compiler } from '../graphql/compile.ts'
import type { Context } from '../graphql/context.ts'
import { execute, type PlacedError, toServiceError } from '../graphql/execute.ts'
import { MAX_BODY_BYTES } from '../graphql/limits.ts'
import type { Answers } from './answers.ts'
import { errorEntry, failureBody, type Occurrence } from './error-envelope.ts'
import { GRAPHQL_TYPE, negotiateAnswer } from './media-types.ts'
import type { AccessLog } from '../logging/log.ts'
import type { Metrics } from './metrics.ts'
import { parseQueryBody, readQueryText } from './query-body.ts'

/** What the route needs beyond the service's own dependencies. */
export interface QueryRoute extends Pick<Dependencies, 'clock' | 'random' | 'log'> {
  /** For the line that every request leaves. */
  accessLog: AccessLog
  authenticator: Authenticator
  quota: Quota
  usage: UsageRecorder
  compiler: Compiler
  answers: Answers
  metrics: Pick<Metrics, 'query' | 'fieldFailed'>
  contextFor(caller: Caller): Context
}

interface Answer {
  status: number
  body: string | Buffer
  headers: Record<string, string>
}

/** What is known of a request when it has been answered, for the log, the metrics and the usage figures. */
interface Story {
  tokenId?: string
  operation?: string
  /** What is left of the caller's quota, told with every answer once it is known. */
  quota?: Record<string, string>
}

const JSON_ANSWER = 'application/json; charset=utf-8'

/** Answers one query; `known` is the caller that something else than a token has told. */
export type AnswerQuery = (request: IncomingMessage, response: ServerResponse, known?: Caller) => Promise<void>

/** `POST /query` (spec 4.1): token, quota, document, permission, execution; every failure leaves through the envelope. */
export function createQueryRoute(route: QueryRoute): AnswerQuery {
  return async (request, response, known) => {
    const started = performance.now()
    const requestId = route.random.requestId()
    const story: Story = {}
    const type = negotiateAnswer(request.headers.accept)
    const answer = await answerQuery(route, request, { type, requestId, story, known }).catch((thrown: unknown) =>
      refuse(route, thrown, { requestId, type, story }),
    )
    const seconds = (performance.now() - started) / 1000
    send(response, answer, type ?? JSON_ANSWER, requestId)
    if (story.tokenId !== undefined) route.usage.record(story.tokenId, story.operation ?? '(refused)', answer.status)
    route.metrics.query(answer.status, seconds, story.operation)
    route.accessLog({
      request_id: requestId,
      token_id: story.tokenId,
      operation: story.operation,
      status: answer.status,
      ms: Math.round(seconds * 1e6) / 1e3,
      msg: 'query',
    })
  }
}

async function answerQuery(
  route: QueryRoute,
  request: IncomingMessage,
  {
    type,
    requestId,
    story,
    known,
  }: { type: string | undefined; requestId: string; story: Story; known?: Caller | undefined },
): Promise<Answer> {
  if (request.method !== 'POST') throw methodNotAllowed(request.method ?? '')
  if (type === undefined) throw notAcceptable()
  const reading = readQueryText(request, MAX_BODY_BYTES)
  // Starts with the token look-up, so that both are in the same message to the database.
  const recalling = reading.then((text) => route.answers.recall(text))
  recalling.catch(() => {}) // awaited below, unless the token or the quota refuses the request first
  const caller = known ?? (await route.authenticator.authenticate(request))
  if (!known) story.tokenId = caller.tokenId
  story.quota = await route.quota.spend(caller)
  const cached = await recalling
  if (cached) {
    story.operation = cached.operation.label
    requireAreas(cached.operation.coordinates, caller.areas)
    return { status: 200, body: cached.body, headers: story.quota }
  }
  return { status: 200, body: await answerAnew(route, await reading, caller, requestId, story), headers: story.quota }
}

async function answerAnew(
  route: QueryRoute,
  text: string,
  caller: Caller,
  requestId: string,
  story: Story,
): Promise<string> {
  const { query, operationName, variables: rawVariables } = parseQueryBody(text)
  const operation = route.compiler.compile(query, operationName)
  story.operation = operation.label
  requireAreas(operation.coordinates, caller.areas)
  const prepared = operation.prepare(rawVariables)
  const context = route.contextFor(caller)
  const { data, errors } = await execute({ ...prepared, rawVariables, context, log: route.log, requestId })
  for (const { error } of errors) route.metrics.fieldFailed(error.code)
  const body = `{"data":${data}${errorsText(errors, { requestId, now: route.clock.now() })}}`
  const grounds = errors.length === 0 ? context.grounds.list : undefined
  const { label, coordinates } = operation
  if (grounds) route.answers.keep(text, () => ({ operation: { label, coordinates }, body, grounds }))
  return body
}

function errorsText(errors: readonly PlacedError[], occurrence: Occurrence): string {
  if (errors.length === 0) return ''
  return `,"errors":${JSON.stringify(errors.map(({ error, path, locations }) => errorEntry(error, occurrence, { path, locations })))}`
}

function refuse(
  route: QueryRoute,
  thrown: unknown,
  { requestId, type, story }: { requestId: string; type: string | undefined; story: Story },
): Answer {
  const errors = thrown instanceof RequestFailure ? thrown.errors : [toServiceError(thrown)]
  const first = errors[0] as ServiceError
  if (first.status >= 500) route.log.error({ request_id: requestId, err: first.cause ?? thrown }, 'a query failed')
  return {
    status: first.status,
    body: failureBody(errors, { requestId, now: route.clock.now() }, type?.startsWith(GRAPHQL_TYPE) ?? false),
    headers: { ...story.quota, ...first.headers },
  }
}

function send(response: ServerResponse, { status, body, headers }: Answer, type: string, requestId: string): void {
  // One list of names and values: what Node writes without making it one.
  const lines = ['content-type', type, 'content-length', String(Buffer.byteLength(body))]
  lines.push('cache-control', 'no-store', 'x-content-type-options', 'nosniff', 'x-request-id', requestId)
  for (const name in headers) lines.push(name, headers[name] as string)
  response.writeHead(status, lines)
  response.end(body)
}
