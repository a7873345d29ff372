import { invalidField } from '../../errors.ts'
import { isEmpty, refusalOf } from '../../ingest/check.ts'
import type { Field } from '../../ingest/fields.ts'
import { kinds } from '../../ingest/kinds.ts'
import type { ContentKind, ContentRecord } from './content-kinds.ts'

/** The id of a space in an unvalidated record; undefined if the field is empty. @throws ApiError that names the field */
export function spaceIn(kind: ContentKind, record: ContentRecord, field: string): number | undefined {
  const value = record[field]
  if (isEmpty(value)) return undefined
  const spec = kinds[kind.records].fields[field] as Field
  const read = spec.read(value)
  if (read === undefined) {
    const { reason, fault } = refusalOf(spec, value)
    throw invalidField(field, reason, fault)
  }
  return Number(read)
}
