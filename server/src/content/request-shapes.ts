import { z } from 'zod'
import { readBody } from '../api/read-body.ts'
import type { RequestBody } from '../api/route-description.ts'
import type { Field } from '../ingest/fields.ts'
import { kinds } from '../ingest/kinds.ts'
import { type ContentKind, type ContentRecord, editableFields } from './records/content-kinds.ts'

type Shape = Record<string, z.ZodType>

const SPACE_ID = 'must be the id of a space, a whole number from 1 to 2147483647'
/** The id of a space, in a body that is not a record. */
export const spaceIdShape = z.int(SPACE_ID).min(1, SPACE_ID).max(2_147_483_647, SPACE_ID)

/** Documents a field, whose reader validates the value. `more` is added to the allowed values. */
export function documented({ schema, allowed }: Field, ...more: string[]): z.ZodType {
  const values = `${allowed.charAt(0).toUpperCase()}${allowed.slice(1)}`
  return z.unknown().meta({ ...schema, description: [values, ...more].join('. ') })
}

/** The schema of one field, for a body that contains only this field of the record. */
export function documentedField(kind: ContentKind, name: string): z.ZodType {
  return documented(kinds[kind.records].fields[name] as Field)
}

function fieldsOf(kind: ContentKind): Record<string, z.ZodType> {
  return Object.fromEntries(editableFields(kind).map(([name, field]) => [name, documented(field)]))
}

const optional = (shape: Shape): Shape =>
  Object.fromEntries(Object.entries(shape).map(([name, type]) => [name, type.optional()]))

/** The body of a creation: required fields, and the id if it is chosen. `inPath` are key fields of the path. */
export function creationBody(
  kind: ContentKind,
  more: Shape = {},
  inPath: readonly string[] = [],
): RequestBody<ContentRecord> {
  const { fields } = kinds[kind.records]
  const own = fieldsOf(kind)
  const shape: Shape = {}
  for (const name of kind.key) if (!inPath.includes(name)) shape[name] = documented(fields[name] as Field).optional()
  for (const [name, type] of Object.entries(own))
    shape[name] = fields[name]?.fallback === undefined ? type : type.optional()
  return recordBody({ ...shape, ...more })
}

/** The body of a change: any fields, and the version that they are based on. */
export function changeBody(kind: ContentKind, more: Shape = {}): RequestBody<ContentRecord & { version: string }> {
  const version = z.string().max(40).describe('The `version` of the object that the change is based on')
  const shape = { version, ...optional({ ...fieldsOf(kind), ...more }) }
  return recordBody(shape) as RequestBody<ContentRecord & { version: string }>
}

function recordBody(fields: Shape): RequestBody<ContentRecord> {
  const shape = z.strictObject(fields)
  return { shape, read: (body) => readBody(shape, body) }
}
