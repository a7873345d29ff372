import { afterAll, expect, test } from 'vitest'
import { getIntrospectionQuery } from 'graphql'
import { MAX_ALIASES, MAX_COST, MAX_DEPTH, MAX_FIELDS, MAX_TOKENS } from '../../src/graphql/limits.ts'
import { firstError } from '../support/ask.ts'
import { startWorld } from '../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

const many = (count: number, each: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => each(i)).join(' ')
const nested = (depth: number) => `${'{ a '.repeat(depth)}${'}'.repeat(depth)}`
const limitOf = async (query: string, variables?: Record<string, unknown>) => {
  const answer = await world.ask(query, variables)
  return { error: firstError(answer), status: answer.status, details: answer.errors?.[0]?.extensions.details }
}

test('rejects a document that is nested too deeply, with the limit and the actual depth', async () => {
  expect(await limitOf(nested(MAX_DEPTH + 1))).toMatchObject({
    status: 400,
    error: 'DEPTH_LIMIT_EXCEEDED 400 The document is nested too deeply',
    details: [`limit: ${MAX_DEPTH}`, `actual: ${MAX_DEPTH + 1}`],
  })
  expect((await limitOf(nested(MAX_DEPTH))).error).not.toMatch(/DEPTH/)
})

test('counts the depth of fragments', async () => {
  const fragments = many(20, (i) => `fragment F${i} on Query { a { ...F${i + 1} } }`)
  expect((await limitOf(`{ ...F0 } ${fragments} fragment F20 on Query { a }`)).error).toMatch(/^DEPTH_LIMIT_EXCEEDED/)
})

test('rejects a document with too many aliases', async () => {
  expect(await limitOf(`{ ${many(MAX_ALIASES + 1, (i) => `a${i}: __typename`)} }`)).toMatchObject({
    status: 400,
    error: 'COMPLEXITY_LIMIT_EXCEEDED 400 The document asks for too much: too many aliases',
    details: [`limit: ${MAX_ALIASES}`, `actual: ${MAX_ALIASES + 1}`],
  })
  expect((await limitOf(`{ ${many(MAX_ALIASES, (i) => `a${i}: __typename`)} }`)).status).toBe(200)
})

test('rejects a document with too many tokens', async () => {
  expect(await limitOf(`{ ${'__typename '.repeat(MAX_TOKENS)} }`)).toMatchObject({
    error: 'COMPLEXITY_LIMIT_EXCEEDED 400 The document asks for too much: too many tokens',
    details: [`limit: ${MAX_TOKENS}`, `actual: ${MAX_TOKENS + 1}`],
  })
})

test('rejects nested fragments before it expands them', async () => {
  const wide = (name: string, type: string, field: string, next: string) =>
    `fragment ${name} on ${type} { ${many(14, (i) => `${name.toLowerCase()}${i}: ${field} ${next}`)} }`
  const document = [
    '{ ...A }',
    wide('A', 'Query', 'credential(id: 1)', '{ ...B }'),
    wide('B', 'Credential', 'curatorSpace', '{ ...C }'),
    wide('C', 'Space', 'loyaltyPointsRanks', '{ ...D }'),
    wide('D', 'LoyaltyPointsRanks', 'list', '{ ...E }'),
    wide('E', 'LoyaltyPointsRank', 'address', '{ ...F }'),
    wide('F', 'Address', 'username', ''),
  ].join(' ')
  const refused = await limitOf(document)
  expect(refused.error).toBe('COMPLEXITY_LIMIT_EXCEEDED 400 The document asks for too much: too many fields')
  expect(refused.details?.[0]).toBe(`limit: ${MAX_FIELDS}`)
  const doubling = `{ ...F0 } ${many(60, (i) => `fragment F${i} on Query { ...F${i + 1} ... { ...F${i + 1} } }`)} fragment F60 on Query { __typename }`
  expect((await limitOf(doubling)).error).toMatch(/too many fields/)
})

test('limits the rows that a document can return', async () => {
  const board = (first: string) =>
    `leaderboard(pagination: { forward: { first: ${first} } }) { edges { node { ${many(
      6,
      (i) =>
        `m${i}: rank { value delta deltaRate percentage } n${i}: influenceScore { value delta deltaRate percentage }`,
    )} } } }`
  expect((await limitOf(`{ starboard(id: "1") { ${board('1000')} } }`)).status).toBe(200)
  const refused = await limitOf(
    `{ a: starboard(id: "1") { ${board('1000')} } b: starboard(id: "1") { ${board('1000')} } }`,
  )
  expect(refused.error).toBe(
    'COMPLEXITY_LIMIT_EXCEEDED 400 The document asks for too much: too many fields, rows or look-ups',
  )
  expect(refused.details?.[0]).toBe(`limit: ${MAX_COST}`)
  const everybody = board('1000').replace('(', '(twitterId: "", ')
  const twice = `{ a: starboard(id: "1") { ${everybody} } b: starboard(id: "1") { ${everybody} } }`
  expect((await limitOf(twice)).error).toMatch(/^COMPLEXITY_LIMIT_EXCEEDED/)
  const variable = `query ($n: Int!) { a: starboard(id: "1") { ${board('$n')} } b: starboard(id: "1") { ${board('$n')} } }`
  expect((await limitOf(variable, { n: 1_000 })).error).toMatch(/^COMPLEXITY_LIMIT_EXCEEDED/)
  expect((await limitOf(variable, { n: 10 })).status).toBe(200)
})

test('limits the look-ups that a document can need', async () => {
  const groups = many(12, (i) => `g${i}: credentialGroups(address: "${i}") { id }`)
  expect((await limitOf(`{ quests(input: { first: 100 }) { list { ${groups} } } }`)).error).toMatch(
    /^COMPLEXITY_LIMIT_EXCEEDED/,
  )
  expect((await limitOf(`{ quests(input: { first: 5 }) { list { ${groups} } } }`)).status).toBe(200)
})

test('allows the largest page with every field of the specification', async () => {
  const metric = '{ value delta deltaRate percentage }'
  const { status } = await limitOf(`{ starboard(id: "1") { leaderboard(pagination: { forward: { first: 1000 } }) {
    pageInfo { hasNextPage endCursor } edges { node {
      xUserProfile { username followersCount verifiedType } rank ${metric} influenceScore ${metric}
      change24H ${metric} change7D ${metric} change30D ${metric}
    } } } } }`)
  expect(status).toBe(200)
})

test('allows the introspection queries of common tools', async () => {
  for (const options of [
    {},
    {
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    },
  ])
    expect((await limitOf(getIntrospectionQuery(options))).status).toBe(200)
})

test('rejects a nested introspection query as too deep', async () => {
  const query = '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }'
  expect(await limitOf(query)).toMatchObject({
    status: 400,
    error: 'DEPTH_LIMIT_EXCEEDED 400 The introspection query is nested too deeply',
  })
})

test('returns 200 or 400 for hostile documents', async () => {
  for (const query of [
    `{ ${'quest(id: 1) { id } '.repeat(220)} }`,
    `{ ${'__typename '.repeat(990)} }`,
    `{ __schema { ${many(9, (a) => `a${a}: types { ${many(9, (b) => `a${a}b${b}: fields { name }`)} }`)} } }`,
    `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`,
    `query (${many(90, (i) => `$v${i}: [[[[[[[[ID]]]]]]]]`)}) { __typename }`,
    `{ a(b: ${'['.repeat(1_990)}) }`,
    `{ ${'... { '.repeat(600)} __typename ${'}'.repeat(600)} }`,
    `{ ${many(190, (i) => `...F${i}`)} } ${many(190, (i) => `fragment F${i} on Query { ...F${(i + 1) % 190} }`)}`,
    `{ space(id: 40) ${'@include(if: true) '.repeat(270)} { id } }`,
    '\u{10ffff}'.repeat(20_000),
    '{ a'.repeat(900),
    '"""'.repeat(3_000),
  ]) {
    const { status } = await limitOf(query)
    expect([200, 400], query.slice(0, 60)).toContain(status)
  }
})
