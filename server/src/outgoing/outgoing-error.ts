import { type Fault, fault, wrongFormat } from '../texts/faults.ts'

/** The reason why a request failed. */
export type OutgoingFailure =
  | 'url' // not an absolute http(s) URL without credentials
  | 'address' // the address is neither public nor allowed
  | 'name' // the name does not resolve
  | 'connection' // the connection failed or was interrupted
  | 'certificate' // TLS failed
  | 'redirect' // the target is not allowed, or there were too many redirects
  | 'time' // timeout
  | 'size' // the response is too large
  | 'encoding' // the response is compressed although compression was not requested

/**
 * A request without a usable response. The message is safe for operators: it names the host, never headers or bodies.
 */
export class OutgoingError extends Error {
  override name = 'OutgoingError'
  readonly failure: OutgoingFailure

  constructor(failure: OutgoingFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.failure = failure
  }

  /** The fault of a field with the URL. */
  get fault(): Fault {
    return this.failure === 'url' ? wrongFormat('url') : fault('not_public')
  }

  /** Whether a retry may succeed without any change. */
  get temporary(): boolean {
    return this.failure === 'name' || this.failure === 'connection' || this.failure === 'time'
  }
}

/** @param namedBy the setting that lists allowed hosts */
export const notPublic = (host: string, namedBy: string) =>
  new OutgoingError('address', `${host} is not on the public Internet; to allow it, add it to ${namedBy}`)

/**
 * The name has no public address. The message does not reveal whether a private one exists, so users cannot explore
 * a private network.
 */
export const noPublicAddress = (failure: 'address' | 'name', host: string, namedBy: string, cause?: unknown) =>
  new OutgoingError(
    failure,
    `the name ${host} has no address on the public Internet; to allow others, add it to ${namedBy}`,
    cause,
  )

/** Converts errors of the HTTP client and of sockets. */
export function asOutgoingError(thrown: unknown, host: string): OutgoingError {
  if (thrown instanceof OutgoingError) return thrown
  const error = thrown as NodeJS.ErrnoException
  if (error?.cause instanceof OutgoingError) return error.cause
  const code = typeof error?.code === 'string' ? error.code : ''
  if (error?.name === 'TimeoutError' || error?.name === 'AbortError' || /TIMEOUT|TIMEDOUT|ECANCELLED/.test(code))
    return new OutgoingError('time', `${host} did not respond in time`, thrown)
  if (code === 'ENOTFOUND' || code.startsWith('EAI_'))
    return new OutgoingError('name', `the name ${host} leads nowhere (${code})`, thrown)
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH/.test(code))
    return new OutgoingError('certificate', `the certificate of ${host} was refused (${code})`, thrown)
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new OutgoingError('size', `the response headers of ${host} are too large`, thrown)
  const detail = code || (error?.message ?? String(thrown))
  return new OutgoingError('connection', `the connection to ${host} failed (${detail})`, thrown)
}
