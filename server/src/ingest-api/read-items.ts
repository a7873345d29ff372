import { parseExactJson } from '../ingest/exact-json.ts'
import { quoteValue } from '../ingest/problems.ts'
import { invalidRequest, tooLarge } from './ingest-error.ts'
import { MAX_ITEMS } from './limits.ts'

export interface RawBody {
  format: 'json' | 'ndjson'
  text: string
}

/** An item of a batch, or the reason for which it is malformed. */
export type Item = { value: unknown } | { unreadable: string }

/**
 * Reads the items of a body: `{"items": […]}`, a list, or one object per line.
 * @throws INVALID_ARGUMENT if the body has another format, PAYLOAD_TOO_LARGE for too many items
 */
export function readItems(body: RawBody | undefined): Item[] {
  const text = body?.text.replace(/^\uFEFF/, '') ?? ''
  if (!body || text.trim() === '') throw invalidRequest(`The body is empty; send items as JSON or NDJSON`, 'items')
  const items = body.format === 'json' ? readJson(text) : readLines(text)
  if (items.length === 0) throw invalidRequest('The list of items is empty; send at least one', 'items')
  if (items.length > MAX_ITEMS) throw tooLarge(`A request may have at most ${MAX_ITEMS} items. Send them in parts`)
  return items
}

function readJson(text: string): Item[] {
  const body = parse(text)
  const list = Array.isArray(body) ? body : (body as { items?: unknown } | null)?.items
  if (!Array.isArray(list)) throw invalidRequest('The body must be {"items": […]} or a list of items', 'items')
  const other = Array.isArray(body) ? undefined : Object.keys(body as object).find((key) => key !== 'items')
  if (other !== undefined)
    throw invalidRequest(`${quoteValue(other)} is not a field of the body; allowed: items`, other.slice(0, 100))
  return list.map((value: unknown) => ({ value }))
}

function parse(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch (error) {
    throw invalidRequest(`The body is not JSON: ${(error as Error).message}`)
  }
}

/** Skips blank lines. Stops one line after the limit. */
function readLines(text: string): Item[] {
  const items: Item[] = []
  let number = 1
  let counted = 0
  for (const { 0: line, index } of text.matchAll(/\S[^\n]*/g)) {
    for (let at = text.indexOf('\n', counted); at !== -1 && at < index; at = text.indexOf('\n', counted)) {
      number++
      counted = at + 1
    }
    try {
      items.push({ value: parseExactJson(line) })
    } catch (error) {
      items.push({ unreadable: `line ${number}: ${quoteValue(line)} is not JSON (${(error as Error).message})` })
    }
    if (items.length > MAX_ITEMS) break
  }
  return items
}
