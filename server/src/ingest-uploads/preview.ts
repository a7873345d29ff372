import { constants, gunzipSync } from 'node:zlib'
import { AS_WRITTEN } from '../ingest/adjustments.ts'
import { csvReader } from '../ingest/csv.ts'
import { anyField, DELIMITERS, detect } from '../ingest/detect.ts'
import type { KindName } from '../ingest/kinds.ts'
import { kinds } from '../ingest/kinds.ts'
import type { Format } from '../ingest/read-rows.ts'
import { ImportFileError } from '../ingest/source.ts'
import { shorten } from './storable-text.ts'

/** The kind, columns and first rows of a file, as far as they were detected. */
export interface Preview {
  /** Null if no kind was detected. */
  kind: KindName | null
  format: Format['type'] | null
  columns: { name: string; /** Whether it is a field of the kind. */ known: boolean }[]
  rows: { line: number; values: string[] }[]
  /** From the check of a file of points: new members whose name does not look like an address. */
  newNames?: { count: number; examples: string[] }
}

const MAX_ROWS = 10
const MAX_COLUMNS = 60
/** Bytes to read. A gzip file can expand a thousand times, so less of it is read. */
const HEAD = 256 * 1024
const GZIP_HEAD = 16 * 1024

/** Reads the first rows of a file. Faults are left to the check, which reads the whole file. */
export function previewOf(
  start: Buffer,
  { fileName, kind, ofHolders }: { fileName: string; kind: KindName | undefined; ofHolders: boolean },
): Preview {
  const lines = firstLines(start)
  const firstLine = lines.find((line) => line.trim() !== '')
  const asText = () => numbered(lines).map(({ line, text }) => ({ line, values: [shorten(text)] }))
  if (firstLine === undefined) return { kind: null, format: null, columns: [], rows: [] }
  try {
    const found = detect(fileName, firstLine, kind ?? (ofHolders ? 'holders' : undefined), AS_WRITTEN)
    return { kind: found.kind, format: found.format.type, ...tableOf(found.format, found.kind, lines) }
  } catch (error) {
    if (!(error instanceof ImportFileError)) throw error
    return { kind: null, format: null, ...(unknownTable(lines, firstLine) ?? { columns: [], rows: asText() }) }
  }
}

/** The columns of a file without a kind, such as one with `;` and own names; undefined if it has one column. */
function unknownTable(lines: readonly string[], firstLine: string): Pick<Preview, 'columns' | 'rows'> | undefined {
  if (/^\s*[[{]/.test(firstLine)) return undefined
  // The most frequent one, because the name of a column can contain another separator.
  const countOf = (delimiter: string) => firstLine.split(delimiter).length - 1
  const [delimiter = ''] = DELIMITERS.toSorted((a, b) => countOf(b) - countOf(a))
  return countOf(delimiter) === 0 ? undefined : csvTable(delimiter, anyField, lines)
}

function tableOf(format: Format, kind: KindName, lines: readonly string[]): Pick<Preview, 'columns' | 'rows'> {
  const { fields } = kinds[kind]
  const column = (name: string) => ({ name: shorten(name), known: Object.hasOwn(fields, name.trim()) })
  const shown = (values: readonly unknown[]) => values.slice(0, MAX_COLUMNS).map(shorten)
  if (format.type === 'list')
    return {
      columns: [column(format.field)],
      rows: numbered(lines).map(({ line, text }) => ({ line, values: [shorten(text)] })),
    }
  if (format.type === 'ndjson') {
    const records = numbered(lines).flatMap(({ line, text }) => {
      const record = parse(text)
      return record ? [{ line, record }] : []
    })
    const names = [...new Set(records.flatMap(({ record }) => Object.keys(record)))].slice(0, MAX_COLUMNS)
    return {
      columns: names.map(column),
      rows: records.map(({ line, record }) => ({ line, values: shown(names.map((name) => record[name])) })),
    }
  }
  return csvTable(format.delimiter, (name) => Object.hasOwn(fields, name.trim()), lines)
}

function csvTable(
  delimiter: string,
  isKnown: (name: string) => boolean,
  lines: readonly string[],
): Pick<Preview, 'columns' | 'rows'> {
  const reader = csvReader(delimiter)
  const records = lines.flatMap((text) => [...reader.push(text)])
  const [header, ...rest] = records.flatMap((record) => ('fields' in record ? [record] : []))
  return {
    columns: (header?.fields ?? [])
      .slice(0, MAX_COLUMNS)
      .map((name) => ({ name: shorten(name), known: isKnown(name) })),
    rows: rest
      .slice(0, MAX_ROWS)
      .map(({ line, fields: values }) => ({ line, values: values.slice(0, MAX_COLUMNS).map(shorten) })),
  }
}

function firstLines(start: Buffer): string[] {
  const isGzip = start[0] === 0x1f && start[1] === 0x8b
  const head = isGzip ? unzip(start.subarray(0, GZIP_HEAD)) : start
  const text = new TextDecoder().decode(head.subarray(0, HEAD))
  const lines = text.split('\n')
  // The last line may be cut off.
  return lines.length > 1 && (isGzip || start.length > HEAD) ? lines.slice(0, -1) : lines
}

function unzip(head: Buffer): Buffer {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    return Buffer.alloc(0) // the check reports that the file is damaged
  }
}

function numbered(lines: readonly string[]): { line: number; text: string }[] {
  return lines
    .map((text, place) => ({ line: place + 1, text: text.trimEnd() }))
    .filter(({ text }) => text.trim() !== '')
    .slice(0, MAX_ROWS)
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
