import fc from 'fast-check'
import { type Draw, edited, NOISE } from './draw.ts'

export type Schema = Readonly<Record<string, unknown>>

/** Values that a route may accept, by the name of the field or parameter. */
export type Plausible = Readonly<Record<string, readonly unknown[]>>

/** An object that String(), Number() and templates cannot convert. */
export const UNPRINTABLE = { toString: null, valueOf: null, toJSON: null, constructor: null, length: -1, then: null }

export const anyJson = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  fc.constantFrom<unknown>(UNPRINTABLE, { toString: false }, { valueOf: { toString: false } }),
)

const TIMES = ['2026-11-21T12:00:00Z', '2026-12-31T23:59:59.999+14:00', '2024-02-29T00:00:00Z', '9999-12-31T23:59:59Z']
const TEXTS = ['a', 'A name', 'Zoë 🦊', '40', '1', 'x'.repeat(100)]
const UUIDS = ['00000000-0000-4000-8000-0000000000ff', 'ABCDEFAB-0000-4000-8000-0000000000ff']

/** A value that usually follows the JSON Schema. */
export function valueOf(draw: Draw, schema: Schema, plausible: Plausible, name = ''): unknown {
  const known = Object.hasOwn(plausible, name) ? plausible[name] : undefined
  if (known && draw.chance(0.85)) return draw.pick(known)
  const { const: only, enum: among, anyOf, oneOf, examples } = schema as Record<string, unknown[] | undefined>
  if (only !== undefined) return only
  if (among) return draw.pick(among)
  const alternatives = (anyOf ?? oneOf) as Schema[] | undefined
  if (alternatives) return valueOf(draw, draw.pick(alternatives), plausible, name)
  if (examples && draw.chance(0.8)) return draw.pick(examples)
  switch (Array.isArray(schema['type']) ? draw.pick(schema['type'] as string[]) : schema['type']) {
    case 'object':
      return objectOf(draw, schema, plausible)
    case 'array':
      return listOf(draw, schema, plausible, name)
    case 'string':
      return textOf(draw, schema)
    case 'integer':
      return Math.trunc(numberOf(draw, schema))
    case 'number':
      return numberOf(draw, schema)
    case 'boolean':
      return draw.chance(0.5)
    case 'null':
      return null
    default:
      return draw.chance(0.5) ? draw.pick(TEXTS) : draw.from(anyJson)
  }
}

function objectOf(draw: Draw, schema: Schema, plausible: Plausible): object {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>
  const required = (schema['required'] ?? []) as string[]
  const density = draw.pick([0.1, 0.5, 0.9])
  const named = Object.entries(properties).filter(([name]) => required.includes(name) || draw.chance(density))
  const members = named.map(([name, property]) => [name, valueOf(draw, property, plausible, name)])
  const others = schema['additionalProperties']
  if (typeof others === 'object' && draw.chance(0.5))
    members.push([draw.pick(TEXTS), valueOf(draw, others as Schema, plausible)])
  return Object.fromEntries(members) as object
}

function listOf(draw: Draw, schema: Schema, plausible: Plausible, name: string): unknown[] {
  const { minItems: least = 0, maxItems: most = 3, items = {} } = schema as Record<string, unknown>
  const count = Math.min(Number(least) + draw.upTo(2), Number(most))
  // The items of `spaceIds` are values of `spaceId`.
  return Array.from({ length: count }, () => valueOf(draw, items as Schema, plausible, name.replace(/s$/, '')))
}

function textOf(draw: Draw, { format, pattern, minLength = 0, maxLength = Infinity }: Schema): string {
  if (format === 'date-time') return draw.pick(TIMES)
  if (format === 'uuid') return draw.pick(UUIDS)
  if (typeof pattern === 'string') {
    const shape = new RegExp(pattern, 'u')
    const matching = TEXTS.filter((text) => shape.test(text))
    return matching.length > 0 && draw.chance(0.8) ? draw.pick(matching) : draw.from(fc.stringMatching(shape))
  }
  const allowed = TEXTS.filter(({ length }) => length >= Number(minLength) && length <= Number(maxLength))
  return draw.pick(allowed.length > 0 ? allowed : ['x'.repeat(Number(minLength))])
}

function numberOf(draw: Draw, { minimum = -(2 ** 53), maximum = 2 ** 53, exclusiveMinimum }: Schema): number {
  const least = typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : Number(minimum)
  const among = [0, 1, 2, 10, 40, 43, 500, 1000].filter((number) => number >= least && number <= Number(maximum))
  return draw.pick(draw.chance(0.8) && among.length > 0 ? among : [least, Number(maximum)])
}

/** Tokens of JSON that JSON.stringify does not write; `faulty` puts them in place of a value. */
const TOKENS = [
  ...['1e999', '-1e999', '1e-999', '-0', '123456789012345678901234567890', '0.1000000000000000055511151231257827'],
  ...['NaN', 'undefined', '01', "'a'", '"\\ud800"', '"\\u0000"', '"\\udfff\\ud800"', '"\u0000"', '{"a":1,"a":2}'],
  ...[`${'['.repeat(2000)}${']'.repeat(2000)}`, `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`, '{"__proto__":{"a":1}}'],
  ...[`"${'\\u2028'.repeat(2000)}"`, `[${'1,'.repeat(3000)}1]`, '{"toString":false}', '[{"toString":false}]'],
]
const MARK = '\ue000'
const MARKED = new RegExp(`"${MARK}(\\d+)"`, 'g')

type Place = { within: Record<string, unknown>; key: string }

/** The JSON of the value with one or two fields replaced, removed, renamed, wrapped or added. */
export function faulty(draw: Draw, value: unknown): string {
  const root: Record<string, unknown> = { value: structuredClone(value) }
  for (let count = 1 + draw.upTo(1); count > 0; count--) {
    const places = placesIn(root)
    if (places.length > 0) spoil(draw, draw.pick(places))
  }
  const text = JSON.stringify(root['value']) ?? ''
  return text.replaceAll(MARKED, (_, index) => TOKENS[Number(index)] ?? '')
}

function placesIn(within: object): Place[] {
  return Object.entries(within).flatMap(([key, member]: [string, unknown]) => [
    { within: within as Record<string, unknown>, key },
    ...(typeof member === 'object' && member !== null ? placesIn(member) : []),
  ])
}

function spoil(draw: Draw, { within, key }: Place): void {
  const old = within[key]
  switch (draw.upTo(9)) {
    case 0:
      delete within[key]
      return
    case 1:
      within[key] = draw.chance(0.5) ? [old] : { value: old }
      return
    case 2:
      within[draw.pick(['unknown', 'constructor', 'toString', key + ' ', '\0', 'x'.repeat(3000)])] = old
      return
    case 3:
      within[key] = typeof old === 'string' ? edited(draw, old) : String(JSON.stringify(old))
      return
    case 4:
      // A copy, because the next mistake may be in it.
      within[key] = structuredClone(draw.from(anyJson))
      return
    case 5:
      within[key] = draw.pick<unknown>([
        null,
        true,
        0,
        -1,
        1.5,
        1e300,
        2 ** 31,
        2 ** 53,
        2 ** 63,
        -(2 ** 31) - 1,
        [],
        {},
      ])
      return
    case 6:
    case 7:
      within[key] = `${MARK}${draw.upTo(TOKENS.length - 1)}`
      return
    default:
      within[key] = draw.pick(NOISE)
  }
}
