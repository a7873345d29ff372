import { type Fault } from '../texts/faults.ts'
import { SharedApiError } from '../errors.ts'

type SnapshotCode = 'INVALID_ARGUMENT' | 'NOT_FOUND' | 'PERMISSION_DENIED' | 'CONFLICT' | 'INSUFFICIENT_STORAGE'

/** A request for a snapshot that cannot be served. */
export class SnapshotError extends SharedApiError<SnapshotCode> {
  override name = 'SnapshotError'
}

/** Why a snapshot failed; the pages translate these. */
export const failureCodes = [
  'list_empty',
  'list_incomplete',
  'not_found',
  'too_early',
  'insufficient_storage',
  'interrupted',
  'internal_error',
] as const
export type FailureCode = (typeof failureCodes)[number]

/** The reason for people, and its code. */
export interface SnapshotFailure {
  /** Null if pages have no text for the reason; they show the message. */
  code: FailureCode | null
  message: string
}

export function failureOf(error: unknown): SnapshotFailure {
  if (!(error instanceof SnapshotError)) return { code: 'internal_error', message: 'Internal error.' }
  const names: readonly string[] = [error.fault?.code ?? '', error.code.toLowerCase()]
  return { code: failureCodes.find((code) => names.includes(code)) ?? null, message: error.message }
}

export const invalid = (field: string, message: string, fault?: Fault) =>
  new SnapshotError('INVALID_ARGUMENT', `${field} ${message}`, field, fault)

export const snapshotNotFound = (id: string) => new SnapshotError('NOT_FOUND', `The snapshot ${id} does not exist.`)
