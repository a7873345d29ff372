import type { FieldChange } from './differences.ts'

export interface AppliedObject {
  kind: string
  id: string
  name: string
  action: 'created' | 'changed' | 'removed'
  /** Empty for a created or removed object. */
  fields: FieldChange[]
  /** The numbers of rows that are removed with the object, by kind. */
  contents?: Record<string, number>
}
