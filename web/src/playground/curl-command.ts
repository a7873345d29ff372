interface CurlOptions {
  token?: string
  operationName?: string | undefined
}

/**
 * A request for a shell. Without `token`, the token stays out of it, in a variable. Variables that are not JSON are left
 * out.
 */
export function curlCommand(
  origin: string,
  query: string,
  variables: string,
  { token = '$QUESTBOARD_TOKEN', operationName }: CurlOptions = {},
): string {
  const body = JSON.stringify({ query, ...parsedVariables(variables), operationName })
  return [
    `curl ${origin}/query`,
    `-H 'content-type: application/json'`,
    `-H "access-token: ${token}"`,
    `-d ${quoteForShell(body)}`,
  ].join(' \\\n  ')
}

function parsedVariables(text: string): { variables?: unknown } {
  try {
    return text.trim() === '' ? {} : { variables: JSON.parse(text) as unknown }
  } catch {
    return {}
  }
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
