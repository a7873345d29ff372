/** The source cannot be mirrored; the message has the reason and advice. */
export class MirrorError extends Error {
  override name = 'MirrorError'
  /** `extensions.code` of the source's error. */
  readonly code: string | undefined

  constructor(message: string, code?: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** The source requires a long wait; the data read so far is kept. */
export class MirrorPausedError extends MirrorError {
  override name = 'MirrorPausedError'
}
