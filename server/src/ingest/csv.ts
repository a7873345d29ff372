/** A record of a CSV file (RFC 4180) with the number of the line on which it begins, or what is wrong with it. */
export type CsvRecord = { line: number; fields: string[] } | { line: number; problem: string }

/** A record may go over this many lines; after that its open quote counts as one that nobody closes. */
const MOST_LINES = 1_000

/**
 * Reads CSV line by line. A record that is broken costs only its own line: reading goes on with the next one, so that
 * every bad line of a file can be told. Blank lines are left out.
 */
export function csvReader(delimiter: string) {
  let line = 0
  /** The lines of a record with a quote that is still open. */
  let open: string[] = []

  function* push(text: string): Generator<CsvRecord> {
    line++
    if (open.length > 0) {
      open.push(text)
      if (text.includes('"') || open.length > MOST_LINES) yield* settle(open.length > MOST_LINES)
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
    /** Takes the next physical line. */
    push,
    /** Says that there is no further line. */
    *end(): Generator<CsvRecord> {
      while (open.length > 0) yield* settle(true)
    },
  }
}

const UNCLOSED = 'a quote is opened and never closed; a quote inside a quoted field is written twice'
const INSIDE =
  'a quote stands inside a field that does not begin with one; put the field into quotes and double that quote'
const AFTER = 'text follows a closing quote; a quote inside a quoted field is written twice'

/** The fields of one record, or what is wrong with it. */
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
