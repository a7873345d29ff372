/** Invalid input for a token; `field` names it. */
export class TokenInputError extends Error {
  override name = 'TokenInputError'
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}
