import { z } from 'zod'
import { HOUR } from '../../clock.ts'
import type { Reading } from '../reading.ts'
import { requireSuccess } from '../source-error.ts'
import { hostOf, sourceKind } from '../source-kind.ts'
import { column, headers, listed, url } from '../source-settings.ts'
import { readTextEntries } from './text-entries.ts'

const schema = z.strictObject({
  ...listed,
  kind: z.literal('CSV'),
  url,
  headers,
  /** `text` has one address per line. */
  format: z.enum(['csv', 'text']).default('csv'),
  column,
  delimiter: z.string().length(1).default(','),
})

export const csv = sourceKind({
  schema,
  formats: { column: 'csv', delimiter: 'csv' },
  host: (source) => hostOf(source.url),
  list: readCsv,
})

/** Ten million addresses of 42 characters are 430 MB. */
const MAX_FILE_BYTES = 4 * 1024 ** 3
const FILE_TIMEOUT = HOUR

/** Reads a whole file from a URL. */
async function readCsv(reading: Reading, source: z.output<typeof schema>): Promise<void> {
  const { url, headers, signal } = { ...source, ...reading }
  await reading.outgoing.send(
    { url, ...(headers ? { headers } : {}), maxBytes: MAX_FILE_BYTES, timeout: FILE_TIMEOUT, signal },
    async (answer) => {
      requireSuccess(answer)
      await readTextEntries(answer, source, (entries) => reading.give(entries))
    },
  )
}
