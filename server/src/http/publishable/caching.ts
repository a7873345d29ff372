import { createHash } from 'node:crypto'
import { SECOND } from '../../clock.ts'
import { PUBLIC_RESPONSE_LIFETIME } from '../../lifetimes.ts'

/** A weak validator, because compressed copies of a body share it. */
export const etagOf = (body: string | Buffer): string =>
  `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`

/** Whether `If-None-Match` contains the validator (RFC 9110 13.1.2). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((each) => bare(each) === bare(etag))
}

const bare = (etag: string) => etag.trim().replace(/^W\//, '')

/** Shared caches hold responses by URL, so they may only hold those whose URL contains the token. */
export const cacheControl = ({ inUrl }: { inUrl: boolean }): string =>
  `${inUrl ? 'public' : 'private'}, max-age=${PUBLIC_RESPONSE_LIFETIME / SECOND}`
