import { expect, test } from 'vitest'
import { refusalOf, rowEncoder } from '../../src/ingest/check.ts'
import { bigId, decimal, flag, integer, NOW, optional, text, time } from '../../src/ingest/fields.ts'
import { Problems } from '../../src/ingest/problems.ts'

test.each([
  ['2026-11-21T12:00:00Z', '2026-11-21T12:00:00.000Z'],
  ['2026-11-21t12:00:00.123456z', '2026-11-21T12:00:00.123Z'],
  ['2026-11-21T12:00:00+05:30', '2026-11-21T06:30:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['1795262400', '2026-11-21T12:00:00.000Z'],
  [1795262400, '2026-11-21T12:00:00.000Z'],
  [1795262400.5, '2026-11-21T12:00:00.500Z'],
  [0, '1970-01-01T00:00:00.000Z'],
  [new Date('2040-01-01T00:00:00Z'), '2040-01-01T00:00:00.000Z'],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-11-31T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-11-21T24:00:00Z', undefined],
  ['2026-11-21T12:00:00', undefined],
  ['2026-11-21', undefined],
  ['21.11.2026', undefined],
  ['1969-12-31T23:59:59Z', undefined],
  ['1795262400000', undefined],
  [1795262400000, undefined],
  [-1, undefined],
  [Number.NaN, undefined],
  [new Date(Number.NaN), undefined],
  [true, undefined],
])('reads the time %s as %s', (value, expected) => {
  expect(time('at').read(value)).toBe(expected)
})

test.each([
  ['0', '0'],
  ['007', '7'],
  ['9223372036854775807', '9223372036854775807'],
  [9223372036854775807n, '9223372036854775807'],
  [312969464, '312969464'],
  ['9223372036854775808', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['1.0', undefined],
  [2 ** 53, undefined],
  [1.5, undefined],
  ['12345678901234567890', undefined],
])('reads the id %s as %s, without rounding', (value, expected) => {
  expect(bigId('id').read(value)).toBe(expected)
})

test.each([
  ['12', '12'],
  ['-12', '-12'],
  [12, '12'],
  [12n, undefined],
  ['1_000', undefined],
  ['1,000', undefined],
  [' 12', undefined],
  ['0x10', undefined],
  [12.5, undefined],
  ['101', undefined],
  ['-101', undefined],
  [[], undefined],
])('reads the whole number %s as %s', (value, expected) => {
  expect(integer('n', -100, 100).read(value)).toBe(expected)
})

test.each([
  ['812.5', '812.5'],
  [0.1, '0.1'],
  [1e-7, '1e-7'],
  ['99999999999999', '99999999999999'],
  ['99999999999999.9999999', undefined],
  [1e14, undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['', undefined],
])('reads the decimal %s as %s', (value, expected) => {
  expect(decimal('n').read(value)).toBe(expected)
})

test('counts the characters of a text, and escapes or rejects it', () => {
  const name = text('name', 3)
  expect(name.read('🦊🦊🦊')).toBe('🦊🦊🦊')
  expect(name.read('🦊🦊🦊🦊')).toBeUndefined()
  expect(name.read('a\tb')).toBe(String.raw`a\tb`)
  expect(name.read('\\N')).toBe(String.raw`\\N`)
  for (const bad of ['a\0', '\uD800', 'a\uFFFD', 7, true, {}]) expect(name.read(bad)).toBeUndefined()
})

test('accepts only true and false as a flag', () => {
  const read = (value: unknown) => flag('is').read(value)
  expect([true, 'true', false, 'false'].map(read)).toEqual(['true', 'true', 'false', 'false'])
  for (const bad of ['yes', 1, '1', 'TRUE']) expect(read(bad)).toBeUndefined()
})

test('encodes a row with its line number and a bit mask of the present fields', () => {
  const fields = { id: bigId('id'), name: text('name', 10, optional), at: time('at', { fallback: NOW }) }
  const problems = new Problems()
  const encode = rowEncoder(fields, Date.parse('2026-11-21T12:00:00Z'), problems)
  const now = '2026-11-21T12:00:00.000Z'
  expect(encode({ line: 7, values: ['1', 'x', 0] })).toBe('7\t7\t1\tx\t1970-01-01T00:00:00.000Z\n')
  expect(encode({ line: 8, values: ['1', undefined, undefined] })).toBe(`8\t1\t1\t\\N\t${now}\n`)
  // An empty value sets the default. The time of the import does not replace a stored time.
  expect(encode({ line: 9, values: ['1', '', null] })).toBe(`9\t3\t1\t\\N\t${now}\n`)
  expect(problems.count).toBe(0)
  expect(encode({ line: 10, values: ['x', 'x'.repeat(11), 'never'] })).toBeUndefined()
  expect(problems.first.map(({ line, field }) => `${line} ${field}`)).toEqual(['10 id', '10 name', '10 at'])
})

test.each([
  ['twenty', { code: 'wrong_type', parameters: { expected: 'whole_number' } }],
  [1.5, { code: 'wrong_type', parameters: { expected: 'whole_number' } }],
  [true, { code: 'wrong_type', parameters: { expected: 'whole_number' } }],
  [{ toString: null }, { code: 'wrong_type', parameters: { expected: 'whole_number' } }],
  ['101', { code: 'out_of_range', parameters: { min: 0, max: 100 } }],
  [-1, { code: 'out_of_range', parameters: { min: 0, max: 100 } }],
])('distinguishes %j from a whole number out of range', (value, fault) => {
  expect(refusalOf(integer('points', 0, 100), value).fault).toEqual(fault)
})
