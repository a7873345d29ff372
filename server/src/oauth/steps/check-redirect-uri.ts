import type { Services } from '../../services.ts'
import type { App } from '../app.queries.ts'
import { mayReturnTo } from '../client-metadata/client-url.ts'
import { isRegistered } from '../redirect-uri.ts'
import { RequestPageError } from '../page-error.ts'
import type { Parameters } from '../parameters.ts'

/** Requires one of the registered URIs (RFC 9700 4.1.3). @throws RequestPageError */
export function checkRedirectUri(services: Services, app: App, query: Parameters): string {
  const redirectUri = query.get('redirect_uri')
  if (redirectUri === undefined) throw new RequestPageError(['missing', 'redirect_uri'])
  if (!isRegistered(app, redirectUri)) throw new RequestPageError('redirectUri')
  if (!mayReturnTo(services, app, redirectUri)) throw new RequestPageError(['host', new URL(redirectUri).host])
  return redirectUri
}
