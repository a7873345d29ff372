/** CORS for publishable tokens (docs/guides/browser.md). These routes read no cookies, so none are allowed. */

/**
 * The headers of every preflight. A preflight has no token, so a response that depended on its origin would reveal which
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

/** Headers of responses for pages of an origin that the token lists. */
export const readableBy = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  ...EXPOSED,
})

/** Headers of a refusal before the token is looked up, which reveals nothing about the token. */
export const READABLE_BY_ALL = { 'access-control-allow-origin': '*', ...EXPOSED }

/** Request headers on which responses depend, including responses that a page must not read. */
export const VARY = 'origin, accept, accept-encoding'
export const VARY_BY_TOKEN = `${VARY}, access-token, access_token, authorization`
