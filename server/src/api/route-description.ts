import { z } from 'zod'
import type { ApiAnswer, ApiContent, ApiOperation, ApiParameter } from './openapi-document.ts'
import { schemaOf } from './json-schema.ts'
import type { OwnPages } from './foreign-pages.ts'
import type { LargeBody } from './large-body.ts'
import { type ParameterDescription, parametersOf, type PathParameters } from './parameters.ts'

export type ApiTag =
  | 'Sign-in'
  | 'Authorization requests'
  | 'Account'
  | 'Server access tokens'
  | 'Apps'
  | 'Ingest tokens'
  | 'Webhooks'
  | 'Explore'
  | 'Quests'
  | 'Snapshots'
  | 'Content'
  | 'Teams'
  | 'Operators'
  | 'OAuth'
  | 'Documents'

/** Only routes with a session can demand a recent sign-in. */
type Access = { who: 'anyone'; recentSignIn?: false } | { who: 'account' | 'operator'; recentSignIn?: boolean }

/** A body that a reader validates in place of the schema, which documents it. */
export interface RequestBody<T = unknown> {
  shape: z.ZodType
  read: (body: unknown) => T
}

/** A successful response: JSON with a shape, other content, or no body. */
export interface Answer {
  description: string
  shape?: z.ZodType
  content?: ApiContent
}

/** A route of the JSON API. `route` enforces the description; the OpenAPI document is generated from it. */
export type RouteDescription = Access & {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** Whether a GET route also handles HEAD; true by default. */
  head?: boolean
  summary: string
  description?: string
  tag: ApiTag
  params?: PathParameters
  /**
   * Finds the resource that the path names, and checks the right of the caller to it, before query and body are read. A right
   * that depends on the body is checked in the handler. A change checks its right again in its transaction.
   */
  resource?: (caller: never) => Promise<unknown>
  /**
   * Why an account without a right gets 403, such as "the account does not own the starboard". Absent if the route needs no
   * right, or if it returns 404 without the right.
   */
  missingRight?: string
  query?: Record<string, ParameterDescription>
  /**
   * Reads the query, which `query` documents; without it the handler receives no query. `params` are the parameters of the
   * path, for a query whose format depends on them.
   */
  readQuery?: (query: Record<string, unknown>, params: never) => unknown
  /** For a route that browsers open. The handler learns whether a foreign page sent the browser. */
  ownPages?: OwnPages
  body?: z.ZodType | RequestBody
  /** Checks the caller and the resource before the body is read. */
  largeBody?: LargeBody
  /**
   * 200 and JSON by default; without a shape, the response has no body. `noContent` describes the cases of 204 in its place.
   */
  answer: Answer & { status?: number; noContent?: string }
  /** Further errors, by HTTP status. */
  errors?: Record<number, string>
  /** Whether `errors` are pages, for browsers. */
  errorPages?: boolean
}

const CSRF: ApiParameter = {
  name: 'x-csrf-token',
  in: 'header',
  description: 'The csrfToken of GET /api/session.',
  schema: { type: 'string' },
  required: true,
}

/** Every method except GET changes something and needs the CSRF token. */
export const needsCsrf = ({ method }: Pick<RouteDescription, 'method'>): boolean => method !== 'GET'

export function operationOf(route: RouteDescription): ApiOperation {
  const { summary, description, tag, body, answer, who } = route
  const parameters = [...parametersOf(route), ...(needsCsrf(route) ? [CSRF] : [])]
  return {
    summary,
    ...(description !== undefined && { description }),
    tag,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { body: { content: jsonContent(schemaOf(body instanceof z.ZodType ? body : body.shape)) } }),
    answers: {
      [answer.status ?? 200]: answerOf(answer),
      ...(answer.noContent !== undefined && { 204: { description: answer.noContent } }),
      ...errorsOf(route),
    },
    ...(who !== 'anyone' && { security: ['session'] }),
  }
}

export function answerOf({ description, shape, content }: Answer): ApiAnswer {
  const body = content ?? (shape && jsonContent(schemaOf(shape)))
  return { description, ...(body && { content: body }) }
}

function errorsOf(route: RouteDescription): Record<number, ApiAnswer> {
  const { params, query, ownPages, body, who, recentSignIn, missingRight, errors = {}, errorPages = false } = route
  const forbidden = [
    ...(needsCsrf(route) ? ['the CSRF token is missing or of another session'] : []),
    ...(ownPages ? ['a page of another site started the request'] : []),
    ...(recentSignIn ? ['the sign-in is more than an hour old'] : []),
    ...(who === 'operator' ? ['the account is not an operator'] : []),
    ...(missingRight === undefined ? [] : [missingRight]),
  ]
  const all: Record<number, string> = {
    ...((body !== undefined || query !== undefined) && {
      400: 'A parameter or field is invalid; `field` names it.',
    }),
    ...(who !== 'anyone' && { 401: 'The browser is not signed in.' }),
    ...(forbidden.length > 0 && { 403: `Not allowed: ${forbidden.join(', or ')}.` }),
    ...(params !== undefined && { 404: 'The object does not exist or belongs to another account.' }),
    503: 'The service is temporarily unavailable; `Retry-After` says when to retry.',
    ...errors,
  }
  return Object.fromEntries(
    Object.entries(all).map(([status, description]) => [
      status,
      {
        description,
        content:
          errorPages && status in errors
            ? { 'text/html': { schema: { type: 'string' } } }
            : jsonContent({ $ref: '#/components/schemas/Error' }),
      },
    ]),
  )
}

export const jsonContent = (schema: ApiContent[string]['schema']): ApiContent => ({ 'application/json': { schema } })
