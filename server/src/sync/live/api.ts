import { wrongFormat } from '../../texts/faults.ts'
import { z } from 'zod'
import { readText } from '../../outgoing/read.ts'
import { parsePointer, valueAt } from '../json-pointer.ts'
import { parseJson } from '../lists/json-entries.ts'
import type { SourceContext } from '../reading.ts'
import { requireSuccess, SourceError } from '../source-error.ts'
import { hostOf, sourceKind } from '../source-kind.ts'
import { headers, live, pointer } from '../source-settings.ts'

const schema = z.strictObject({
  ...live,
  kind: z.literal('API'),
  /** `{address}` is replaced with the requested address. */
  url: z
    .string()
    .max(2_000)
    .refine((text) => text.includes('{address}'), {
      error: 'must contain {address}',
      params: wrongFormat('url_with_address'),
    })
    .refine((text) => URL.canParse(text) && !/^[^/]*\/\/[^/?#]*\{address\}/.test(text), {
      error: 'must be a URL whose host is fixed',
      params: wrongFormat('url_with_address'),
    }),
  headers,
  /** A pointer to the true or false in the response. */
  result: pointer.default(''),
})

const MAX_ANSWER_BYTES = 1024 * 1024

export const api = sourceKind({ schema, host: ({ url }) => hostOf(url), check: checkApi })

async function checkApi(context: SourceContext, source: z.output<typeof schema>, address: string): Promise<boolean> {
  // Either value would change another part of the URL.
  if (address === '.' || address === '..') return false
  const answer = await readText(context.outgoing, {
    url: source.url.replaceAll('{address}', encodeURIComponent(address)),
    headers: { accept: 'application/json', ...source.headers },
    maxBytes: MAX_ANSWER_BYTES,
    timeout: source.timeoutMilliseconds,
    signal: context.signal,
  })
  requireSuccess(answer)
  const { host } = new URL(answer.url)
  const value = valueAt(parseJson(answer.text, host), parsePointer(source.result) ?? [])
  if (value === true || value === 1) return true
  if (value === false || value === 0) return false
  throw new SourceError(`${host} returned neither true nor false at ${JSON.stringify(source.result)}`)
}
