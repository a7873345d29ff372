/** A type of the schema, or one of its fields. */
export interface DocsEntry {
  type: string
  field?: string | undefined
}
