import { ApiError } from '../errors.ts'
import type { Fault } from '../texts/faults.ts'

/** The HTTP status of each reason for which a proof fails. */
const statuses = {
  invalid_address: 400,
  bad_request: 400,
  expired: 401,
  address_mismatch: 401,
  bad_signature: 401,
  no_attempts_left: 401,
  unsupported: 400,
  unavailable: 503,
} as const

export type IdentityFault = keyof typeof statuses

/** @param fault why the field is refused, if it is one of a form */
export const identityError = (code: IdentityFault, message: string, field?: string, fault?: Fault) =>
  new ApiError(statuses[code], code, message, { field, ...(fault && { details: { fault } }) })

/** A refusal after which the challenge accepts another proof. */
export class RetryableRefusal extends ApiError {
  /** The state of the challenge for the next proof. */
  readonly kindData: unknown

  constructor({ status, code, message, field, details }: ApiError, kindData: unknown) {
    super(status, code, message, { field, details })
    this.kindData = kindData
  }
}
