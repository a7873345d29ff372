import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'

type Request = Pick<FastifyRequest, 'headers'>

/** The requests that only pages of this site may start. A navigation of a browser has no CSRF token. */
export interface OwnPages {
  /** Selects them by the query. */
  only: (query: never) => boolean
  /** The message of the error. */
  message: string
}

/** Whether a page of another origin sent the browser here, by `Sec-Fetch-Site`. */
export function isFromForeignPage({ headers }: Request): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

/** Browsers send `Sec-Fetch-Site` over https only. @throws ApiError foreign_request */
export function requireOwnPage({ site }: { site: { secure: boolean } }, request: Request, message: string): void {
  const isUnknown = site.secure && request.headers['sec-fetch-site'] === undefined
  if (isUnknown || isFromForeignPage(request)) throw new ApiError('foreign_request', message)
}
