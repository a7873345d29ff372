import { csvField } from '../text/csv.ts'
import { type EntryRow, entryFields, toEntry } from './entry.ts'

interface Format {
  /** Printed before the first entry. */
  head: string
  line: (entry: EntryRow) => string
}

export const formats = {
  csv: {
    head: `${entryFields.join(',')}\n`,
    line: (row) => {
      const entry = toEntry(row)
      return `${entryFields.map((field) => csvField(entry[field])).join(',')}\n`
    },
  },
  ndjson: { head: '', line: (row) => `${JSON.stringify(toEntry(row))}\n` },
} as const satisfies Record<string, Format>

export type FormatName = keyof typeof formats
export const formatNames = Object.keys(formats) as FormatName[]

export const linesOf = (format: FormatName, entries: readonly EntryRow[]): string =>
  entries.map(formats[format].line).join('')
