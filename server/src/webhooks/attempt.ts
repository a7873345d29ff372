import type { Outgoing } from '../outgoing/outgoing.ts'
import { retryAfter } from '../outgoing/retry-after.ts'
import { OutgoingError } from '../outgoing/outgoing-error.ts'
import { signatures } from './signatures.ts'

export interface Delivery {
  url: string
  messageId: string
  payload: string
  /** Newest first. */
  secrets: readonly string[]
  /** The time of the attempt in milliseconds since 1970. It is signed. */
  now: number
  /** Timeout of the whole request in milliseconds. */
  timeout: number
  signal?: AbortSignal
}

export interface AttemptResult {
  /** Undefined if the receiver did not respond. */
  status: number | undefined
  error: string | undefined
  /** The beginning of the response body. */
  response: string
  /** The value of Retry-After in milliseconds. */
  pause: number | undefined
}

/** Maximum bytes of a response body that are read and stored. */
const RESPONSE_BYTES = 1_000

export const isSuccess = ({ status }: Pick<AttemptResult, 'status'>) =>
  status !== undefined && status >= 200 && status < 300

/** Sends one signed request, without following redirects; every error is part of the result. */
export async function attempt(outgoing: Outgoing, delivery: Delivery): Promise<AttemptResult> {
  const { url, messageId, payload, secrets, now, timeout, signal } = delivery
  const timestamp = Math.floor(now / 1_000)
  try {
    const request = {
      url,
      method: 'POST' as const,
      headers: {
        'content-type': 'application/json',
        'webhook-id': messageId,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatures(secrets, messageId, timestamp, payload),
      },
      body: payload,
      maxBytes: Infinity, // the reader stops by itself
      timeout,
      redirects: 0,
      ...(signal && { signal }),
    }
    return await outgoing.send(request, async ({ status, headers, body }) => ({
      status,
      error: status >= 200 && status < 300 ? undefined : `answered ${status}`,
      response: await beginning(body),
      pause: status === 429 || status === 503 ? retryAfter(headers) : undefined,
    }))
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    return { status: undefined, error: error.message, response: '', pause: undefined }
  }
}

/** Reads the beginning of the body. Ignores errors, because the status already decides the result. */
async function beginning(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= RESPONSE_BYTES) break
    }
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
  }
  return Buffer.concat(chunks).subarray(0, RESPONSE_BYTES).toString('utf8').replaceAll('\0', '')
}
