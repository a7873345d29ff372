import type { FastifyReply } from 'fastify'
import { staticPage, staticPagePolicy } from '../../http/static-page.ts'
import type { Brand } from '../../settings/brand.ts'
import type { Html } from '../../text/html.ts'
import { type PageTexts, pageTexts } from '../../texts/page-texts.ts'
import { languageOf } from '../../texts/request-language.ts'

/**
 * Sends a page in the language of the request. RFC 9700 4.2, 4.16: no foreign content, no frames, no referrer, no caching.
 */
export function sendPage(
  reply: FastifyReply,
  status: number,
  brand: Brand,
  show: (texts: PageTexts) => { title: string; body: Html },
): FastifyReply {
  const texts = pageTexts[languageOf(reply.request)]
  return reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-language', texts.language)
    .header('vary', 'accept-language')
    .header('content-security-policy', staticPagePolicy(brand))
    .header('x-frame-options', 'DENY')
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cache-control', 'no-store')
    .send(staticPage(brand, { texts, ...show(texts) }))
}
