import type { IncomingMessage, ServerResponse } from 'node:http'
import { compressed } from '../http/compression.ts'
import { matches } from '../http/etag.ts'

export interface FinishedPage {
  body: Buffer
  etag: string
  /** Names and values, which Node writes without copying them. */
  head: readonly string[]
}

interface PageResponse {
  status: 200 | 304
  /** Names and values. */
  head: readonly string[]
  body?: Buffer
}

/** The response with a page, compressed if the client accepts it, or 304 if the client has it. */
export async function responseWith(
  { body, etag, head }: FinishedPage,
  request: IncomingMessage,
): Promise<PageResponse> {
  if (matches(request.headers['if-none-match'], etag)) return { status: 304, head }
  const copy = await compressed(body, request.headers['accept-encoding'])
  return copy
    ? { status: 200, head: [...head, 'content-encoding', copy.encoding], body: copy.body }
    : { status: 200, head, body }
}

/** Sends a page without Fastify. */
export async function sendFinished(
  request: IncomingMessage,
  response: ServerResponse,
  page: FinishedPage,
): Promise<void> {
  const { status, head, body } = await responseWith(page, request)
  response.writeHead(status, body ? [...head, 'content-length', String(body.length)] : [...head])
  response.end(request.method === 'HEAD' ? undefined : body)
}
