import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CsvRecord, csvReader } from '../../src/ingest/csv.ts'

function readAll(text: string, delimiter = ','): CsvRecord[] {
  const reader = csvReader(delimiter)
  return [...text.split('\n').flatMap((line) => [...reader.push(line)]), ...reader.end()]
}

const quoted = (field: string) => `"${field.replaceAll('"', '""')}"`
const mustQuote = (field: string) => /[",\n\r]/.test(field)

describe('CSV', () => {
  test('reads everything written by RFC 4180, with the first line of each record', () => {
    const field = fc.string({ unit: fc.constantFrom('a', ' ', '"', ',', '\n', '\r', 'é', '🦊', ';') })
    const record = fc.array(fc.record({ text: field, quote: fc.boolean() }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(record, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), (records, lineEnd) => {
        // One empty field without quotes is a blank line, which the reader skips.
        const written = records.filter(([first, second]) => second || first?.text !== '' || first.quote)
        const texts = written.map((fields) =>
          fields.map(({ text, quote }) => (quote || mustQuote(text) ? quoted(text) : text)).join(','),
        )
        const read = readAll(texts.map((text) => text + lineEnd).join(''))
        expect(read.map((one) => 'fields' in one && one.fields)).toEqual(
          written.map((fields) => fields.map(({ text }) => text)),
        )
        const begins = texts.map((_, n) => texts.slice(0, n).join('\n').split('\n').length + (n > 0 ? 1 : 0))
        expect(read.map(({ line }) => line)).toEqual(begins)
      }),
      { numRuns: 500 },
    )
  })

  test('reads any text to its end and reports each line at most once', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r'), maxLength: 60 }), (text) => {
        const lines = readAll(text).map(({ line }) => line)
        expect(lines).toEqual([...new Set(lines)].toSorted((a, b) => a - b))
        expect(Math.max(0, ...lines)).toBeLessThanOrEqual(text.split('\n').length)
      }),
      { numRuns: 500 },
    )
  })

  test('skips only the line of a broken record', () => {
    const unclosed = 'a quote is not closed; write a quote inside a quoted field twice'
    expect(readAll('a,b\n1,"x"y\n2,3"\n4,"open\n5,6\n7,8')).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 2, problem: 'text follows a closing quote; write a quote inside a quoted field twice' },
      {
        line: 3,
        problem:
          'a quote is inside a field that does not begin with one; put the field into quotes and double that quote',
      },
      { line: 4, problem: unclosed },
      { line: 5, fields: ['5', '6'] },
      { line: 6, fields: ['7', '8'] },
    ])
  })

  test('continues on the next line after an unclosed quote', () => {
    const lines = ['a,"open', ...Array.from({ length: 5_000 }, (_, n) => `${n},x`)]
    const read = readAll(lines.join('\n'))
    expect(read).toHaveLength(5_001)
    expect(read[0]).toHaveProperty('problem')
    expect(read[5_000]).toEqual({ line: 5_001, fields: ['4999', 'x'] })
  })
})
