import { type OutgoingRequest } from '../../outgoing/outgoing.ts'
import { type ReadAnswer, readText } from '../../outgoing/read.ts'
import { SECOND } from '../../clock.ts'
import { type SourceContext, MAX_PAGE_BYTES, withRetries } from '../reading.ts'
import { requireSuccess, SourceError } from '../source-error.ts'

type PlatformRequest = Pick<OutgoingRequest, 'url' | 'headers' | 'method' | 'body'>

/**
 * Sends a request to a platform and returns the response if its status is 200 or one of `accepted`. Redirects are not
 * followed, because the headers contain a token.
 * @param waitOf returns the pause in milliseconds that a refusal requests by other means than Retry-After
 */
export function requestPlatform(
  context: SourceContext,
  request: PlatformRequest,
  { accepted = [], waitOf }: { accepted?: readonly number[]; waitOf?: (answer: ReadAnswer) => number | undefined } = {},
): Promise<ReadAnswer> {
  return withRetries(context, async () => {
    const { outgoing, timeout, signal } = context
    const answer = await readText(outgoing, { ...request, maxBytes: MAX_PAGE_BYTES, timeout, signal, redirects: 0 })
    if (accepted.includes(answer.status)) return answer
    const wait = waitOf?.(answer)
    if (wait !== undefined)
      throw new SourceError(`${new URL(answer.url).host} limits the requests of this source`, {
        temporary: true,
        retryAfter: Math.max(wait, SECOND),
      })
    requireSuccess(answer)
    return answer
  })
}
