import type { z } from 'zod'
import type { ApiAnswer, ApiContent, ApiOperation, ApiParameter } from './openapi-document.ts'
import { schemaOf } from './json-schema.ts'

export type ApiTag =
  | 'Sign-in'
  | 'Authorization requests'
  | 'Account'
  | 'Server access tokens'
  | 'Apps'
  | 'Ingest tokens'
  | 'Webhooks'
  | 'Explore'
  | 'Operators'
  | 'OAuth'
  | 'Documents'

/** What a route of the JSON API says of itself; what all of them share is added. */
export interface Operation {
  summary: string
  description?: string
  tag: ApiTag
  /** What varies in the path, by name. */
  path?: Record<string, string>
  query?: Record<string, { description: string; shape: z.ZodType; required?: boolean }>
  body?: z.ZodType
  /** 200 and JSON unless it says otherwise; without a shape there is no body. */
  answer: { status?: number; description: string; shape?: z.ZodType; content?: ApiContent }
  /** Further refusals, by HTTP status. */
  refusals?: Record<number, string>
  /** Who may call; a session unless it says otherwise. */
  who?: 'anybody' | 'session' | 'fresh session' | 'operator' | 'fresh operator'
}

const CSRF: ApiParameter = {
  name: 'x-csrf-token',
  in: 'header',
  description: 'The csrfToken of GET /api/session.',
  schema: { type: 'string' },
  required: true,
}

/** A call that changes nothing. */
export function reading(operation: Operation): { config: { api: ApiOperation } } {
  return { config: { api: described(operation, []) } }
}

/** A call that changes something: it needs the CSRF token. */
export function changing(operation: Operation): { config: { api: ApiOperation } } {
  return { config: { api: described(operation, [CSRF]) } }
}

function described(operation: Operation, extra: ApiParameter[]): ApiOperation {
  const { summary, description, tag, path = {}, query = {}, body, answer, who = 'session' } = operation
  const parameters: ApiParameter[] = [
    ...Object.entries(path).map(([name, text]) => ({
      name,
      in: 'path' as const,
      description: text,
      schema: { type: 'string' },
    })),
    ...Object.entries(query).map(([name, { description: text, shape, required = false }]) => ({
      name,
      in: 'query' as const,
      description: text,
      schema: schemaOf(shape),
      required,
    })),
    ...extra,
  ]
  return {
    summary,
    ...(description !== undefined && { description }),
    tag,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { body: { content: jsonContent(schemaOf(body)) } }),
    answers: { [answer.status ?? 200]: success(answer), ...refusals(operation, extra.length > 0) },
    ...(who !== 'anybody' && { security: ['session'] }),
  }
}

function success({ description, shape, content }: Operation['answer']): ApiAnswer {
  const body = content ?? (shape && jsonContent(schemaOf(shape)))
  return { description, ...(body && { content: body }) }
}

function refusals(operation: Operation, changes: boolean): Record<number, ApiAnswer> {
  const { path, query, body, who = 'session' } = operation
  const forbidden = [
    ...(changes ? ['the CSRF token is missing or of another session'] : []),
    ...(who.startsWith('fresh') ? ['the sign-in is more than an hour old'] : []),
    ...(who.endsWith('operator') ? ['the account is no operator'] : []),
  ]
  const all: Record<number, string> = {
    ...((body !== undefined || query !== undefined) && {
      400: 'Something that was sent cannot be used; `field` names it.',
    }),
    ...(who !== 'anybody' && { 401: 'Nobody is signed in.' }),
    ...(forbidden.length > 0 && { 403: `Not allowed: ${forbidden.join(', or ')}.` }),
    ...(path !== undefined && { 404: 'There is no such thing, or it is not yours.' }),
    503: 'The service is temporarily unavailable; `Retry-After` says when to try again.',
    ...operation.refusals,
  }
  return Object.fromEntries(
    Object.entries(all).map(([status, description]) => [
      status,
      { description, content: jsonContent({ $ref: '#/components/schemas/Error' }) },
    ]),
  )
}

const jsonContent = (schema: ApiContent[string]['schema']): ApiContent => ({ 'application/json': { schema } })
