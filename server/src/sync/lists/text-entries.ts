import { type CsvRecord, csvReader } from '../../ingest/csv.ts'
import type { OutgoingAnswer } from '../../outgoing/outgoing.ts'
import { SourceError } from '../source-error.ts'

export interface TextFormat {
  format: 'csv' | 'text'
  /** Name in the header, or position from 1 in a file without a header. */
  column: string | number
  delimiter: string
}

const BATCH = 5_000
const MAX_LINE_LENGTH = 100_000

/** Streams the entries of a CSV file or of a file with one entry per line. Returns their number. */
export async function readTextEntries(
  answer: OutgoingAnswer,
  format: TextFormat,
  give: (entries: string[]) => Promise<void>,
): Promise<number> {
  const { host } = new URL(answer.url)
  // An HTML page, such as a sign-in form or an error, would be read as a list of handles.
  if (/html/i.test(answer.headers['content-type'] ?? ''))
    throw new SourceError(`${host} returned an HTML page instead of a list`)
  const read = format.format === 'csv' ? csvEntries(format, host) : plainEntries
  let batch: string[] = []
  let total = 0
  for await (const line of linesOf(answer.body, host)) {
    for (const entry of read(line)) batch.push(entry)
    if (batch.length < BATCH) continue
    total += batch.length
    await give(batch)
    batch = []
  }
  for (const entry of read(undefined)) batch.push(entry)
  if (batch.length > 0) await give(batch)
  return total + batch.length
}

/** Reads the entries that end with a line; with undefined, those that end with the file. */
type EntryReader = (line: string | undefined) => Iterable<string>

function* plainEntries(line: string | undefined): Generator<string> {
  const entry = line?.trim() ?? ''
  if (entry !== '') yield entry
}

function csvEntries({ column, delimiter }: TextFormat, host: string): EntryReader {
  const reader = csvReader(delimiter)
  let place = typeof column === 'number' ? column - 1 : undefined
  function* entries(records: Iterable<CsvRecord>): Generator<string> {
    for (const record of records) {
      if ('problem' in record)
        throw new SourceError(`the file of ${host} is not CSV: line ${record.line}: ${record.problem}`)
      if (place !== undefined) {
        yield record.fields[place] ?? ''
        continue
      }
      place = record.fields.findIndex((name) => name.trim() === column)
      if (place < 0)
        throw new SourceError(`the file of ${host} has no column ${JSON.stringify(column)} in its first line`)
    }
  }
  return (line) => entries(line === undefined ? reader.end() : reader.push(line))
}

/** The lines of a text in UTF-8, without a byte order mark. */
async function* linesOf(body: AsyncIterable<Buffer>, host: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
    if (rest.length > MAX_LINE_LENGTH)
      throw new SourceError(`the file of ${host} has a line of more than ${MAX_LINE_LENGTH} characters`)
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
