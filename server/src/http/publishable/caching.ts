import { SECOND } from '../../clock.ts'
import { PUBLIC_RESPONSE_LIFETIME } from '../../lifetimes.ts'

/** Shared caches hold responses by URL, so they may only hold those whose URL contains the token. */
export const cacheControl = ({ inUrl }: { inUrl: boolean }): string =>
  `${inUrl ? 'public' : 'private'}, max-age=${PUBLIC_RESPONSE_LIFETIME / SECOND}`
