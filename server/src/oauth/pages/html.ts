import type { FastifyReply } from 'fastify'
import { staticPage, staticPagePolicy } from '../../http/static-page.ts'
import type { Brand } from '../../settings/brand.ts'
import type { Html } from '../../text/html.ts'

/** RFC 9700 4.2, 4.16: no foreign content, no frames, no referrer, no caching. */
export function sendPage(
  reply: FastifyReply,
  status: number,
  brand: Brand,
  { title, body }: { title: string; body: Html },
): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', staticPagePolicy(brand))
    .header('x-frame-options', 'DENY')
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cache-control', 'no-store')
    .send(staticPage(brand, { title, body }))
}
