export interface Example {
  /** Name of the operation in the document. */
  name: string
  area: 'starboards' | 'spaces' | 'credentials' | 'quests'
  query: string
  variables: Record<string, unknown>
}

/** The variables as the editor shows them. */
export function variablesText(example: Example): string {
  return JSON.stringify(example.variables, null, 2)
}
