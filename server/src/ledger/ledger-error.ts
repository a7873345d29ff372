import { ApiError, codes } from '../errors.ts'

const statuses = {
  INVALID_ARGUMENT: codes.INVALID_ARGUMENT.status,
  NOT_FOUND: codes.NOT_FOUND.status,
} as const

/** A request for the ledger that cannot be served. */
export class LedgerError extends Error {
  override name = 'LedgerError'
  readonly code: keyof typeof statuses
  readonly field: string | undefined

  constructor(code: LedgerError['code'], message: string, field?: string) {
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
  new LedgerError('INVALID_ARGUMENT', `${field} ${message}`, field)

export const spaceNotFound = (spaceId: number) =>
  new LedgerError('NOT_FOUND', `The space ${spaceId} does not exist.`, 'spaceId')
