export interface Example {
  /** Name of the operation in the document. */
  name: string
  area: 'Starboards' | 'Spaces' | 'Credentials' | 'Quests'
  title: string
  description: string
  query: string
  variables: Record<string, unknown>
}

/** The variables as the editor shows them. */
export function variablesText(example: Example): string {
  return JSON.stringify(example.variables, null, 2)
}
