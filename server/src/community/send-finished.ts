import type { IncomingMessage, ServerResponse } from 'node:http'
import { compressed } from '../http/compression.ts'
import { matches } from '../http/etag.ts'

export interface FinishedPage {
  body: Buffer
  etag: string
  /** Names and values, which Node writes without copying them. */
  head: readonly string[]
}

/** Sends a page, compressed if the client accepts it, or 304 if the client has it. */
export async function sendFinished(
  request: IncomingMessage,
  response: ServerResponse,
  { body, etag, head }: FinishedPage,
): Promise<void> {
  if (matches(request.headers['if-none-match'], etag)) {
    response.writeHead(304, [...head])
    response.end()
    return
  }
  const copy = await compressed(body, request.headers['accept-encoding'])
  const sent = copy?.body ?? body
  const lines = [...head, 'content-length', String(sent.length)]
  if (copy) lines.push('content-encoding', copy.encoding)
  response.writeHead(200, lines)
  response.end(request.method === 'HEAD' ? undefined : sent)
}
