/** Content negotiation of the GraphQL-over-HTTP specification: two types, in UTF-8. */

export const JSON_TYPE = 'application/json'
export const GRAPHQL_TYPE = 'application/graphql-response+json'

/** The `Content-Type` of the response; undefined if the `Accept` header allows neither type. */
export function negotiateAnswer(accept: string | undefined): string | undefined {
  if (accept === undefined || accept === '*/*' || accept.trim() === '') return withCharset(JSON_TYPE)
  let best: { type: string; quality: number } | undefined
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const type =
      name === GRAPHQL_TYPE ? GRAPHQL_TYPE : [JSON_TYPE, 'application/*', '*/*'].includes(name) ? JSON_TYPE : undefined
    const charset = valueOf(parameters, 'charset')
    if (!type || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')) continue
    const quality = Number(valueOf(parameters, 'q') ?? 1)
    if (quality > 0 && (!best || quality > best.quality)) best = { type, quality }
  }
  return best && withCharset(best.type)
}

/** Whether `Content-Type` names JSON in UTF-8. */
export function isJsonInUtf8(contentType: string | undefined): boolean {
  if (contentType === JSON_TYPE) return true
  const [name, ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase())
  const charset = valueOf(parameters, 'charset')
  return name === JSON_TYPE && (charset === undefined || charset === 'utf-8' || charset === 'utf8')
}

function valueOf(parameters: readonly string[], name: string): string | undefined {
  const found = parameters.find((parameter) => parameter.startsWith(`${name}=`))
  return found?.slice(name.length + 1).replaceAll('"', '')
}

function withCharset(type: string): string {
  return `${type}; charset=utf-8`
}
