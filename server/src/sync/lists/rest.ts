import { z } from 'zod'
import { readText } from '../../outgoing/read.ts'
import { parsePointer, valueAt } from '../json-pointer.ts'
import { MAX_PAGE_BYTES, PAGE_TIMEOUT, withRetries, type Reading } from '../reading.ts'
import { requireSuccess, SourceError } from '../source-error.ts'
import { hostOf, sourceKind } from '../source-kind.ts'
import { column, paged, parameter, pointer, url } from '../source-settings.ts'
import { entriesOf, parseJson } from './json-entries.ts'
import { readTextEntries } from './text-entries.ts'

const schema = z.strictObject({
  ...paged,
  kind: z.literal('REST'),
  url,
  format: z.enum(['json', 'csv', 'text']).default('json'),
  list: pointer.default(''),
  address: pointer.default(''),
  column,
  next: z
    .union(
      [
        z.strictObject({ page: z.strictObject({ parameter, first: z.int().min(0).default(1) }) }),
        z.strictObject({ offset: z.strictObject({ parameter }) }),
        z.strictObject({ cursor: z.strictObject({ parameter, at: pointer }) }),
        z.strictObject({ url: z.strictObject({ at: pointer }) }),
      ],
      'must be one of {"page": …}, {"offset": …}, {"cursor": …}, {"url": …} with their settings',
    )
    .optional(),
})
type RestSource = z.output<typeof schema>

export const rest = sourceKind({
  schema,
  formats: { list: 'json', address: 'json', column: 'csv' },
  host: (source) => hostOf(source.url),
  list: readRest,
})

interface Page {
  entries: unknown[]
  document: unknown
}

/** Reads pages of addresses until the source has no more. */
async function readRest(reading: Reading, source: RestSource): Promise<void> {
  let url = new URL(source.url)
  const step = nextPage(source)
  const seen = new Set([url.href])
  for (let page = 1; ; page++) {
    const got = await withRetries(reading, () => readPage(reading, source, url))
    await reading.give(got.entries)
    const next = step(url, got)
    if (!next) return
    if (page === source.maxPages) throw new SourceError(`${url.host} has more than ${source.maxPages} pages (maxPages)`)
    if (seen.has(next.href)) throw new SourceError(`${url.host} repeats a page`)
    seen.add(next.href)
    url = next
  }
}

async function readPage(reading: Reading, source: RestSource, url: URL): Promise<Page> {
  const accept = source.format === 'json' ? 'application/json' : 'text/csv, text/plain'
  const request = {
    url: url.href,
    headers: { accept, ...source.headers },
    maxBytes: MAX_PAGE_BYTES,
    timeout: PAGE_TIMEOUT,
    signal: reading.signal,
  }
  if (source.format === 'json') {
    const answer = await readText(reading.outgoing, request)
    requireSuccess(answer)
    const document = parseJson(answer.text, url.host)
    return { entries: entriesOf(document, source, `the response of ${url.host}`), document }
  }
  const { format, column } = source
  return reading.outgoing.send(request, async (answer) => {
    requireSuccess(answer)
    const entries: string[] = []
    await readTextEntries(answer, { format, column, delimiter: ',' }, async (batch) => {
      entries.push(...batch)
    })
    return { entries, document: undefined }
  })
}

/** Returns a function that finds the next page; it returns undefined after the last one. */
function nextPage(source: RestSource): (url: URL, page: Page) => URL | undefined {
  const { next } = source
  if (next === undefined) return () => undefined
  if ('page' in next) {
    const { parameter, first } = next.page
    return (url, { entries }) => {
      const number = Number(url.searchParams.get(parameter) ?? first)
      return entries.length === 0 ? undefined : withParameter(url, parameter, String(number + 1))
    }
  }
  if ('offset' in next) {
    const { parameter } = next.offset
    return (url, { entries }) => {
      const offset = Number(url.searchParams.get(parameter) ?? 0)
      return entries.length === 0 ? undefined : withParameter(url, parameter, String(offset + entries.length))
    }
  }
  // Without this, the first page would count as the whole list.
  if (source.format !== 'json')
    throw new SourceError(`next.${Object.keys(next)[0]} is in the JSON of a page, so it needs the format json`)
  if ('cursor' in next) {
    const at = parsePointer(next.cursor.at) ?? []
    return (url, { document }) => {
      const cursor = cursorOf(valueAt(document, at))
      return cursor === undefined ? undefined : withParameter(url, next.cursor.parameter, cursor)
    }
  }
  const at = parsePointer(next.url.at) ?? []
  return (url, { document }) => {
    const link = valueAt(document, at)
    if (link === undefined || link === null || link === '') return undefined
    const target = typeof link === 'string' ? URL.parse(link, url) : null
    // The headers of the source may contain a key, so they are sent only to the host of the source.
    if (!target || target.origin !== url.origin)
      throw new SourceError(`${url.host} names a next page that is not on ${url.origin}`)
    return target
  }
}

/** A cursor as text; undefined on the last page. */
export function cursorOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '' || value === false) return undefined
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new SourceError('the cursor of the next page is neither text nor number')
}

function withParameter(url: URL, name: string, value: string): URL {
  const next = new URL(url)
  next.searchParams.set(name, value)
  return next
}
