import { ApiError } from './api-error.ts'

/** Why a proof does not prove an identity. */
const statuses = {
  invalid_address: 400,
  bad_request: 400,
  expired: 401,
  address_mismatch: 401,
  bad_signature: 401,
  unsupported: 400,
  unavailable: 503,
} as const

export type IdentityFault = keyof typeof statuses

export const identityError = (fault: IdentityFault, message: string, field?: string) =>
  new ApiError(statuses[fault], fault, message, field === undefined ? {} : { field })
