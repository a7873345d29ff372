import { type Adjustments, adjustRecord, AS_WRITTEN, fieldOf } from './adjustments.ts'
import type { Fields, SourceRow } from './check.ts'
import { recordReader, unknownField } from './check.ts'
import { fault } from '../texts/faults.ts'
import { csvReader } from './csv.ts'
import { parseExactJson } from './exact-json.ts'
import { ImportRefusedError, type Problems, quoteValue } from './problems.ts'

export type Format =
  | { type: 'csv'; delimiter: string }
  | { type: 'ndjson' }
  /** One value per line, without a header. */
  | { type: 'list'; field: string }

type Batches = AsyncIterable<string[]>

/** Reads the lines of a file as values in the order of the kind's fields. Invalid lines are added to the problems. */
export function readRows(
  format: Format,
  lines: Batches,
  fields: Fields,
  problems: Problems,
  adjustments: Adjustments = AS_WRITTEN,
): AsyncIterable<SourceRow[]> {
  switch (format.type) {
    case 'csv':
      return readCsv(lines, format.delimiter, fields, problems, adjustments)
    case 'ndjson':
      return readNdjson(lines, fields, problems, adjustments)
    case 'list':
      return readList(lines, format.field, fields, adjustments)
  }
}

async function* readNdjson(
  lines: Batches,
  fields: Fields,
  problems: Problems,
  adjustments: Adjustments,
): AsyncGenerator<SourceRow[]> {
  const read = recordReader(fields, problems)
  let line = 0
  for await (const batch of lines) {
    const rows: SourceRow[] = []
    for (const text of batch) {
      line++
      if (text.trim() === '') continue
      try {
        const row = read(adjustRecord(parseExactJson(text), fields, adjustments), line)
        if (row) rows.push(row)
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
        problems.add({
          line,
          reason: `${quoteValue(text)} is not JSON (${error.message}); allowed: one JSON object per line`,
          fault: fault('not_json'),
        })
      }
    }
    yield rows
  }
}

async function* readList(
  lines: Batches,
  field: string,
  fields: Fields,
  { set }: Adjustments,
): AsyncGenerator<SourceRow[]> {
  const names = Object.keys(fields)
  const place = names.indexOf(field)
  let line = 0
  for await (const batch of lines) {
    const rows: SourceRow[] = []
    for (const text of batch) {
      line++
      const value = text.trim()
      if (value === '') continue
      const values: unknown[] = names.map((name) => set.get(name))
      values[place] = value
      rows.push({ line, values })
    }
    yield rows
  }
}

async function* readCsv(
  lines: Batches,
  delimiter: string,
  fields: Fields,
  problems: Problems,
  adjustments: Adjustments,
): AsyncGenerator<SourceRow[]> {
  const reader = csvReader(delimiter)
  const constants = Object.keys(fields).map((name) => adjustments.set.get(name))
  let places: (number | undefined)[] | undefined
  let width = 0
  let rows: SourceRow[] = []

  function take(record: ReturnType<typeof reader.push> extends Generator<infer R> ? R : never): void {
    const { line } = record
    if ('problem' in record) {
      problems.add({ line, reason: record.problem, fault: fault('not_csv') })
    } else if (!places) {
      width = record.fields.length
      places = readHeader(record.fields, line, fields, problems, adjustments)
    } else if (record.fields.length !== width) {
      problems.add({
        line,
        reason: `has ${record.fields.length} fields; allowed: ${width}, as in the header`,
        fault: fault('wrong_width', { found: record.fields.length, width }),
      })
    } else {
      rows.push({ line, values: places.map((place, i) => (place === undefined ? constants[i] : record.fields[place])) })
    }
  }

  for await (const batch of lines) {
    for (const text of batch) for (const record of reader.push(text)) take(record)
    yield rows
    rows = []
  }
  for (const record of reader.end()) take(record)
  yield rows
}

/** The position of each field in a line; undefined for fields that the file does not have. */
function readHeader(
  header: string[],
  line: number,
  fields: Fields,
  problems: Problems,
  adjustments: Adjustments,
): (number | undefined)[] {
  const { map, set, ignoreUnknown } = adjustments
  const names = header.map((name) => fieldOf(name, adjustments))
  const known = Object.keys(fields)
  names.forEach((name, place) => {
    if (!known.includes(name)) {
      if (ignoreUnknown) return
      problems.add(unknownField(line, name, known))
    } else if (set.has(name)) problems.add({ line, field: name, reason: 'is in the file; leave --set out' })
    else if (names.indexOf(name) !== place)
      problems.add({ line, field: name, reason: 'is in the header twice', fault: fault('not_unique') })
  })
  for (const name of known)
    if (!names.includes(name) && !set.has(name) && fields[name]?.fallback === undefined)
      problems.add({ line, field: name, reason: 'is missing from the header', fault: fault('missing_column') })
  for (const column of map.keys())
    if (!header.some((name) => name.trim() === column))
      problems.add({ line, field: column, reason: 'is named by --map and missing from the header' })
  // If the header is invalid, all lines are.
  if (problems.count > 0) throw new ImportRefusedError(problems.first, problems.count)
  return known.map((name) => (names.includes(name) ? names.indexOf(name) : undefined))
}
