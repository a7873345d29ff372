import type { FastifyReply, FastifyRequest } from 'fastify'

/** The raw query string of the request target. */
export function queryOf(request: FastifyRequest): string {
  return queryOfUrl(request.raw.url ?? '')
}

export function queryOfUrl(url: string): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}

/** RFC 6749 5.1. */
export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

export function forbidStoring(reply: FastifyReply): void {
  void reply.headers(noStore)
}

export function bodyOf(request: FastifyRequest): Buffer | undefined {
  return Buffer.isBuffer(request.body) ? request.body : undefined
}
