import { ApiError, codes } from '../errors.ts'

const statuses = {
  INVALID_ARGUMENT: codes.INVALID_ARGUMENT.status,
  NOT_FOUND: codes.NOT_FOUND.status,
  PERMISSION_DENIED: codes.PERMISSION_DENIED.status,
  CONFLICT: 409,
  /** The disk of the database is too small. */
  INSUFFICIENT_STORAGE: 507,
} as const

/** A request for a snapshot that cannot be served. */
export class SnapshotError extends Error {
  override name = 'SnapshotError'
  readonly code: keyof typeof statuses
  readonly field: string | undefined

  constructor(code: SnapshotError['code'], message: string, field?: string) {
    super(message)
    this.code = code
    this.field = field
  }

  /** The response of the JSON API, or of the ingest API with codes in upper case. */
  toApiError(codeCase: 'lower' | 'upper'): ApiError {
    const code = codeCase === 'lower' ? this.code.toLowerCase() : this.code
    return new ApiError(statuses[this.code], code, this.message, { field: this.field })
  }
}

export const invalid = (field: string, message: string) =>
  new SnapshotError('INVALID_ARGUMENT', `${field} ${message}`, field)

export const snapshotNotFound = (id: string) => new SnapshotError('NOT_FOUND', `The snapshot ${id} does not exist.`)
