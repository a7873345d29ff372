import type { App } from '../app.queries.ts'
import { RequestPageError } from '../page-error.ts'
import type { Parameters } from '../parameters.ts'

/** Requires one of the registered URIs, byte for byte (RFC 9700 4.1.3). @throws RequestPageError */
export function checkRedirectUri(app: App, query: Parameters): string {
  const redirectUri = query.get('redirect_uri')
  if (redirectUri === undefined) throw new RequestPageError('The parameter redirect_uri is missing.')
  if (!app.redirectUris.includes(redirectUri))
    throw new RequestPageError(
      'The redirect_uri is not registered for this app. It must match a registered URI exactly.',
    )
  return redirectUri
}
