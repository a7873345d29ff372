import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { RequestFailure } from '../../src/errors.ts'
import { fieldTable } from '../../src/features/tables.ts'
import { type Compiler, createCompiler } from '../../src/graphql/compile.ts'
import { readDocument } from '../../src/graphql/document.ts'
import type { Prepared } from '../../src/graphql/operation.ts'
import type { ObjectPlan } from '../../src/graphql/plan.ts'
import { schema } from '../../src/graphql/schema.ts'
import { writtenValues } from '../../src/graphql/written-values.ts'
import { type Known, type Operation, operation } from '../http/fuzz/documents.ts'
import { type Draw, drawn } from '../http/fuzz/draw.ts'
import { firstError } from '../support/ask.ts'
import { HOLDER_OF_BOTH, startWorld } from '../support/fixture.ts'

// Documents that differ only in the values written into them share a plan from the third one on.

const world = await startWorld()
afterAll(() => world.stop())

const SEED = Number(process.env.QUESTBOARD_FUZZ_SEED ?? Date.now() % 2 ** 31)
const known: Known = {
  texts: ['40', '500', HOLDER_OF_BOTH, 'GCactive01', 'Aurora', '', 'x'.repeat(70)],
  numbers: [1, 2, 40, 50],
}
const RARE = {
  texts: ['🦊', 'ß', '"', '\\', '#', '-1', '007', '\n'],
  numbers: [0, -1, 1_001, 2 ** 31 - 1, 2 ** 31, 1.5],
}

/** A document of the schema's grammar: right, but for one of its values now and then. */
function documentOf(draw: Draw): Operation {
  for (;;) {
    const drawnOne = operation(draw, schema, known)
    const { values } = writtenValues(drawnOne.query) ?? {}
    if (values && !isRefused(() => readDocument(drawnOne.query))) return drawnOne
  }
}

function isRefused(work: () => unknown): boolean {
  try {
    work()
    return false
  } catch {
    return true
  }
}

/** The document with other values in the same places. */
function sibling(draw: Draw, query: string): string {
  let text = ''
  let end = 0
  for (const { kind, start, end: next } of writtenValues(query)?.values ?? []) {
    const among = draw.chance(0.1) ? RARE : known
    const other = kind === 'IntValue' ? String(draw.pick(among.numbers)) : JSON.stringify(draw.pick(among.texts))
    text += query.slice(end, start) + (draw.chance(0.2) ? query.slice(start, next) : other)
    end = next
  }
  return text + query.slice(end)
}

const cases = drawn((draw) => {
  const { query, variables } = documentOf(draw)
  return { documents: [query, ...Array.from({ length: 4 }, () => sibling(draw, query))], variables }
})

/** All that a request gets from the compiler. */
function outcome(compiler: Compiler, query: string, variables: unknown): unknown {
  try {
    const { coordinates, label, prepare } = compiler.compile(query, undefined)
    const prepared = prepare((typeof variables === 'object' ? (variables ?? {}) : {}) as Record<string, unknown>)
    return { coordinates: [...coordinates].sort(), label, fields: fieldsOf(prepared.plan, prepared) }
  } catch (error) {
    if (error instanceof RequestFailure)
      return error.errors.map(({ code, message, details, locations }) => ({ code, message, details, locations }))
    return error
  }
}

function fieldsOf(plan: ObjectPlan, prepared: Prepared): unknown {
  return plan.fields.map((field) => ({
    key: field.key,
    coordinate: field.coordinate,
    at: field.nodes.map(prepared.locate),
    args: argumentsOf(field.args, prepared),
    below: field.below && fieldsOf(field.below, prepared),
  }))
}

function argumentsOf(args: ObjectPlan['fields'][number]['args'], { variables }: Prepared): unknown {
  try {
    return JSON.stringify(typeof args === 'function' ? args(variables) : args)
  } catch (error) {
    return String(error)
  }
}

test(`a document means the same whatever documents of its shape came before (seed ${SEED})`, () => {
  let served = 0
  fc.assert(
    fc.property(cases, ({ documents: [first = '', second = '', ...others], variables }) => {
      const compiler = createCompiler(fieldTable)
      outcome(compiler, first, variables)
      outcome(compiler, second, variables)
      for (const query of others) {
        expect(outcome(compiler, query, variables)).toEqual(outcome(createCompiler(fieldTable), query, variables))
        if (isServed(compiler, query)) served++
      }
    }),
    { seed: SEED, numRuns: 100, endOnFailure: true },
  )
  expect(served).toBeGreaterThan(0)
})

/** What is compiled for a document alone is the same the next time. */
function isServed(compiler: Compiler, query: string): boolean {
  return !isRefused(() => expect(compiler.compile(query, undefined)).not.toBe(compiler.compile(query, undefined)))
}

test.each([
  ['a string with an escape', String.raw`{ credential(id: "5\u003000") { id } }`],
  ['a block string', '{ credential(id: """500""") { id } }'],
  ['a number with a fraction', '{ credential(id: 5.5) { id } }'],
  ['a number that runs into a name', '{ space(id: 40x) { id } }'],
  ['a string that is not closed', '{ credential(id: "500) { id } }'],
  ['the mark itself', '{ credential(id: \0"500") { id } }'],
])('%s is left to the parser', (_, query) => {
  expect(writtenValues(query)).toBeUndefined()
})

test('names and comments hold no values', () => {
  const { values = [] } =
    writtenValues('query Q1 { a1: space(id: 40) { id } # "no" 41\n c: credential(id: "") { id } }') ?? {}
  expect(values.map(({ kind, value }) => `${kind} ${value}`)).toEqual(['IntValue 40', 'StringValue '])
})

// The first two teach the shape.
test.each([
  [
    'whether two fields of one key can be merged',
    ['{ space(id: 40) { name } space(id: 40) { id } }', '{ space(id: 41) { name } space(id: 41) { id } }'],
    '{ space(id: 40) { name } space(id: 41) { id } }',
    /conflict/,
  ],
  [
    'the default of a variable',
    [1, 2].map(
      (first) => `query ($n: Int = ${first}) { space(id: 40) { loyaltyPointsRanks(first: $n) { totalCount } } }`,
    ),
    'query ($n: Int = 3) { space(id: 40) { loyaltyPointsRanks(first: $n) { totalCount } } }',
    /first\\*":3/,
  ],
  [
    'a value of another type',
    ['{ space(id: 40) { name } }', '{ space(id: 41) { name } }'],
    '{ space(id: 1.5) { name } }',
    /INVALID_ARGUMENT/,
  ],
])('%s is judged in each document', (_, taught, query, expected) => {
  const compiler = createCompiler(fieldTable)
  for (const each of taught) outcome(compiler, each, {})
  expect(JSON.stringify(outcome(compiler, query, {}))).toMatch(expected)
  expect(outcome(compiler, query, {})).toEqual(outcome(createCompiler(fieldTable), query, {}))
})

test('what a document asks about the schema is what it says', async () => {
  for (const name of ['Quest', 'Space', 'Credential', 'Starboard'])
    expect((await world.ask(`{ __type(name: "${name}") { name } }`)).data).toEqual({ __type: { name } })
})

test('answers, errors and their places are those of the document that was sent', async () => {
  const written = (space: number, credential: string, address: string) =>
    `query ($first: Int = 3) {
      space(id: ${space}) { name loyaltyPointsRanks(first: $first) { list { points } } } credential(id: "${credential}") {
        name eligible(address: "${address}")
      }
    }`
  const ask = (...values: Parameters<typeof written>) => world.ask(written(...values))
  const compiler = createCompiler(fieldTable)
  for (const space of [1, 2]) outcome(compiler, written(space, '', ''), {})
  expect(isServed(compiler, written(40, '500', HOLDER_OF_BOTH))).toBe(true)
  const right = {
    space: { name: 'Aurora Guild', loyaltyPointsRanks: { list: expect.any(Array) as unknown } },
    credential: { name: 'Genesis holder', eligible: expect.any(Number) as unknown },
  }
  for (const end of ['0', '1', '2', '3']) {
    const { data, errors } = await ask(40, '500', `0x${end.repeat(40)}`)
    expect({ data, errors }).toEqual({ data: right, errors: undefined })
  }
  const holder = await ask(40, '500', HOLDER_OF_BOTH)
  expect(holder.data).toMatchObject({ credential: { eligible: 1 } })
  const nowhere = [123_456_789, '1', `0x${'4'.repeat(40)}`] as const
  const column = (written(...nowhere).split('\n')[1] ?? '').indexOf('credential') + 1
  const unknown = await ask(...nowhere)
  expect(unknown.data).toEqual({ space: null, credential: null })
  expect(unknown.errors?.map(({ message, locations }) => [message, locations])).toEqual([
    ['Space not found', [{ line: 2, column: 7 }]],
    ['Credential not found', [{ line: 2, column }]],
  ])
  const malformed = await ask(40, '500', '0xnonsense')
  expect(firstError(malformed)).toMatch(/Invalid address/)
  expect(malformed.errors?.[0]?.locations).toEqual([{ line: 3, column: 14 }])
  expect(firstError(await ask(2 ** 31, '500', 'x'))).toBe('NOT_FOUND 404 Space not found')
})
