import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { firstError, send } from '../../support/ask.ts'
import { startWorld } from '../../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

const post = (body: string | Uint8Array<ArrayBuffer>) =>
  send(world.url, body, { 'access-token': world.personas.business })

/** Every argument that takes text, with a document that sends it as a variable. */
const textArguments: Record<string, string> = {
  'starboard(id)': 'query ($x: ID!) { starboard(id: $x) { basicInfo { id } } }',
  'leaderboard(twitterId)': 'query ($x: String!) { starboard(id: "1") { leaderboard(twitterId: $x) { totalCount } } }',
  'leaderboard(after)':
    'query ($x: String!) { starboard(id: "1") { leaderboard(pagination: { forward: { first: 1, after: $x } }) { totalCount } } }',
  twitterHandleByEvmAddress:
    'query ($x: String!) { starboard(id: "1") { twitterHandleByEvmAddress(evmAddress: $x) { isPublic } } }',
  userDetail: 'query ($x: String!) { starboard(id: "1") { userDetail(evmAddress: $x) { aura } } }',
  cursorAfter: 'query ($x: String!) { space(id: 40) { loyaltyPointsRanks(cursorAfter: $x) { totalCount } } }',
  cursorBefore: 'query ($x: String!) { space(id: 40) { loyaltyPointsRanks(cursorBefore: $x) { totalCount } } }',
  'loyaltyPointsRanks(after)': 'query ($x: String!) { space(id: 40) { loyaltyPointsRanks(after: $x) { totalCount } } }',
  'credential(id)': 'query ($x: ID!) { credential(id: $x) { id } }',
  'eligible of an EVM credential': 'query ($x: String!) { credential(id: 500) { eligible(address: $x) } }',
  'eligible of a Solana credential': 'query ($x: String!) { credential(id: 502) { eligible(address: $x) } }',
  'eligible of an X credential': 'query ($x: String!) { credential(id: 312969464) { eligible(address: $x) } }',
  campaignId: 'query ($x: ID!) { credential(id: 312969464) { eligible(address: "a", campaignId: $x) } }',
  'quest(id)': 'query ($x: ID!) { quest(id: $x) { id } }',
  credentialGroups:
    'query ($x: String!) { quest(id: "GChdWUjXX3") { credentialGroups(address: $x) { conditions { eligible } } } }',
  'quests(spaceId)': 'query ($x: ID!) { quests(input: { spaceId: $x }) { totalCount } }',
  'quests(after)': 'query ($x: String!) { quests(input: { after: $x }) { totalCount } }',
  __type: 'query ($x: String!) { __type(name: $x) { name } }',
}
const cases = Object.entries(textArguments)

const nasty = [
  '\\u0000',
  'a\\u0000b',
  '\\ud800',
  'x\\udfffy',
  '\\ufeff',
  '\\uffff',
  '\\u202e\\u0007',
  "'; DROP TABLE quests; --",
  '%',
  '\\\\',
  '${1}',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '0x',
  'NaN',
  '-0',
  '0x' + 'G'.repeat(40),
  'ﬀ'.repeat(300),
  '9'.repeat(5_000),
  'a'.repeat(60_000),
]

test.each(cases)('never responds with 5xx to a text variable of %s', async (_, query) => {
  for (const text of nasty) {
    const answer = await post(`{"query":${JSON.stringify(query)},"variables":{"x":"${text}"}}`)
    expect([200, 400], text.slice(0, 40)).toContain(answer.status)
    for (const { extensions } of answer.errors ?? [])
      expect(extensions.http_status, text.slice(0, 40)).toBeLessThan(500)
  }
})

test.each(cases)('never responds with 5xx to a text literal of %s', async (_, query) => {
  for (const text of ['\\u0000', '\\ud800', '\\u{10ffff}', '\\u{0}']) {
    const document = query.replace(/^query \([^)]*\) /, '').replace('$x', `"${text}"`)
    const answer = await post(JSON.stringify({ query: document }))
    expect(answer.status, document).toBeLessThan(500)
    for (const { extensions } of answer.errors ?? []) expect(extensions.http_status).toBeLessThan(500)
  }
})

test('responds with 4xx to raw NUL, lone surrogates and control characters in the body', async () => {
  for (const text of [
    '\u0000',
    '{"query":"\u0000"}',
    '{"query":"{ a\\u0000 }"}',
    '{"query":"{ \\ud800 }"}',
    '\u001f{}',
  ])
    expect((await post(text)).status).toBe(400)
})

test('responds with 4xx to values that nest thousands of levels deep', async () => {
  const query = JSON.stringify('query ($s: [QuestStatus!]) { quests(input: { statuses: $s }) { totalCount } }')
  for (const depth of [100, 1_000, 3_000, 6_000, 9_000, 20_000, 45_000]) {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
    expect((await post(`{"query":${query},"variables":{"s":${deep}}}`)).status, String(depth)).toBe(400)
    expect((await post(deep)).status).toBe(400)
  }
})

test('never responds with 5xx to any JSON as a body or as variables', async () => {
  const list = 'query ($input: ListQuestInput!) { quests(input: $input) { totalCount } }'
  const page = 'query ($p: PaginationInput) { starboard(id: 1) { leaderboard(pagination: $p) { totalCount } } }'
  const any = fc.jsonValue({ maxDepth: 3 })
  const near = fc.record(
    {
      spaceId: fc.oneof(any, fc.constantFrom('40', 40)),
      statuses: fc.oneof(any, fc.array(fc.constantFrom('Active', 'Draft', 'x'))),
      types: fc.oneof(any, fc.constant(['Drop'])),
      first: fc.oneof(any, fc.integer()),
      after: fc.oneof(any, fc.string({ unit: 'binary' })),
      forward: fc.oneof(any, fc.record({ first: fc.oneof(any, fc.integer()), after: any }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        any,
        fc.record({ query: any, variables: any, operationName: any }, { requiredKeys: [] }),
        near.map((input) => ({ query: list, variables: { input } })),
        near.map((p) => ({ query: page, variables: { p } })),
      ),
      async (body) => {
        const answer = await post(JSON.stringify(body))
        expect(answer.status).toBeLessThan(500)
        for (const { extensions } of answer.errors ?? []) expect(extensions.http_status).toBeLessThan(500)
      },
    ),
    { numRuns: 300 },
  )
})

test('never responds with 5xx to any bytes as a body', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      expect((await post(new Uint8Array(bytes))).status).toBeLessThan(500)
    }),
    { numRuns: 100 },
  )
})

test('never responds with 5xx to documents with removed, doubled or swapped parts', async () => {
  const whole =
    'query A($id: ID!, $n: Int = 2) @skip(if: false) { s: starboard(id: $id) { ...F leaderboard(pagination: { forward: { first: $n } }) { edges { node { rank { value } } } } } } fragment F on Starboard { basicInfo { tags } }'
  const tokens = whole.split(/(?<=[^\w$])|(?=[^\w$])/)
  const edits = fc.array(
    fc.tuple(fc.nat(tokens.length - 1), fc.nat(tokens.length - 1), fc.constantFrom('cut', 'double', 'swap')),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  await fc.assert(
    fc.asyncProperty(edits, async (changes) => {
      const edited = [...tokens]
      for (const [a, b, how] of changes) {
        const [one, other] = [edited[a] ?? '', edited[b] ?? '']
        if (how === 'cut') edited[a] = ''
        else if (how === 'double') edited[a] = one + one
        else [edited[a], edited[b]] = [other, one]
      }
      const answer = await post(JSON.stringify({ query: edited.join(''), variables: { id: '1' } }))
      expect(answer.status, edited.join('')).toBeLessThan(500)
      expect(firstError(answer)).not.toMatch(/ 5\d\d /)
    }),
    { numRuns: 300 },
  )
})
