import type { FastifyReply, FastifyRequest } from 'fastify'
import { etagOf, matches } from '../http/etag.ts'
import { type RateLimit, publicPagesByNetwork } from '../rate-limits/limits.ts'
import { countAttempt } from '../rate-limits/fixed-window.ts'
import type { Services } from '../services.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { isUnknown } from './requests.ts'
import { type FinishedPage, responseWith } from './send-finished.ts'

interface ShownText {
  type: string
  /** The texts in the language of the request. */
  texts: PageTexts
  /** Headers of the response with the text, and of 429. */
  headers: Record<string, string>
  cacheControl: string
  /** If it returns undefined or throws an error about an unknown object, the response is 404. */
  show: () => Promise<string | undefined>
  /** Makes the body from the text; by default, the body is the text. */
  convert?: (text: string) => Promise<Buffer | undefined>
  /** The body if `convert` returns undefined; caches do not store it. */
  replacement?: () => Promise<Buffer>
  /** The limit of the network; default: the limit for pages. */
  limit?: RateLimit
  /** Receives the response to a text without `convert`. */
  keep?: (page: FinishedPage) => void
}

/**
 * Counts a request against the limit of its network. Sends the text, or the body that `convert` makes from it, with the
 * ETag of the text.
 */
export async function sendShown(
  services: Pick<Services, 'database' | 'clock'>,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    type,
    texts,
    headers: ownHeaders,
    cacheControl,
    show,
    convert,
    replacement,
    limit = publicPagesByNetwork,
    keep,
  }: ShownText,
): Promise<FastifyReply> {
  const headers = { ...ownHeaders, 'content-language': texts.language }
  const { exceeded, retryAfter } = await countAttempt(services, limit, request.network)
  if (exceeded) {
    void reply.code(429).headers({ ...headers, 'cache-control': 'no-store', 'retry-after': String(retryAfter) })
    return reply.type('text/plain; charset=utf-8').send(`${texts.tooManyRequests}\n`)
  }
  const text = await show().catch((error: unknown) => {
    if (isUnknown(error)) return undefined
    throw error
  })
  if (text === undefined) return sendMissing(reply)
  const etag = etagOf(text)
  const caching = { ...headers, 'cache-control': cacheControl, etag }
  if (!convert) {
    const vary = [reply.getHeader('vary'), 'accept-language', 'accept-encoding'].filter(Boolean).join(', ')
    const head = Object.entries({ ...caching, 'content-type': type, vary }).flat()
    const page = { body: Buffer.from(text), etag, head }
    keep?.(page)
    const { status, head: lines, body } = await responseWith(page, request.raw)
    for (let i = 0; i + 1 < lines.length; i += 2) void reply.header(lines[i] ?? '', lines[i + 1])
    return reply.code(status).send(body)
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

export function sendMissing(reply: FastifyReply): FastifyReply {
  reply.callNotFound()
  return reply
}
