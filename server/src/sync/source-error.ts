import { OutgoingError } from '../outgoing/outgoing-error.ts'
import { retryAfter } from '../outgoing/retry-after.ts'

/** A source did not return the requested data; the message explains the reason to the operator. */
export class SourceError extends Error {
  override name = 'SourceError'
  /** Whether the same run may succeed later without any change. */
  readonly temporary: boolean
  /** Milliseconds for which the source asks for no requests. */
  readonly retryAfter: number | undefined

  constructor(message: string, how: { temporary?: boolean; retryAfter?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: how.cause })
    this.temporary = how.temporary ?? false
    this.retryAfter = how.retryAfter
  }
}

/** Throws if the status of a response is not 200. */
export function requireSuccess(answer: {
  status: number
  headers: Readonly<Record<string, string>>
  url: string
}): void {
  if (answer.status === 200) return
  const { host } = new URL(answer.url)
  const temporary = answer.status === 408 || answer.status === 429 || answer.status >= 500
  throw new SourceError(`${host} responded with status ${answer.status}`, {
    temporary,
    retryAfter: retryAfter(answer.headers),
  })
}

export function isTemporary(error: unknown): boolean {
  if (error instanceof SourceError || error instanceof OutgoingError) return error.temporary
  return true // an error of this service, such as the database or a bug; it is retried a few times
}
