import { HOUR } from '../../clock.ts'
import type { Reading } from '../reading.ts'
import { requireSuccess } from '../source-error.ts'
import type { CsvSource } from '../source.ts'
import { readTextEntries } from './text-entries.ts'

/** Ten million addresses of 42 characters are 430 MB. */
const MAX_FILE_BYTES = 4 * 1024 ** 3
const FILE_TIMEOUT = HOUR

/** Reads a whole file from a URL. */
export async function readCsv(reading: Reading, source: CsvSource): Promise<void> {
  const { url, headers, signal } = { ...source, ...reading }
  await reading.outgoing.send(
    { url, ...(headers ? { headers } : {}), maxBytes: MAX_FILE_BYTES, timeout: FILE_TIMEOUT, signal },
    async (answer) => {
      requireSuccess(answer)
      await readTextEntries(answer, source, (entries) => reading.give(entries))
    },
  )
}
