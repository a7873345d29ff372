/** An error shown to the user, because the request has no trusted redirect URI. */
export class RequestPageError extends Error {
  override name = 'RequestPageError'
  readonly status: number

  constructor(message: string, status = 400) {
    super(message)
    this.status = status
  }
}
