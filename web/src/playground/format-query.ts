/** Formats a query, comments included. The formatter is loaded at the first use. A text with syntax errors stays as it is. */
export async function formatQuery(query: string): Promise<string> {
  const [{ format }, graphql] = await Promise.all([import('prettier/standalone'), import('prettier/plugins/graphql')])
  return format(query, { parser: 'graphql', plugins: [graphql] }).catch(() => query)
}

/** Formats JSON. Any other text stays as it is. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
