import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiAnswer, ApiContent, ApiOperation } from '../api/openapi-document.ts'
import {
  checkNames,
  type ParameterDescription,
  parametersOf,
  type ParamsOf,
  type PathParameters,
  readParams,
} from '../api/parameters.ts'
import { type Answer, answerOf, jsonContent } from '../api/route-description.ts'
import { callerOf } from './admit.ts'
import type { IngestCaller } from './authenticate.ts'
import { invalidRequest } from './ingest-error.ts'
import { MAX_CONCURRENT_REQUESTS } from './limits.ts'

export type IngestTag = 'spaces' | 'quests' | 'starboards' | 'credentials' | 'snapshots'

/** A query parameter with a reader. */
export interface QueryParameter<T = unknown> extends ParameterDescription {
  /** Returns undefined for a value that is not allowed. */
  read: (text: string, params: Record<string, unknown>) => T | undefined
  /** The rest of the message "NAME must be …". */
  allowed: string
  /** The value of an absent parameter that is not required; undefined by default. */
  byDefault?: T
}

/** A route of the ingest API. `ingestRoute` enforces the description; the OpenAPI document is generated from it. */
export interface IngestRoute {
  method: 'GET' | 'POST' | 'DELETE'
  /** Under /ingest/v1. */
  path: string
  summary: string
  description?: string
  tag: IngestTag
  params?: PathParameters
  /** A parameter that is only described reaches the handler as sent. */
  query?: Record<string, ParameterDescription | QueryParameter>
  /** The documentation of the body, which a content-type parser of the scope reads, and its maximum sizes. */
  body?: { content: ApiContent; bytes: number; items?: number }
  /** In milliseconds. */
  timeout?: number
  /** The successful responses, by HTTP status. */
  answers: Record<number, Answer>
  /** Further failures, and other texts for the common ones, by HTTP status. */
  failures?: Record<number, string>
}

/** The argument of a handler: the caller, and the validated parts of the request that the description declares. */
export interface IngestCall<R extends IngestRoute = IngestRoute> {
  caller: IngestCaller
  params: ParamsOf<R['params']>
  query: QueryOf<R['query']>
  request: FastifyRequest
  reply: FastifyReply
}

type QueryOf<Q> = {
  [Name in keyof Q]: Q[Name] extends { read: (text: string, params: never) => infer T }
    ? Exclude<T, undefined> | Absent<Q[Name]>
    : unknown
}
type Absent<P> = P extends { required: true } | { byDefault: NonNullable<unknown> } ? never : undefined

/** Registers a route behind `admit`. The handler runs after the checks of the path parameters and of the query. */
export function ingestRoute<const R extends IngestRoute>(
  scope: FastifyInstance,
  description: R,
  handler: (call: IngestCall<R>) => unknown,
): void {
  const { method, path: url, body, timeout } = description
  checkNames(description)
  // This cast is safe, but TypeScript cannot verify it in a function that is generic in R.
  const handle = handler as (call: object) => unknown
  let operation: ApiOperation | undefined
  scope.route({
    method,
    url,
    config: { api: () => (operation ??= operationOf(description)) },
    ...(body && { bodyLimit: body.bytes }),
    ...(timeout !== undefined && { handlerTimeout: timeout }),
    async handler(request, reply) {
      const params = readParams(description, request.params)
      const query = readQuery(description, request.query as Record<string, unknown>, params)
      return handle({ caller: callerOf(request), params, query, request, reply })
    },
  })
}

function readQuery({ query = {} }: IngestRoute, sent: Record<string, unknown>, params: Record<string, unknown>) {
  const read = ([name, parameter]: [string, ParameterDescription | QueryParameter]): [string, unknown] => {
    const text = sent[name]
    if (!('read' in parameter)) return [name, text]
    if (text === undefined && !parameter.required) return [name, parameter.byDefault]
    const value = typeof text === 'string' ? parameter.read(text, params) : undefined
    if (value === undefined) throw invalidRequest(`${name} must be ${parameter.allowed}`, name)
    return [name, value]
  }
  return Object.fromEntries(Object.entries(query).map(read))
}

function operationOf(route: IngestRoute): ApiOperation {
  const { summary, description, tag, body, answers } = route
  const parameters = parametersOf(route)
  return {
    summary,
    ...(description !== undefined && { description }),
    tag,
    security: ['ingestToken', 'accessToken'],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { body: { content: body.content } }),
    answers: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, answerOf(answer)])),
      ...failuresOf(route),
    },
  }
}

function failuresOf({ body, failures }: IngestRoute): Record<number, ApiAnswer> {
  const all: Record<number, string> = {
    400: body ? 'The body or a parameter is malformed. Nothing was stored.' : 'A parameter is malformed.',
    401: 'The token is missing (`TOKEN_REQUIRED`), or unknown, revoked or expired (`INVALID_TOKEN`).',
    ...(body && {
      413: `More than ${body.items === undefined ? '' : `${body.items} items or `}${body.bytes} bytes. Nothing was stored.`,
      415: 'The media type is not supported, or the body is compressed.',
    }),
    429: `The token has ${MAX_CONCURRENT_REQUESTS} concurrent requests in this process, or uses its whole part of the queue.`,
    503: 'The service is overloaded, or the database is unreachable. Retry the request.',
    ...failures,
  }
  return Object.fromEntries(
    Object.entries(all).map(([status, description]) => [
      status,
      {
        description,
        content: jsonContent({ $ref: '#/components/schemas/Failure' }),
        ...((status === '429' || status === '503') && { headers: RETRY_AFTER }),
      },
    ]),
  )
}

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } }
