import { codes, SharedApiError } from '../errors.ts'
import { type Fault, unknownReference } from '../texts/faults.ts'

const statuses = {
  INVALID_ARGUMENT: codes.INVALID_ARGUMENT.status,
  NOT_FOUND: codes.NOT_FOUND.status,
} as const

/** A request for the ledger that cannot be served. */
export class LedgerError extends SharedApiError<keyof typeof statuses> {
  override name = 'LedgerError'
  protected override get statuses() {
    return statuses
  }
}

export const invalid = (field: string, message: string, fault: Fault) =>
  new LedgerError('INVALID_ARGUMENT', `${field} ${message}`, field, fault)

export const spaceNotFound = (spaceId: number) =>
  new LedgerError('NOT_FOUND', `The space ${spaceId} does not exist.`, 'spaceId', unknownReference(spaceId))
