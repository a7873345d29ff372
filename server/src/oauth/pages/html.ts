import type { FastifyReply } from 'fastify'
import { STATIC_PAGE_POLICY, staticPage } from '../../http/static-page.ts'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/**
 * Escapes text for HTML content and quoted attributes. Removes direction controls, so that a name cannot reorder other
 * text.
 */
export function escapeHtml(text: string): string {
  return text
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[&<>"']/g, (character) => entities[character] as string)
}

/** RFC 9700 4.2, 4.16: no foreign content, no frames, no referrer, no caching. */
export function sendPage(reply: FastifyReply, status: number, title: string, body: string): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', STATIC_PAGE_POLICY)
    .header('x-frame-options', 'DENY')
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cache-control', 'no-store')
    .send(staticPage({ title: escapeHtml(title), body: `<main id="main" class="alone">${body}</main>` }))
}
