/** The source cannot be mirrored as asked; the message says why and what to do. */
export class MirrorError extends Error {
  override name = 'MirrorError'
  /** `extensions.code` of the source's own refusal. */
  readonly code: string | undefined

  constructor(message: string, code?: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** The source asks to be left alone for longer than a command should wait; what was read so far is kept. */
export class MirrorPausedError extends MirrorError {
  override name = 'MirrorPausedError'
}
