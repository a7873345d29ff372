/** CORS for publishable tokens (docs/guides/browser.md). Cookies are never read here, so none are allowed. */

/**
 * The same for every preflight: it brings no token, so an answer that depended on its origin would tell strangers which
 * sites have tokens. The response to the request itself is readable only by pages of an origin that its token lists.
 */
export const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers':
    'access-token, access_token, authorization, content-type, if-none-match, last-event-id',
  'access-control-max-age': '86400',
}

const EXPOSED = { 'access-control-expose-headers': 'etag, ratelimit, ratelimit-policy, retry-after, x-request-id' }

/** For pages of an origin that the token lists. */
export const readableBy = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  ...EXPOSED,
})

/** For a refusal that says nothing about the token: it is sent before the token is looked up. */
export const READABLE_BY_ALL = { 'access-control-allow-origin': '*', ...EXPOSED }

/** Responses differ by these headers of the request, also those that a page must not read. */
export const VARY = 'origin, accept, accept-encoding'
export const VARY_BY_TOKEN = `${VARY}, access-token, access_token, authorization`
