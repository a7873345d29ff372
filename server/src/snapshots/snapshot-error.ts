import { type Fault } from '../texts/faults.ts'
import { codes, SharedApiError } from '../errors.ts'

const statuses = {
  INVALID_ARGUMENT: codes.INVALID_ARGUMENT.status,
  NOT_FOUND: codes.NOT_FOUND.status,
  PERMISSION_DENIED: codes.PERMISSION_DENIED.status,
  CONFLICT: 409,
  /** The disk of the database is too small. */
  INSUFFICIENT_STORAGE: 507,
} as const

/** A request for a snapshot that cannot be served. */
export class SnapshotError extends SharedApiError<keyof typeof statuses> {
  override name = 'SnapshotError'
  protected override get statuses() {
    return statuses
  }
}

export const invalid = (field: string, message: string, fault?: Fault) =>
  new SnapshotError('INVALID_ARGUMENT', `${field} ${message}`, field, fault)

export const snapshotNotFound = (id: string) => new SnapshotError('NOT_FOUND', `The snapshot ${id} does not exist.`)
