import type { Fault } from '../texts/faults.ts'

/** Invalid input for a token; `field` names it. */
export class TokenInputError extends Error {
  override name = 'TokenInputError'
  readonly field: string
  readonly fault: Fault | undefined

  constructor(field: string, message: string, fault?: Fault) {
    super(message)
    this.field = field
    this.fault = fault
  }
}
