/** A record of a CSV file (RFC 4180) with the number of its first line, or its problem. */
export type CsvRecord = { line: number; fields: string[] } | { line: number; problem: string }

/** The maximum number of lines in a record; a quote that is open longer counts as unclosed. */
const MAX_RECORD_LINES = 1_000

/**
 * Reads CSV line by line. After an invalid record, reading continues at the next line, so that all invalid lines of a
 * file are reported. Blank lines are skipped.
 */
export function csvReader(delimiter: string) {
  let line = 0
  /** The lines of a record whose quote is still open. */
  let open: string[] = []

  function* push(text: string): Generator<CsvRecord> {
    line++
    if (open.length > 0) {
      open.push(text)
      if (text.includes('"') || open.length > MAX_RECORD_LINES) yield* settle(open.length > MAX_RECORD_LINES)
      return
    }
    const bare = text.endsWith('\r') ? text.slice(0, -1) : text
    if (bare === '') return
    const fields = bare.includes('"') ? parseRecord(bare, delimiter) : bare.split(delimiter)
    if (fields === UNCLOSED) open = [text]
    else yield typeof fields === 'string' ? { line, problem: fields } : { line, fields }
  }

  function* settle(force: boolean): Generator<CsvRecord> {
    const record = open.join('\n')
    const fields = parseRecord(record.endsWith('\r') ? record.slice(0, -1) : record, delimiter)
    if (fields === UNCLOSED && !force) return
    const [, ...others] = open
    const begin = line - others.length
    open = []
    if (typeof fields !== 'string') {
      yield { line: begin, fields }
      return
    }
    yield { line: begin, problem: fields }
    line = begin
    for (const other of others) yield* push(other)
  }

  return {
    /** Adds a physical line. */
    push,
    *end(): Generator<CsvRecord> {
      while (open.length > 0) yield* settle(true)
    },
  }
}

const UNCLOSED = 'a quote is not closed; write a quote inside a quoted field twice'
const INSIDE = 'a quote is inside a field that does not begin with one; put the field into quotes and double that quote'
const AFTER = 'text follows a closing quote; write a quote inside a quoted field twice'

/** Returns the fields of a record, or its problem. */
function parseRecord(record: string, delimiter: string): string[] | string {
  const fields: string[] = []
  for (let at = 0; ;) {
    if (record[at] !== '"') {
      const end = record.indexOf(delimiter, at)
      const field = end < 0 ? record.slice(at) : record.slice(at, end)
      if (field.includes('"')) return INSIDE
      fields.push(field)
      if (end < 0) return fields
      at = end + 1
      continue
    }
    let close = record.indexOf('"', at + 1)
    while (close >= 0 && record[close + 1] === '"') close = record.indexOf('"', close + 2)
    if (close < 0) return UNCLOSED
    fields.push(record.slice(at + 1, close).replaceAll('""', '"'))
    if (close + 1 === record.length) return fields
    if (record[close + 1] !== delimiter) return AFTER
    at = close + 2
  }
}
