import type { ApiCode } from '../error-codes.ts'
import { ApiError } from '../errors.ts'
import type { Fault } from '../texts/faults.ts'

/** @param fault why the field is refused, if it is one of a form */
export const identityError = (code: ApiCode, message: string, field?: string, fault?: Fault) =>
  new ApiError(code, message, { field, fault })

/** A refusal after which the challenge accepts another proof. */
export class RetryableRefusal extends ApiError {
  /** The state of the challenge for the next proof. */
  readonly kindData: unknown

  constructor({ code, message, field, details }: ApiError, kindData: unknown) {
    super(code, message, { field, details })
    this.kindData = kindData
  }
}
