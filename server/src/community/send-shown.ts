import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AttemptLimit, communityPagesByNetwork, countAttempt } from '../rate-limit/rate-limit.ts'
import type { Services } from '../services.ts'
import { isUnknown } from './requests.ts'

interface ShownText {
  type: string
  /** Of the text, and of the refusal. */
  headers: Record<string, string>
  cacheControl: string
  /** Undefined, or an error about an unknown object: the response is 404. */
  show: () => Promise<string | undefined>
  /** Makes the body from the text; default: the text itself. */
  convert?: (text: string) => Promise<Buffer | undefined>
  /** The body if `convert` makes none; caches do not keep it. */
  replacement?: () => Promise<Buffer>
  /** Default: the limit of pages. */
  limit?: AttemptLimit
}

/** Counts a request against the limit of its network, and sends a text, or what is made from it, with the ETag of the text. */
export async function sendShown(
  services: Pick<Services, 'database' | 'clock'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { type, headers, cacheControl, show, convert, replacement, limit = communityPagesByNetwork }: ShownText,
): Promise<FastifyReply> {
  const { exceeded, retryAfter } = await countAttempt(services, limit, request.network)
  if (exceeded) {
    void reply.code(429).headers({ ...headers, 'cache-control': 'no-store', 'retry-after': String(retryAfter) })
    return reply.type('text/plain; charset=utf-8').send('Too many requests; try again later.\n')
  }
  const text = await show().catch((error: unknown) => {
    if (isUnknown(error)) return undefined
    throw error
  })
  if (text === undefined) return sendMissing(reply)
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
  const caching = { ...headers, 'cache-control': cacheControl, etag }
  if (request.headers['if-none-match'] === etag) return reply.headers(caching).code(304).send()
  const body = convert ? await convert(text) : text
  if (body === undefined)
    return reply
      .headers({ ...headers, 'cache-control': 'no-store' })
      .type(type)
      .send(await replacement?.())
  return reply.headers(caching).type(type).send(body)
}

export function sendMissing(reply: FastifyReply): FastifyReply {
  reply.callNotFound()
  return reply
}
