import { SharedApiError } from '../errors.ts'
import { type Fault, unknownReference } from '../texts/faults.ts'

/** A request for the ledger that cannot be served. */
export class LedgerError extends SharedApiError<'INVALID_ARGUMENT' | 'NOT_FOUND'> {
  override name = 'LedgerError'
}

export const invalid = (field: string, message: string, fault: Fault) =>
  new LedgerError('INVALID_ARGUMENT', `${field} ${message}`, field, fault)

export const spaceNotFound = (spaceId: number) =>
  new LedgerError('NOT_FOUND', `The space ${spaceId} does not exist.`, 'spaceId', unknownReference(spaceId))
