import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_DOCUMENT_LENGTH, MAX_DOCUMENTS, MAX_NEW_DOCUMENTS } from '../../src/access/persisted-documents.ts'
import { regenerateToken, revokeToken } from '../../src/access/server-tokens.ts'
import { upsertPlan } from '../../src/access/plans.queries.ts'
import { MINUTE, SECOND } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { evmAddress, MAIN_QUEST, startWorld } from '../support/fixture.ts'
import { fromPage, get, PAGE, post, publishableToken } from '../support/pages.ts'
import { OWNER_ACCOUNT } from '../support/personas.ts'
import { startService } from '../support/service.ts'

const settings = { QUESTBOARD_TRUSTED_PROXIES: '127.0.0.1' }
const world = await startWorld({ settings })
const other = await startService({ settings, database: world.database, clock: world.clock })
const { url, deps, clock } = world
let token: string
beforeAll(async () => {
  ;({ token } = await publishableToken(deps))
})
afterAll(async () => {
  await other.stop()
  await world.stop()
})

const BOARD = '{ space(id: 40) { name loyaltyPointsRanks { totalCount list { rank points address { address } } } } }'
const NAME = 'query Name($id: Int!) { space(id: $id) { name } }'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const persisted = (document: string) => ({ persistedQuery: { version: 1, sha256Hash: sha256(document) } })

test('reads the board of a listed space with POST and with GET', async () => {
  const posted = await post(url, token, { query: BOARD })
  expect([posted.status, posted.error]).toEqual([200, undefined])
  expect(posted.data).toMatchObject({ space: { name: 'Aurora Guild', loyaltyPointsRanks: { totalCount: 130 } } })
  const got = await get(url, { access_token: token, query: NAME, variables: { id: 40 } })
  expect([got.status, got.data]).toEqual([200, { space: { name: 'Aurora Guild' } }])
})

test.each([
  ['{ space(id: 41) { name } }', 'space: 41'],
  ['{ spaceLoyaltyPointsRanks(spaceId: 41) { totalCount } }', 'space: 41'],
])('refuses the other space of %s without a list of the spaces', async (query, detail) => {
  const { status, error, details, text } = await post(url, token, { query })
  expect([status, error]).toEqual([200, 'PERMISSION_DENIED 403 This publishable token may not read this space'])
  expect(details).toContain(detail)
  expect(text).not.toMatch(/\b40\b/)
})

test('reads quests of its spaces only, and no private ones of its owner', async () => {
  const mine = await publishableToken(deps, { accountId: OWNER_ACCOUNT, areas: ['quest'], spaces: [40, 43] })
  const ask = async (query: string) => {
    const { data, error } = await post(url, mine.token, { query })
    return error ?? data
  }
  expect(await ask(`{ quest(id: "${MAIN_QUEST}") { id } }`)).toEqual({ quest: { id: MAIN_QUEST } })
  expect(await ask('{ quest(id: "GCprivate1") { id } }')).toBe('PERMISSION_DENIED 403 Quest is private')
  const { data } = await post(url, mine.token, { query: '{ quests(input: { spaceId: "40" }) { totalCount } }' })
  expect(data).toMatchObject({ quests: { totalCount: expect.any(Number) as number } })
  expect(await ask('{ quests(input: { spaceId: "41" }) { totalCount } }')).toMatch(/may not read this space$/)
  expect(await ask('{ quests(input: {}) { totalCount } }')).toMatch(/may not read all spaces$/)
  const [foreign] = await world.database.query<{ id: string }>(
    'SELECT quest_id AS id FROM quests WHERE space_id = 41 LIMIT 1',
  )
  const narrow = await publishableToken(deps, { areas: ['quest'], spaces: [40] })
  for (const id of [foreign?.id, 'GCprivate1']) {
    const answer = await post(url, narrow.token, { query: `{ quest(id: "${id}") { id } }` })
    expect(answer.error).toMatch(/^PERMISSION_DENIED 403 .* may not read this quest$/)
    expect(answer.details).toEqual([expect.stringMatching(/^allowed: /)])
  }
  expect(await ask(BOARD)).toMatch(/may not read the area "space"$/)
  const sprints = `{ quest(id: "${MAIN_QUEST}") { space { sprints { id } } } }`
  expect(await ask(sprints)).toMatch(/may not read the area "space"$/)
})

test.each([
  '{ starboard(id: "1") { userDetail(evmAddress: "0xa1") { aura } } }',
  '{ starboard(id: "1") { twitterHandleByEvmAddress(evmAddress: "0xa1") { twitterHandle } } }',
  '{ credential(id: "500") { eligible(address: "0xa1") } }',
  `{ quest(id: "${MAIN_QUEST}") { credentialGroups(address: "0xa1") { id } } }`,
  '{ space(id: 40) { addressLoyaltyPointsHistory(address: "0xa1") { list { amount } } } }',
  '{ space(id: 40) { ...F @skip(if: true) } } fragment F on Space { addressLoyaltyPointsHistory(address: "0xa1") { list { amount } } }',
])('refuses data of single persons before it reads any: %s', async (query) => {
  const all = await publishableToken(deps, { areas: ['starboard', 'space', 'credential', 'quest'] })
  const { status, error, data } = await post(url, all.token, { query })
  expect([status, data]).toEqual([403, null])
  expect(error).toMatch(/^PERMISSION_DENIED 403 A publishable token may not read the field \w+\.\w+$/)
})

test('returns no mail address or handle of a member, also not inside of cursors', async () => {
  const { token: own } = await publishableToken(deps, { spaces: [42] })
  const members = [
    ['ada@example.org', 90],
    ['grace_handle', 80],
    [evmAddress(7), 70],
    ['linus@example.org', 60],
  ] as const
  await importRecords(
    deps,
    'points',
    members.map(([address, points]) => ({ spaceId: 42, address, points })),
    {},
  )
  const page = `{ space(id: 42) { loyaltyPointsRanks(first: 2) { totalCount pageInfo { endCursor } list { points address { address } }
    edges { cursor node { address { address } } } } } }`
  type Board = {
    space: {
      loyaltyPointsRanks: {
        pageInfo: { endCursor: string }
        list: { address: { address: string } }[]
        edges: { cursor: string }[]
      }
    }
  }
  const first = await post(url, own, { query: page })
  const { loyaltyPointsRanks: ranks } = (first.data as Board).space
  expect(ranks.list.map(({ address }) => address.address)).toEqual(['', ''])
  for (const cursor of [ranks.pageInfo.endCursor, ...ranks.edges.map((edge) => edge.cursor)]) {
    const readable = Buffer.from(cursor, 'base64url').toString('latin1')
    expect(readable).not.toMatch(/ada|grace|example/)
    expect(cursor.length).toBeLessThanOrEqual(200)
  }
  const next = await post(url, own, {
    query: `{ space(id: 42) { loyaltyPointsRanks(cursorAfter: "${ranks.edges[1]?.cursor}") { list { points address { address } } } } }`,
  })
  expect((next.data as Board).space.loyaltyPointsRanks.list).toEqual([
    { points: 70, address: { address: evmAddress(7) } },
    { points: 60, address: { address: '' } },
  ])
  const asked = await post(url, own, {
    query: `{ space(id: 42) { addressLoyaltyPoints(address: "ada@example.org") { rank }
      addressesLoyaltyPoints(addresses: ["grace_handle", "${evmAddress(7)}"]) { rank }
      loyaltyPointsRanks(around: "ada@example.org") { totalCount } } }`,
  })
  expect(asked.data).toEqual({
    space: { addressLoyaltyPoints: null, addressesLoyaltyPoints: [null, { rank: 3 }], loyaltyPointsRanks: null },
  })
  expect(asked.error).toBe('NOT_FOUND 404 Member not found')
})

test('rejects a regenerated, revoked or malformed token', async () => {
  const mine = await publishableToken(deps)
  const { token: renewed } = await regenerateToken(deps, mine.tokenId)
  expect(renewed).toMatch(/^qbp_/)
  expect((await post(url, mine.token, { query: BOARD })).error).toBe('INVALID_TOKEN 401 Invalid access token: unknown')
  expect((await post(url, renewed, { query: BOARD })).status).toBe(200)
  await revokeToken(deps, mine.tokenId)
  expect((await post(url, renewed, { query: BOARD })).error).toBe('INVALID_TOKEN 401 Invalid access token: revoked')
  const malformed = await post(url, 'qbp_hello', { query: BOARD })
  expect([malformed.status, malformed.error]).toEqual([401, 'INVALID_TOKEN 401 Invalid access token: malformed'])
  expect(malformed.details[1]).toMatch(/qbp_ and 49/)
})

test('gives one network half of the limits of the token, and shows that in the headers', async () => {
  await upsertPlan(deps.database.kysely, 'small', { perSecond: 4, perDay: 10 })
  const { token: small } = await publishableToken(deps, { plan: 'small' })
  const from = (address: string) =>
    get(url, { access_token: small, query: '{ __typename }' }, { headers: { 'x-forwarded-for': address } })
  clock.advance(SECOND)
  const first = await from('192.0.2.1')
  expect(first.headers.get('ratelimit-policy')).toBe(
    '"network_per_second";q=2;w=1, "network_daily";q=5;w=86400, "per_second";q=4;w=1, "daily";q=10;w=86400',
  )
  expect((await from('192.0.2.1')).status).toBe(200)
  const third = await from('192.0.2.1')
  expect([third.status, third.error]).toEqual([429, 'QUOTA_EXCEEDED 429 Rate limit exceeded'])
  expect(third.details).toEqual(['quota_type: network_per_second', 'limit: 2'])
  expect(third.headers.get('retry-after')).toBe('1')
  expect(third.headers.get('access-control-allow-origin')).toBe(PAGE)
  expect((await from('192.0.2.2')).status).toBe(200)
  for (let n = 0; n < 3; n++) {
    clock.advance(SECOND)
    await from('192.0.2.1')
  }
  clock.advance(SECOND)
  const over = await from('192.0.2.1')
  expect(over.details).toEqual(['quota_type: network_daily', 'limit: 5'])
  expect((await from('192.0.2.3')).status).toBe(200)
})

test('lets caches hold responses to GET, by URL if it has the token, and returns 304 while they are current', async () => {
  const ask = (headers: Record<string, string> = {}) =>
    get(url, { access_token: token, query: '{ space(id: 40) { id } }' }, { headers })
  const first = await ask()
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
  expect(first.headers.get('cache-control')).toBe('public, max-age=30')
  expect(first.headers.get('vary')).toBe('origin, accept, accept-encoding')
  for (let n = 0; n < 3; n++) {
    const again = await ask({ 'if-none-match': `"x", ${etag}` })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
    expect(again.headers.get('access-control-allow-origin')).toBe(PAGE)
    expect(again.headers.get('content-type')).toBeNull()
  }
  const inHeader = await get(url, { query: '{ space(id: 40) { name } }' }, { headers: { 'access-token': token } })
  expect([inHeader.status, inHeader.headers.get('cache-control')]).toEqual([200, 'private, max-age=30'])
  expect(inHeader.headers.get('vary')).toMatch(/, access-token, access_token, authorization$/)
  const failed = await get(url, { access_token: token, query: '{ space(id: 41) { name } }' })
  expect([failed.headers.get('cache-control'), failed.headers.get('etag')]).toEqual(['no-store', null])
  expect((await post(url, token, { query: NAME, variables: { id: 40 } })).headers.get('cache-control')).toBe('no-store')
})

test('sees a change of points in the next response, on every instance', async () => {
  const { token: own } = await publishableToken(deps, { spaces: [41] })
  const query = '{ space(id: 41) { loyaltyPointsRanks { list { points } } } }'
  const points = async () =>
    Promise.all(
      [url, other.url].map(async (base) => JSON.stringify((await get(base, { access_token: own, query })).data)),
    )
  for (let n = 0; n < 3; n++) expect(new Set(await points()).size).toBe(1)
  await importRecords(deps, 'points', [{ spaceId: 41, address: evmAddress(900), points: 8 }], {})
  for (const text of await points()) expect(text).toContain('{"points":8}')
})

test.each([
  ['query={ __typename }&query={ __typename }', 'The URL contains "query" twice'],
  ['', 'The request body has no "query"'],
  ['query={ __typename }&variables={', 'The parameter "variables" is not JSON'],
  ['query={ __typename }&variables=7', '"variables" must be an object'],
  ['query={ nope }', 'Cannot query field "nope" on type "Query".'],
  ['query={ __typename }&extensions={"persistedQuery":{"version":2}}', 'Unknown version of persisted documents'],
  ['extensions={"persistedQuery":{"version":1,"sha256Hash":"x"}}', 'Invalid hash of a persisted document'],
])('refuses GET with the parameters %s', async (parameters, message) => {
  const answer = await fromPage(url, `/query?access_token=${token}&${encodeURI(parameters)}`)
  expect([answer.status, answer.error]).toEqual([400, `INVALID_ARGUMENT 400 ${message}`])
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

test('runs a stored document by its hash, on every instance, for the token that stored it', async () => {
  const document = 'query Stored($id: Int!) { space(id: $id) { name } }'
  const asked = { access_token: token, variables: { id: 40 }, extensions: persisted(document) }
  const unknown = await get(url, asked)
  expect([unknown.status, unknown.error]).toEqual([404, 'PERSISTED_QUERY_NOT_FOUND 404 PersistedQueryNotFound'])
  expect(unknown.headers.get('cache-control')).toBe('no-store')
  const stored = await post(url, token, { query: document, variables: { id: 40 }, extensions: persisted(document) })
  expect(stored.status).toBe(200)
  for (const base of [url, other.url])
    for (let n = 0; n < 3; n++) expect((await get(base, asked)).data).toEqual({ space: { name: 'Aurora Guild' } })
  expect((await get(url, { ...asked, access_token: (await publishableToken(deps)).token })).status).toBe(404)
})

test('keeps the documents that are in use, and limits new ones', async () => {
  const mine = await publishableToken(deps)
  const documentOf = (n: number) => `query D${n} { __typename }`
  const store = (document: string) =>
    post(url, mine.token, { query: document, extensions: persisted(document) }).then(({ status }) => status)
  const find = (n: number) =>
    get(other.url, { access_token: mine.token, extensions: persisted(documentOf(n)) }).then(({ status }) => status)
  const count = async () =>
    (await world.database.query('SELECT FROM persisted_documents WHERE token_id = $1', [mine.tokenId])).length
  for (let n = 0; n <= MAX_NEW_DOCUMENTS; n++) expect(await store(documentOf(n))).toBe(200)
  expect(await count()).toBe(MAX_NEW_DOCUMENTS)
  await world.database.query(
    `INSERT INTO persisted_documents SELECT $1, sha256(n::text::bytea), 'x', $2::timestamptz, $2::timestamptz
     FROM generate_series(1, $3::int) AS n`,
    [mine.tokenId, new Date(clock.now() + SECOND), MAX_DOCUMENTS - MAX_NEW_DOCUMENTS],
  )
  clock.advance(2 * MINUTE)
  expect(await find(0)).toBe(200)
  clock.advance(SECOND)
  expect(await store('query More { __typename }')).toBe(200)
  expect(await count()).toBe(MAX_DOCUMENTS)
  expect(await find(0)).toBe(200)
  const long = `query Long { __typename } ${'#'.repeat(MAX_DOCUMENT_LENGTH)}`
  expect(await store(long)).toBe(200)
  expect(await count()).toBe(MAX_DOCUMENTS)
})
