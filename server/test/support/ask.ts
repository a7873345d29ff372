import type { ErrorEntry } from '../../src/http/error-envelope.ts'
import type { Personas } from './personas.ts'

/** A response of `POST /query`. */
export interface QueryAnswer<Data> {
  status: number
  headers: Headers
  /** The body, byte for byte. */
  text: string
  data: Data
  errors: ErrorEntry[] | undefined
}

export interface Question {
  token?: string | undefined
  variables?: Record<string, unknown>
  operationName?: string
  headers?: Record<string, string>
}

/** Sends a query like the client of an integrator. */
export async function ask<Data = Record<string, unknown>>(
  url: string,
  query: string,
  question: Question = {},
): Promise<QueryAnswer<Data>> {
  const { token, variables, operationName, headers } = question
  return send<Data>(url, JSON.stringify({ query, variables, operationName }), {
    ...(token === undefined ? {} : { 'access-token': token }),
    ...headers,
  })
}

/** Sends any body. */
export async function send<Data = Record<string, unknown>>(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<QueryAnswer<Data>> {
  const response = await fetch(`${url}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const text = await response.text()
  const { data, errors } = JSON.parse(text) as { data: Data; errors?: ErrorEntry[] }
  return { status: response.status, headers: response.headers, text, data, errors }
}

/** The first error in short: `NOT_FOUND 404 Space not found`. */
export function firstError(answer: { errors: ErrorEntry[] | undefined }): string {
  const [error] = answer.errors ?? []
  return error ? `${error.extensions.code} ${error.extensions.http_status} ${error.message}` : 'no error'
}

export type AskAs = <Data = Record<string, unknown>>(
  query: string,
  variables?: Record<string, unknown>,
  persona?: keyof Personas,
) => Promise<QueryAnswer<Data>>

/** Sends queries with the token of a persona, `business` by default. */
export function askAs(url: string, personas: Personas): AskAs {
  return (query, variables = {}, persona = 'business') => ask(url, query, { token: personas[persona], variables })
}
