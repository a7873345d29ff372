/** A fault of an authorization request that is shown to the user, because there is no trusted address to go back to. */
export class RequestPageError extends Error {
  override name = 'RequestPageError'
  readonly status: number

  constructor(message: string, status = 400) {
    super(message)
    this.status = status
  }
}
