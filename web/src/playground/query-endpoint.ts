import { type DocumentNode, Kind, parse } from 'graphql'
import { playground } from '../texts/index.ts'

const t = playground.answer

/** One entry of the answer's `errors`, as the service documents it. */
export interface AnsweredError {
  message: string
  path?: (string | number)[]
  extensions?: { code?: string; category?: string; http_status?: number; request_id?: string; details?: string[] }
}

export interface AnswerBody {
  data?: Record<string, unknown> | null
  errors?: AnsweredError[]
}

export interface Answer {
  /** HTTP status; 0 when the service could not be reached. */
  status: number
  milliseconds: number
  requestId: string | undefined
  /** Seconds after which the service wants to be asked again. */
  retryAfter: string | undefined
  body: AnswerBody
}

export interface Question {
  query: string
  variables?: unknown
  operationName?: string | null | undefined
}

/** Asks `POST /query` and reports what came back, whatever it was. */
export async function ask(question: Question, token: string): Promise<Answer> {
  const started = performance.now()
  const answer: Answer = { status: 0, milliseconds: 0, requestId: undefined, retryAfter: undefined, body: {} }
  try {
    const response = await fetch('/query', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token === '' ? {} : { 'access-token': token }) },
      body: JSON.stringify(onlyNeeded(question)),
      credentials: 'omit',
    })
    answer.status = response.status
    answer.requestId = response.headers.get('x-request-id') ?? undefined
    answer.retryAfter = response.headers.get('retry-after') ?? undefined
    answer.body = parseBody(await response.text(), response.status)
  } catch (error) {
    answer.body = { errors: [{ message: t.noResponse(String(error)) }] }
  }
  answer.milliseconds = Math.round(performance.now() - started)
  return answer
}

/** An answer that is not GraphQL's (a proxy's error page, say) is shown as what it is. */
function parseBody(text: string, status: number): AnswerBody {
  const body = parseJson(text)
  if (isAnswerBody(body)) return body
  return { errors: [{ message: t.notGraphql(status, text.slice(0, 300)) }] }
}

function isAnswerBody(body: unknown): body is AnswerBody {
  return typeof body === 'object' && body !== null && ('data' in body || 'errors' in body)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The name of an operation is sent only where it chooses between several. */
function onlyNeeded({ query, variables, operationName }: Question): Question {
  return {
    query,
    ...(variables === undefined || variables === null ? {} : { variables }),
    ...(operationName && countOperations(query) > 1 ? { operationName } : {}),
  }
}

function countOperations(query: string): number {
  let document: DocumentNode
  try {
    document = parse(query)
  } catch {
    return 0 // the service reports the syntax error
  }
  return document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION).length
}
