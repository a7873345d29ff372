import { ApiError } from '../errors.ts'
import type { Fault } from '../texts/faults.ts'

/** The reasons for which a proof fails. */
type IdentityCode =
  | 'invalid_address'
  | 'bad_request'
  | 'expired'
  | 'address_mismatch'
  | 'bad_signature'
  | 'no_attempts_left'
  | 'unsupported'
  | 'unavailable'

/** @param fault why the field is refused, if it is one of a form */
export const identityError = (code: IdentityCode, message: string, field?: string, fault?: Fault) =>
  new ApiError(code, message, { field, fault })

/** A refusal after which the challenge accepts another proof. */
export class RetryableRefusal extends ApiError {
  /** The state of the challenge for the next proof. */
  readonly kindData: unknown

  constructor({ code, message, field, details, headers, status }: ApiError, kindData: unknown) {
    super(code, message, { field, details, headers, status })
    this.kindData = kindData
  }
}
