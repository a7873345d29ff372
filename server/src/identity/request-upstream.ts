import { SECOND } from '../clock.ts'
import { OutgoingError } from '../outgoing/outgoing-error.ts'
import type { OutgoingRequest } from '../outgoing/outgoing.ts'
import { readText } from '../outgoing/read.ts'
import { identityError } from './identity-error.ts'
import type { Services } from '../services.ts'

const MAX_ANSWER_BYTES = 64 * 1024
const TIMEOUT = 10 * SECOND

export interface UpstreamAnswer {
  status: number
  /** undefined if the body is not JSON */
  json: unknown
}

/**
 * Sends one request to an upstream that the operator configured: no redirects, 64 kB at most, 10 seconds, no retry.
 * @throws ApiError unavailable if no response arrives
 */
export async function requestUpstream(
  { outgoing, log }: Pick<Services, 'outgoing' | 'log'>,
  name: string,
  request: Pick<OutgoingRequest, 'url' | 'method' | 'headers' | 'body'>,
): Promise<UpstreamAnswer> {
  try {
    const { status, text } = await readText(outgoing, {
      ...request,
      headers: { accept: 'application/json', ...request.headers },
      maxBytes: MAX_ANSWER_BYTES,
      timeout: TIMEOUT,
      redirects: 0,
    })
    return { status, json: parseJson(text) }
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    log.warn({ err: error, upstream: name }, 'an upstream request failed')
    throw upstreamUnavailable(name)
  }
}

export const upstreamUnavailable = (name: string) =>
  identityError('unavailable', `${name} is not available now; try again later`)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
