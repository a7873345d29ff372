import { createHash } from 'node:crypto'
import { type ContentKind, type ContentRecord, editableFields } from './content-kinds.ts'

const LENGTH = 22

/**
 * The version of an object: a digest of the fields that people edit. Counters, and a status that the service moves, do not change
 * it.
 */
export function versionOf(kind: ContentKind, record: ContentRecord, more: unknown = null): string {
  const isMoved = kind.name === 'quest' && record.autoStatus === true
  const values = editableFields(kind).map(([name]) => (isMoved && name === 'status' ? null : (record[name] ?? null)))
  return digest([values, more])
}

export function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, LENGTH)
}
