import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type CsvError, parse } from 'csv-parse'
import type { OutgoingAnswer } from '../../outgoing/outgoing.ts'
import { SourceError } from '../source-error.ts'

export interface TextFormat {
  format: 'csv' | 'text'
  /** Name in the first line, or place from 1 in a file without such a line. */
  column: string | number
  delimiter: string
}

const BATCH = 5_000
const LONGEST_LINE = 100_000

/** Hands on the entries of a CSV file, or of one with an entry a line, as it arrives. Answers how many there were. */
export async function readTextEntries(
  answer: OutgoingAnswer,
  format: TextFormat,
  give: (entries: string[]) => Promise<void>,
): Promise<number> {
  const { host } = new URL(answer.url)
  // A page for people (a sign-in form, an error) would pass as a list of handles.
  if (/html/i.test(answer.headers['content-type'] ?? ''))
    throw new SourceError(`${host} answered with a web page instead of a list`)
  const parser = parse({
    bom: true,
    delimiter: format.format === 'csv' ? format.delimiter : '\0',
    quote: format.format === 'csv' ? '"' : false,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_LINE,
  })
  // What fails here destroys the parser with the same error, and the loop throws it.
  const fed = pipeline(Readable.from(answer.body), parser).catch(() => {})
  let place = format.format === 'text' ? 0 : typeof format.column === 'number' ? format.column - 1 : undefined
  let batch: string[] = []
  let total = 0
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      if (place === undefined) {
        place = record.findIndex((name) => name.trim() === format.column)
        if (place < 0)
          throw new SourceError(`the file of ${host} has no column ${JSON.stringify(format.column)} in its first line`)
        continue
      }
      batch.push(record[place] ?? '')
      total++
      if (batch.length === BATCH) {
        await give(batch)
        batch = []
      }
    }
  } catch (error) {
    const { code } = error as CsvError
    if (typeof code === 'string' && code.startsWith('CSV_'))
      throw new SourceError(`the file of ${host} is no ${format.format} file: ${(error as Error).message}`, {
        cause: error,
      })
    throw error
  }
  await fed
  if (batch.length > 0) await give(batch)
  return total
}
