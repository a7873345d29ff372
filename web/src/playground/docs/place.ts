/** A type of the schema, or one of its fields. */
export interface DocsPlace {
  type: string
  field?: string | undefined
}
