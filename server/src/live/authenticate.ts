import type { IncomingMessage } from 'node:http'
import type { PublishableAuthenticator } from '../access/authenticate-publishable.ts'
import type { Authenticator } from '../access/authenticate-server-token.ts'
import type { Caller } from '../access/caller.ts'
import { originDenied } from '../errors.ts'
import { readableBy, VARY } from '../http/publishable/cors.ts'
import { isPublishable, publishableTokenOf } from '../http/publishable/tokens.ts'

export interface Authenticated {
  caller: Caller
  /** Response headers, so that a page of an allowed origin can read the stream. */
  headers: Record<string, string>
  /** Looks the token up again. @throws INVALID_TOKEN */
  again: () => Promise<unknown>
}

/**
 * A server token in a header, or a publishable token in a header or, because `EventSource` sends no headers, in the URL.
 * @throws TOKEN_REQUIRED, INVALID_TOKEN, PERMISSION_DENIED for another origin
 */
export async function authenticate(
  request: IncomingMessage,
  network: string,
  { authenticator, publishable }: { authenticator: Authenticator; publishable: PublishableAuthenticator },
): Promise<Authenticated> {
  if (!isPublishable(request)) {
    const { headers, headersDistinct } = request
    const check = () => authenticator.authenticate({ headers, headersDistinct })
    return { caller: await check(), headers: {}, again: check }
  }
  const { token } = publishableTokenOf(request)
  const check = () => publishable.authenticate(token)
  const { origins, callerFrom } = await check()
  const { origin } = request.headers
  if (origin === undefined || !origins.includes(origin)) throw originDenied(origin)
  return { caller: callerFrom(network), headers: { ...readableBy(origin), vary: VARY }, again: check }
}
