/** Why a request did not bring an answer. */
export type OutgoingFailure =
  | 'url' // not an absolute http(s) URL without credentials
  | 'address' // leads to an address that is not public and not configured
  | 'name' // the name leads nowhere
  | 'connection' // no connection, or it broke
  | 'certificate' // TLS was refused
  | 'redirect' // to a place where no request may go, or one too many
  | 'time' // took too long
  | 'size' // larger than allowed
  | 'encoding' // compressed though it was asked not to be

/** A request that brought no answer; the message is fit for an operator and names the host, never headers or bodies. */
export class OutgoingError extends Error {
  override name = 'OutgoingError'
  readonly failure: OutgoingFailure

  constructor(failure: OutgoingFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.failure = failure
  }

  /** Whether the same request may succeed later without anybody changing anything. */
  get temporary(): boolean {
    return this.failure === 'name' || this.failure === 'connection' || this.failure === 'time'
  }
}

/** A request to a host that is none of the public Internet. @param namedBy the setting that names other hosts */
export const notPublic = (host: string, namedBy: string) =>
  new OutgoingError('address', `${host} is not on the public Internet; to allow it, add it to ${namedBy}`)

/**
 * A name that leads to no public address. Whether it leads to another one is not said: those who name hosts and read
 * what became of it are to learn nothing about the names of a private network.
 */
export const leadsNowhere = (failure: 'address' | 'name', host: string, namedBy: string, cause?: unknown) =>
  new OutgoingError(
    failure,
    `the name ${host} leads to no address on the public Internet; to allow others, add it to ${namedBy}`,
    cause,
  )

/** Turns what the HTTP client or a socket threw into an OutgoingError. */
export function asOutgoingError(thrown: unknown, host: string): OutgoingError {
  if (thrown instanceof OutgoingError) return thrown
  const error = thrown as NodeJS.ErrnoException
  if (error?.cause instanceof OutgoingError) return error.cause
  const code = typeof error?.code === 'string' ? error.code : ''
  if (error?.name === 'TimeoutError' || error?.name === 'AbortError' || /TIMEOUT|TIMEDOUT|ECANCELLED/.test(code))
    return new OutgoingError('time', `${host} did not answer in time`, thrown)
  if (code === 'ENOTFOUND' || code.startsWith('EAI_'))
    return new OutgoingError('name', `the name ${host} leads nowhere (${code})`, thrown)
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH/.test(code))
    return new OutgoingError('certificate', `the certificate of ${host} was refused (${code})`, thrown)
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new OutgoingError('size', `the headers of the answer of ${host} are too large`, thrown)
  const detail = code || (error?.message ?? String(thrown))
  return new OutgoingError('connection', `the connection to ${host} failed (${detail})`, thrown)
}
