import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { revokeToken, regenerateToken, createToken } from '../../../src/access/server-tokens.ts'
import { setPlan } from '../../../src/access/server-tokens.queries.ts'
import { HOUR, MINUTE } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import type { KindName } from '../../../src/ingest/kinds.ts'
import type { Records } from '../../../src/ingest/records.ts'
import { settleQuests } from '../../../src/ranking/quests/transitions.ts'
import { refreshStarboard } from '../../../src/ranking/starboards/refresh.ts'
import { runSync } from '../../../src/sync/run-sync.ts'
import { setSource } from '../../../src/sync/set-source.ts'
import { ingestToken, send } from '../../ingest-api/arrange.ts'
import { ask, firstError } from '../../support/ask.ts'
import { BIG_ID, evmAddress, HOLDER_OF_ONE, MAIN_QUEST, NOW, startWorld, unix } from '../../support/fixture.ts'
import { openBrowser, signInWithWallet } from '../../support/oauth-browser.ts'
import { testWallet } from '../../support/oauth-wallet.ts'
import { BUSINESS_ACCOUNT, OWNER_ACCOUNT } from '../../support/personas.ts'
import { startService } from '../../support/service.ts'
import { startUpstream } from '../../support/upstream.ts'

// A change from any source must show in the next response of every instance, also if a response is cached.
// All reads use HTTP.
const upstream = await startUpstream(({ url }, response) => {
  if (url.startsWith('/list')) response.end(JSON.stringify(listed))
  else response.end(String(url.startsWith('/yes')))
})
let listed: string[] = []
const settings = { QUESTBOARD_OUTGOING_HOSTS: upstream.host }
const world = await startWorld({ settings })
const other = await startService({ settings, database: world.database, clock: world.clock })
const { deps, clock, database } = world
let writer: string
beforeAll(async () => {
  writer = await ingestToken(world)
})
afterAll(async () => {
  await other.stop()
  await world.stop()
  await upstream.close()
})

interface Question {
  query: string
  variables?: Record<string, unknown>
  token?: string
}

/** The data or the first error of each instance. */
async function answers({ query, variables = {}, token = world.personas.business }: Question): Promise<unknown[]> {
  return Promise.all(
    [world.url, other.url].map(async (url) => {
      const answer = await ask(url, query, { token, variables })
      return answer.errors ? firstError(answer) : answer.data
    }),
  )
}

/** Reads from both instances repeatedly, then makes the change and expects `after` in the next response. */
async function changes(question: Question, change: () => Promise<unknown>, after: unknown): Promise<void> {
  for (let turn = 0; turn < 3; turn++) for (const answer of await answers(question)) expect(answer).not.toEqual(after)
  await change()
  expect(await answers(question)).toEqual([after, after])
}

const imported =
  <K extends KindName>(kind: K, records: Records[K][], options = {}) =>
  () =>
    importRecords(deps, kind, records, options)
const sent = (path: string, items: unknown) => async () => {
  const answer = await send(world, path, items, { token: writer })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}
/** Once by a file, once by the ingest API of one instance. */
const doors = ['import', 'ingest'] as const
function through<K extends KindName>(door: (typeof doors)[number], kind: K, record: Records[K]) {
  return door === 'import' ? imported(kind, [record]) : sent(kind, [record])
}

const board = `{ space(id: 42) { loyaltyPointsRanks { totalCount list { rank points address { username address } } } } }`
const one = (points: number, username: string, address = 'm1') => ({
  space: { loyaltyPointsRanks: { totalCount: 1, list: [{ rank: 1, points, address: { username, address } }] } },
})

test.each(doors)('shows the name of a space, alone and next to quests and credentials, by %s', async (door) => {
  const query = `{ space(id: 40) { name } quest(id: "${MAIN_QUEST}") { space { name } }
    credential(id: 312969464) { curatorSpace { name } } }`
  const name = `Renamed by ${door}`
  const after = { space: { name }, quest: { space: { name } }, credential: { curatorSpace: { name } } }
  await changes({ query }, through(door, 'spaces', { spaceId: 40, name }), after)
})

test('shows new points and names of members after imports, ingest calls and awards, on all boards', async () => {
  await changes(
    { query: board },
    imported('points', [{ spaceId: 42, address: 'm1', points: 5, username: 'a' }]),
    one(5, 'a'),
  )
  await changes({ query: board }, sent('points', [{ spaceId: 42, address: 'm1', points: 6 }]), one(6, 'a'))
  await changes({ query: board }, sent('awards', [{ key: 'k1', spaceId: 42, address: 'm1', points: 3 }]), one(9, 'a'))
  await changes(
    { query: board },
    sent('points', [{ spaceId: 41, address: 'm1', points: 1, username: 'b' }]),
    one(9, 'b'),
  )
  const root = '{ spaceLoyaltyPointsRanks(spaceId: 42) { list { points } } }'
  const points = (value: number) => ({ spaceLoyaltyPointsRanks: { list: [{ points: value }] } })
  await changes({ query: root }, sent('awards', [{ key: 'k2', spaceId: 42, address: 'm1', points: 1 }]), points(10))
  const sprint = '{ space(id: 42) { loyaltyPointsRanks(sprintId: 9) { list { points } } } }'
  const ofSprint = (list: unknown[]) => ({ space: { loyaltyPointsRanks: { list } } })
  await changes({ query: sprint }, imported('sprints', [{ spaceId: 42, sprintId: 9 }]), ofSprint([]))
  const award = { key: 'k3', spaceId: 42, sprintId: 9, address: 'm1', points: 2 }
  await changes({ query: sprint }, sent('awards', [award]), ofSprint([{ points: 2 }]))
})

test('keeps the pages of a running traversal and shows the change in a new traversal', async () => {
  const page = (cursor?: string) =>
    `{ space(id: 40) { loyaltyPointsRanks(first: 2${cursor ? `, cursorAfter: "${cursor}"` : ''}) { pageInfo { endCursor } list { address { address } } } } }`
  interface Page {
    space: { loyaltyPointsRanks: { pageInfo: { endCursor: string }; list: { address: { address: string } }[] } }
  }
  const list = (answer: unknown) => (answer as Page).space.loyaltyPointsRanks.list.map(({ address }) => address.address)
  const [first] = (await answers({ query: page() })) as [Page]
  const second = page(first.space.loyaltyPointsRanks.pageInfo.endCursor)
  const before = (await answers({ query: second })).map(list)
  await sent('points', [{ spaceId: 40, address: 'new-best', points: 2_000_000 }])()
  expect((await answers({ query: second })).map(list)).toEqual(before)
  for (const answer of await answers({ query: page() })) expect(list(answer)[0]).toBe('new-best')
})

test.each(doors)('shows starboards, their users, links and rankings, by %s', async (door) => {
  const name = `Voices by ${door}`
  const info = { query: '{ starboard(id: 1) { basicInfo { name } } }' }
  await changes(info, through(door, 'starboards', { id: '1', name, type: 'TWITTER' }), {
    starboard: { basicInfo: { name } },
  })
  const alice = `leaderboard(twitterId: "alice_a", pagination: { forward: { first: 1 } })`
  const followers = {
    query: `{ starboard(id: 1) { ${alice} { edges { node { xUserProfile { followersCount } } } } } }`,
  }
  const followersCount = door === 'import' ? 777 : 888
  await changes(followers, through(door, 'users', { starboardId: '1', username: 'Alice_A', followersCount }), {
    starboard: { leaderboard: { edges: [{ node: { xUserProfile: { followersCount } } }] } },
  })
  const evmAddressOf = evmAddress(door === 'import' ? 7_001 : 7_002)
  const handle = {
    query: `{ starboard(id: 1) { twitterHandleByEvmAddress(evmAddress: "${evmAddressOf}") { twitterHandle }
      userDetail(evmAddress: "${evmAddressOf}") { twitterHandle } } }`,
  }
  await changes(handle, through(door, 'links', { starboardId: '1', evmAddress: evmAddressOf, handle: 'bob' }), {
    starboard: { twitterHandleByEvmAddress: { twitterHandle: 'bob' }, userDetail: { twitterHandle: 'bob' } },
  })
  await changes(handle, through(door, 'users', { starboardId: '1', username: 'bob', isPublic: false }), {
    starboard: { twitterHandleByEvmAddress: { twitterHandle: '' }, userDetail: { twitterHandle: '' } },
  })
  await through(door, 'users', { starboardId: '1', username: 'bob', isPublic: true })()
  const top = {
    query: `{ starboard(id: 1) { leaderboard(pagination: { forward: { first: 1 } }) { edges { node { influenceScore { value } } } } } }`,
  }
  clock.advance(MINUTE)
  const score = door === 'import' ? 2_000 : 3_000
  const sample = { starboardId: '1', handle: 'bob', sampledAt: new Date(clock.now()).toISOString(), score }
  await through(door, 'samples', sample)()
  const refresh = door === 'import' ? () => refreshStarboard(deps, '1') : sent('starboards/1/refresh', [])
  await changes(top, refresh, {
    starboard: { leaderboard: { edges: [{ node: { influenceScore: { value: String(score) } } }] } },
  })
})

const eligible = (id: string, address: string) => ({
  query: `{ credential(id: "${id}") { itemCount eligible(address: "${address}") } }`,
})
const holds = (itemCount: number, value: number) => ({ credential: { itemCount, eligible: value } })

test('shows changed credentials and holders after imports, ingest calls and synchronizations', async () => {
  const name = { query: `{ credential(id: "${BIG_ID}") { name } }` }
  const about = { id: BIG_ID, credType: 'EMAIL', credSource: 'QUIZ' }
  for (const door of doors)
    await changes(name, through(door, 'credentials', { ...about, name: door }), { credential: { name: door } })
  const x = `0x${'e1'.repeat(20)}`
  const of = eligible('500', x)
  await changes(of, imported('holders', [{ address: x }], { credentialId: '500' }), holds(3, 1))
  await changes(of, sent('holders/remove', [{ credentialId: '500', address: x }]), holds(2, 0))
  await changes(of, sent('holders', [{ credentialId: '500', address: x }]), holds(3, 1))
  const replace = async () => {
    const { status } = await send(world, 'holders/replace?credentialId=500', HOLDER_OF_ONE, {
      token: writer,
      headers: { 'content-type': 'text/plain' },
    })
    expect(status).toBe(200)
  }
  await changes(of, replace, holds(1, 0))
  const synced = { id: '9000', name: 'Listed', credType: 'EVM_ADDRESS', credSource: 'REST' }
  await imported('credentials', [synced])()
  await setSource(deps, '9000', { kind: 'REST', url: `${upstream.url}/list`, mostRemoved: 1 })
  listed = [x]
  await changes(eligible('9000', x), () => runSync(deps, '9000', {}), holds(1, 1))
  listed = [`0x${'e2'.repeat(20)}`]
  await changes(eligible('9000', x), () => runSync(deps, '9000', {}), holds(1, 0))
})

test('uses the new type of a credential, even if a request starts with the cached type', async () => {
  const listed = { id: '9002', name: 'Typed', credSource: 'CSV' }
  await imported('credentials', [{ ...listed, credType: 'EVM_ADDRESS' }])()
  const misspelled = eligible('9002', 'ada')
  expect(await answers(misspelled)).toEqual(
    Array(2).fill(expect.stringMatching(/^INVALID_ARGUMENT 400 Invalid address/)),
  )
  const of = eligible('9002', 'ada@example.org')
  expect(await answers(of)).toEqual([holds(0, 0), holds(0, 0)])
  await changes(misspelled, imported('credentials', [{ ...listed, credType: 'EMAIL' }]), holds(0, 0))
  await imported('holders', [{ address: 'ada@example.org' }], { credentialId: '9002' })()
  expect(await answers(of)).toEqual([holds(1, 1), holds(1, 1)])
})

test('evaluates the conditions of a quest with changed holders, and shows its changed campaign', async () => {
  const x = `0x${'e3'.repeat(20)}`
  const groups = {
    query: `{ quest(id: "${MAIN_QUEST}") { credentialGroups(address: "${x}") { conditions { eligible } } } }`,
  }
  const say = (...values: boolean[]) => ({
    quest: {
      credentialGroups: [
        { conditions: values.map((value) => ({ eligible: value })) },
        { conditions: values.map((value) => ({ eligible: value })) },
      ],
    },
  })
  await changes(groups, sent('holders', [{ credentialId: '501', address: x }]), say(false, true))
  await changes(groups, imported('holders', [{ address: x }], { credentialId: '500' }), say(true, true))
  const campaign = { query: `{ credential(id: 500) { eligible(address: "${x}", campaignId: "GCactive00") } }` }
  const group = { id: 'g', conditionRelation: 'ALL' as const, conditions: [{ credentialId: '500' }], rewards: [] }
  const quest = { id: 'GCactive00', spaceId: 41, name: 'Daily 0', type: 'Drop' as const, credentialGroups: [group] }
  await changes(campaign, imported('quests', [quest]), { credential: { eligible: 1 } })
})

test('asks the changed source of a credential at once', async () => {
  await imported('credentials', [{ id: '9001', name: 'Asked', credType: 'EVM_ADDRESS', credSource: 'API' }])()
  const source = (answer: string) => () =>
    setSource(deps, '9001', { kind: 'API', url: `${upstream.url}/${answer}/{address}`, result: '', cacheSeconds: 600 })
  await source('no')()
  await changes(eligible('9001', HOLDER_OF_ONE), source('yes'), holds(0, 1))
  await changes(eligible('9001', HOLDER_OF_ONE), source('no'), holds(0, 0))
})

test('shows quests that change by import, ingest, clock or cap, alone and in lists', async () => {
  const quest = { id: 'GCfresh001', spaceId: 42, type: 'Drop' as const, createdAt: new Date(NOW).toISOString() }
  const query = `query ($status: QuestStatus!) { quest(id: "GCfresh001") { name status participantsCount }
    quests(input: { spaceId: 42, statuses: [$status] }) { totalCount list { name status } } }`
  const is = (name: string, status: string, participantsCount: number) => ({
    quest: { name, status, participantsCount },
    quests: { totalCount: 1, list: [{ name, status }] },
  })
  const asked = (status: string) => ({ query, variables: { status } })
  const endTime = new Date(clock.now() + HOUR).toISOString()
  const made = { ...quest, name: 'a', cap: 2, endTime }
  await changes(asked('Active'), imported('quests', [made]), is('a', 'Active', 0))
  await changes(asked('Active'), sent('quests', [{ ...made, name: 'b' }]), is('b', 'Active', 0))
  const participant = (address: string) => ({ questId: quest.id, address })
  await changes(asked('Active'), imported('participants', [participant(evmAddress(1))]), is('b', 'Active', 1))
  await changes(asked('CapReached'), sent('participants', [participant(evmAddress(2))]), is('b', 'CapReached', 2))
  await changes(asked('Expired'), async () => clock.advance(HOUR + 1), is('b', 'Expired', 2))
  const name = { query: '{ quest(id: "GCauto0002") { status startTime } }' }
  const startTime = unix(NOW + HOUR)
  expect(await answers(name)).toEqual(Array(2).fill({ quest: { status: 'Active', startTime } }))
})

test('shows the current status of a quest while another transaction updates it', async () => {
  const endTime = new Date(clock.now() + HOUR)
  await imported('quests', [{ id: 'GCheld0001', spaceId: 42, name: 'Held', type: 'Drop', endTime }])()
  const question = { query: '{ quest(id: "GCheld0001") { status } quests(input: { spaceId: 42 }) { list { id } } }' }
  expect(await answers(question)).toMatchObject(Array(2).fill({ quest: { status: 'Active' } }))
  clock.advance(HOUR + 1)
  const moving = database.kysely.transaction().execute(async (trx) => {
    await settleQuests(trx, ['GCheld0001'], clock.now())
    await sleep(200)
  })
  await sleep(50)
  expect(await answers(question)).toMatchObject(Array(2).fill({ quest: { status: 'Expired' } }))
  await moving
})

test('applies the creation, regeneration, revocation, expiry and areas of each token', async () => {
  const query = '{ space(id: 41) { name } }'
  const make = () => createToken(deps, { accountId: BUSINESS_ACCOUNT, name: 'fresh', plan: 'unlimited' })
  const { token, record } = await make()
  const refused = (why: string) => `INVALID_TOKEN 401 Invalid access token: ${why}`
  await changes({ query, token }, () => regenerateToken(deps, record.tokenId), refused('unknown'))
  const next = await make()
  await changes({ query, token: next.token }, () => revokeToken(deps, next.record.tokenId), refused('revoked'))
  const brief = await createToken(deps, {
    accountId: BUSINESS_ACCOUNT,
    name: 'brief',
    plan: 'unlimited',
    expiresAt: new Date(clock.now() + MINUTE),
  })
  await changes({ query, token: brief.token }, async () => clock.advance(MINUTE), refused('expired'))
  const narrowed = await make()
  const narrow = () =>
    database.query(`UPDATE server_tokens SET areas = '{credential}' WHERE token_id = $1`, [narrowed.record.tokenId])
  const before = await answers({ query, token: narrowed.token })
  expect(before).toEqual(Array(2).fill({ space: { name: expect.any(String) as string } }))
  await narrow()
  expect(await answers({ query, token: narrowed.token })).toEqual(
    Array(2).fill(expect.stringMatching(/^PERMISSION_DENIED 403/)),
  )
  const { business, spacesOnly } = world.personas
  const quests = '{ quests(input: {}) { totalCount } }'
  const [allowed] = await answers({ query: quests, token: business })
  expect(allowed).toHaveProperty('quests')
  const [denied] = await answers({ query: quests, token: spacesOnly })
  expect(denied).toMatch(/^PERMISSION_DENIED 403/)
})

test('accepts the first request after an exhausted token moves to a larger plan', async () => {
  await database.query(
    `INSERT INTO plans (plan, per_second, per_day) VALUES ('small', NULL, 8), ('larger', 100, 1000) ON CONFLICT DO NOTHING`,
  )
  const { token, record } = await createToken(deps, { accountId: BUSINESS_ACCOUNT, name: 'spent', plan: 'small' })
  const question = { query: '{ space(id: 41) { name } }', token }
  for (let turn = 0; turn < 5; turn++) await answers(question)
  expect(await answers(question)).toEqual(Array(2).fill(expect.stringMatching(/^QUOTA_EXCEEDED 429/)))
  await setPlan(database.kysely, record.tokenId, { plan: 'larger', assignedBy: OWNER_ACCOUNT })
  for (let turn = 0; turn < 3; turn++)
    expect(await answers(question)).toEqual(Array(2).fill({ space: { name: expect.any(String) as string } }))
  await setPlan(database.kysely, record.tokenId, { plan: 'small', assignedBy: OWNER_ACCOUNT })
  expect(await answers(question)).toEqual(Array(2).fill(expect.stringMatching(/^QUOTA_EXCEEDED 429/)))
})

test('applies changes of the space owner and of the privacy of a quest', async () => {
  const { business, owner } = world.personas
  const query = '{ quest(id: "GCprivate1") { name } }'
  const shown = { quest: { name: 'Members only' } }
  const hidden = 'PERMISSION_DENIED 403 Quest is private'
  expect(await answers({ query, token: owner })).toEqual([shown, shown])
  await changes(
    { query, token: business },
    () => database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = 43', [BUSINESS_ACCOUNT]),
    shown,
  )
  expect(await answers({ query, token: owner })).toEqual([hidden, hidden])
  const open = { id: 'GCprivate1', spaceId: 43, name: 'Members only', type: 'Drop', isPrivate: false } as const
  await changes({ query, token: owner }, imported('quests', [open]), shown)
  await changes({ query, token: owner }, sent('quests', [{ ...open, isPrivate: true }]), hidden)
})

test('shows the profile of a user on the boards of the linked wallet', async () => {
  const browser = openBrowser(world.app.fastify)
  const wallet = testWallet()
  const address = wallet.address.toLowerCase()
  await signInWithWallet(browser, wallet)
  await imported('spaces', [{ spaceId: 77, name: 'Linked' }])()
  await imported('points', [{ spaceId: 77, address, points: 4 }])()
  const question = { query: board.replace('42', '77') }
  const show = (profile: object) => async () => {
    const response = await browser.call('PATCH', '/api/profile', profile)
    expect(response.statusCode, response.body).toBe(200)
  }
  await changes(question, show({ username: 'Fresh-Ada', isPublic: true }), one(4, 'Fresh-Ada', address))
  await changes(question, show({ username: 'Fresh-Eve' }), one(4, 'Fresh-Eve', address))
  const anonymous = createHash('md5').update(address).digest('hex').slice(0, 10)
  await changes(question, show({ isPublic: false }), one(4, anonymous, address))
})
