import { type DocumentNode, Kind, parse } from 'graphql'

/**
 * The name of the operation to run: that at the cursor, else the first. Undefined if the document has no choice, or a
 * syntax error, which the service reports.
 */
export function operationAt(query: string, cursor: number): string | undefined {
  const operations = operationsOf(query)
  if (operations.length < 2) return undefined
  const chosen = operations.find(({ loc }) => loc && loc.start <= cursor && cursor <= loc.end) ?? operations[0]
  return chosen?.name?.value
}

function operationsOf(query: string) {
  let document: DocumentNode
  try {
    document = parse(query)
  } catch {
    return []
  }
  return document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
}
