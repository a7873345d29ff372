import { RequestFailure, ServiceError } from '../errors.ts'

const MAX_ID = 2_147_483_647

/** Unknown and private objects, unknown sprints and expired cursors have no page. */
export function isUnknown(error: unknown): boolean {
  if (error instanceof RequestFailure) return error.errors.every(isUnknown)
  return error instanceof ServiceError && ['NOT_FOUND', 'PERMISSION_DENIED', 'INVALID_ARGUMENT'].includes(error.code)
}

export function readId(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^[1-9]\d{0,9}$/.test(value) || Number(value) > MAX_ID) return undefined
  return Number(value)
}
