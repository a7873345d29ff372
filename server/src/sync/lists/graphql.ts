import { z } from 'zod'
import { readText } from '../../outgoing/read.ts'
import { parsePointer, valueAt } from '../json-pointer.ts'
import { MAX_PAGE_BYTES, PAGE_TIMEOUT, withRetries, type Reading } from '../reading.ts'
import { requireSuccess, SourceError } from '../source-error.ts'
import { hostOf, sourceKind } from '../source-kind.ts'
import { paged, parameter, pointer, url } from '../source-settings.ts'
import { entriesOf, parseJson } from './json-entries.ts'
import { cursorOf } from './rest.ts'

const settings = {
  ...paged,
  url,
  query: z.string().min(1).max(20_000),
  variables: z.record(z.string(), z.unknown()).default({}),
  /** Pointers into `data`, and from an element of the list. */
  list: pointer,
  address: pointer.default(''),
  next: z
    .union(
      [
        z.strictObject({ cursor: z.strictObject({ variable: parameter, at: pointer, more: pointer.optional() }) }),
        z.strictObject({ idGt: z.strictObject({ variable: parameter, id: pointer.default('/id') }) }),
      ],
      'must be one of {"cursor": …}, {"idGt": …} with their settings',
    )
    .optional(),
}
const graphqlSchema = z.strictObject({ ...settings, kind: z.literal('GRAPHQL') })
const subgraphSchema = z.strictObject({ ...settings, kind: z.literal('SUBGRAPH') })
type GraphqlSource = z.output<typeof graphqlSchema> | z.output<typeof subgraphSchema>

const about = { host: (source: GraphqlSource) => hostOf(source.url), list: readGraphql }
export const graphql = sourceKind({ schema: graphqlSchema, ...about })
export const subgraph = sourceKind({ schema: subgraphSchema, ...about })

type Variables = Record<string, unknown>

/** Reads pages of a GraphQL query until the source has no more. */
async function readGraphql(reading: Reading, source: GraphqlSource): Promise<void> {
  const { host } = new URL(source.url)
  const step = nextVariables(source, host)
  const seen = new Set<unknown>()
  let variables: Variables = source.variables
  for (let page = 1; ; page++) {
    const data = await withRetries(reading, () => sendQuery(reading, source, variables, host))
    await reading.give(entriesOf(data, source, `"data" in the response of ${host}`))
    const next = step(data)
    if (!next) return
    if (page === source.maxPages) throw new SourceError(`${host} has more than ${source.maxPages} pages (maxPages)`)
    if (seen.has(next.value)) throw new SourceError(`${host} repeats the cursor ${JSON.stringify(next.value)}`)
    seen.add(next.value)
    variables = { ...source.variables, [next.variable]: next.value }
  }
}

async function sendQuery(
  reading: Reading,
  source: GraphqlSource,
  variables: Variables,
  host: string,
): Promise<unknown> {
  const answer = await readText(reading.outgoing, {
    url: source.url,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...source.headers },
    body: JSON.stringify({ query: source.query, variables }),
    maxBytes: MAX_PAGE_BYTES,
    timeout: PAGE_TIMEOUT,
    signal: reading.signal,
  })
  requireSuccess(answer)
  const body = parseJson(answer.text, host) as { data?: unknown; errors?: unknown } | null
  // A list from partial data would be incomplete.
  if (Array.isArray(body?.errors) && body.errors.length > 0) {
    const [first] = body.errors as { message?: unknown }[]
    throw new SourceError(`${host} returned an error: ${JSON.stringify(first?.message ?? first).slice(0, 300)}`, {
      temporary: true,
    })
  }
  return body?.data
}

function nextVariables(
  source: GraphqlSource,
  host: string,
): (data: unknown) => { variable: string; value: string } | undefined {
  const { next } = source
  if (next === undefined) return () => undefined
  if ('cursor' in next) {
    const { variable, more } = next.cursor
    const at = parsePointer(next.cursor.at) ?? []
    return (data) => {
      if (more !== undefined && valueAt(data, parsePointer(more) ?? []) !== true) return undefined
      const value = cursorOf(valueAt(data, at))
      return value === undefined ? undefined : { variable, value }
    }
  }
  const { variable } = next.idGt
  const id = parsePointer(next.idGt.id) ?? []
  return (data) => {
    const list = valueAt(data, parsePointer(source.list) ?? []) as unknown[]
    if (list.length === 0) return undefined
    const value = valueAt(list.at(-1), id)
    if (typeof value !== 'string') throw new SourceError(`an element of ${host} has no id at ${next.idGt.id}`)
    return { variable, value }
  }
}
