import type { FastifyReply, FastifyRequest } from 'fastify'
import { compressed } from '../http/compression.ts'
import { etagOf, matches } from '../http/etag.ts'
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
  /** Receives the response to a text without `convert`. */
  keep?: (page: Sendable) => void
}

/** A response that can be kept. */
export interface Sendable {
  body: string | Buffer
  etag: string
  headers: Record<string, string>
}

/** Counts a request against the limit of its network, and sends a text, or what is made from it, with the ETag of the text. */
export async function sendShown(
  services: Pick<Services, 'database' | 'clock'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { type, headers, cacheControl, show, convert, replacement, limit = communityPagesByNetwork, keep }: ShownText,
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
  const etag = etagOf(text)
  const caching = { ...headers, 'cache-control': cacheControl, etag }
  if (!convert) {
    const page = { body: Buffer.from(text), etag, headers: { ...caching, 'content-type': type } }
    keep?.(page)
    return sendText(request, reply, page)
  }
  if (matches(request.headers['if-none-match'], etag)) return reply.headers(caching).code(304).send()
  const body = await convert(text)
  if (body === undefined)
    return reply
      .headers({ ...headers, 'cache-control': 'no-store' })
      .type(type)
      .send(await replacement?.())
  return reply.headers(caching).type(type).send(body)
}

/** Sends a text, or 304 if the client has it. */
async function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, etag, headers }: Sendable,
): Promise<FastifyReply> {
  void reply.headers(headers)
  addVary(reply, 'accept-encoding')
  if (matches(request.headers['if-none-match'], etag)) return reply.removeHeader('content-type').code(304).send()
  const copy = await compressed(body, request.headers['accept-encoding'])
  if (copy) void reply.header('content-encoding', copy.encoding)
  return reply.send(copy?.body ?? body)
}

function addVary(reply: FastifyReply, name: string): void {
  const vary = reply.getHeader('vary')
  void reply.header('vary', vary === undefined ? name : `${String(vary)}, ${name}`)
}

export function sendMissing(reply: FastifyReply): FastifyReply {
  reply.callNotFound()
  return reply
}
