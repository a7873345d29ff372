import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { findOrCreateAccount } from '../../src/access/server-tokens.queries.ts'
import { ingestToken, send } from '../ingest-api/arrange.ts'
import { BY_COMMAND, readRules, setRules } from '../../src/rules/rule-sets.ts'
import { setSource } from '../../src/sync/set-source.ts'
import { ask } from '../support/ask.ts'
import { ALICE_MAIN, HOLDER_OF_BOTH, MAIN_QUEST, members, type World } from '../support/fixture.ts'
import { openBrowser, signInWithWallet } from '../support/oauth-browser.ts'
import {
  approvedApp,
  codeFor,
  pkcePair,
  postForm,
  redeemCode,
  refreshTokens,
  signedInBrowser,
  TOKEN_URL,
  tokenDetail,
  type Tokens,
  userData,
} from '../support/oauth-flow.ts'
import type { SignInService } from '../support/oauth-service.ts'
import { testWallet } from '../support/oauth-wallet.ts'
import { post, publishableToken } from '../support/pages.ts'
import { BUSINESS_ACCOUNT, tokenWithLimits } from '../support/personas.ts'

const STARTED = 'GCactive00'
const PAGE = '{ totalCount pageInfo { endCursor } list { rank points address { username } } }'

/** Runs every root field in all its variants, with awards between the pages. */
export async function askEverything(world: World, url: string): Promise<void> {
  const question = async (text: string, token = world.personas.business) => {
    const answer = await ask<Record<string, { pageInfo?: { endCursor: string } }>>(url, text, { token })
    expect([answer.status, answer.errors]).toEqual([200, undefined])
    return answer.data
  }
  const writer = await ingestToken(world)
  const rules = (['claim', 'award'] as const).map((kind) => ({ id: kind, description: 'A rule', kind, points: 1 }))
  await world.database.kysely
    .transaction()
    .execute((trx) => setRules(world.deps, trx, 40, readRules({ rules }), { author: BY_COMMAND }))
  const award = async (key: string, address: string, sprintId?: number, points = 1) => {
    const items = [{ key, spaceId: 40, address, points, ...(sprintId && { sprintId }) }]
    expect((await send({ url }, 'awards', items, { token: writer })).status).toBe(200)
  }
  const first = await question(`{ spaceLoyaltyPointsRanks(spaceId: 40) ${PAGE} }`)
  const cursor = first.spaceLoyaltyPointsRanks?.pageInfo?.endCursor ?? ''
  const pages = async () => {
    await question(`{ spaceLoyaltyPointsRanks(spaceId: 40, cursorAfter: "${cursor}") ${PAGE} }`)
    const address = `address: "${members[3]?.address}"`
    await question(`{ space(id: 40) { addressLoyaltyPoints(${address}) { rank } sprints { id }
      addressesLoyaltyPoints(addresses: ["a", "b"]) { rank } } }`)
    await question(`{ spaceLoyaltyPointsRanks(spaceId: 40, around: "${members[60]?.address}") ${PAGE} }`)
    for (const board of [address, `address: "${members[45]?.address}", sprintId: 1`]) {
      const history = async (place: string) => {
        const text = `h: addressLoyaltyPointsHistory(${board}${place}) { pageInfo { endCursor } list { amount } }`
        const { space } = (await question(`{ space(id: 40) { ${text} } }`)) as unknown as {
          space: { h: { pageInfo: { endCursor: string } } }
        }
        return space.h.pageInfo.endCursor
      }
      await history(`, cursorBefore: "${await history('')}"`)
    }
    await question(`{ space(id: 40) { changes(sinceVersion: "0", sprintId: 1) { version list { points } } } }`)
    await question(`{ space(id: 40) { name loyaltyPointsRanks(cursorBefore: "${cursor}") ${PAGE} } }`)
  }
  await pages()
  for (const [key, address] of [
    ['one', members[3]?.address],
    ['two', 'newcomer'],
    ['two', 'newcomer'],
  ] as const)
    await award(key, address ?? '', 1)
  await award('three', members[4]?.address ?? '')
  const ofNoOperator = await ingestToken(world, { spaces: 'all', needsOperator: true })
  expect((await send({ url }, 'awards', [], { token: ofNoOperator })).status).toBe(401)
  const ofOwn = await ownedToken(world)
  expect((await send({ url }, 'awards', [], { token: ofOwn })).status).toBe(400) // an empty batch
  const several = ['a', 'b'].map((key) => ({ key, spaceId: 42, address: `new-${key}`, points: 1 }))
  expect((await send({ url }, 'awards', several, { token: writer })).status).toBe(200)
  // Points of a banned member.
  await world.database.query(
    `INSERT INTO ban_addresses (space_id, address, ban_id) VALUES (42, 'new-a', gen_random_uuid())`,
  )
  const banned = [{ key: 'c', spaceId: 42, address: 'new-c', points: 1 }]
  await world.database.query(
    `INSERT INTO ban_addresses (space_id, address, ban_id) VALUES (42, 'new-c', gen_random_uuid())`,
  )
  expect((await send({ url }, 'awards', banned, { token: writer })).status).toBe(200)
  await subscribe(world)
  await award('heard', members[4]?.address ?? '')
  await award('first of all', 'climber', 1, 1_000_000)
  expect(await world.database.query('SELECT DISTINCT event_type FROM webhook_messages ORDER BY 1')).toEqual(
    ['points.awarded', 'rank.entered', 'rank.left'].map((event_type) => ({ event_type })),
  )
  await pages()
  // Returned again if nothing has changed.
  for (let time = 0; time < 3; time++) await question(`{ spaceLoyaltyPointsRanks(spaceId: 41) ${PAGE} }`)
  await question(`{ space(id: 41) { loyaltyPointsRanks ${PAGE} } }`)
  expect(
    (
      await ask(url, `{ space(id: 40) { loyaltyPointsRanks(sprintId: 77) ${PAGE} } }`, {
        token: world.personas.business,
      })
    ).errors,
  ).toHaveLength(1)

  // A document that is stored, and one that is unknown.
  const { token: ofPage } = await publishableToken(world.deps)
  const document = '{ __typename }'
  const sha256Hash = createHash('sha256').update(document).digest('hex')
  const named = { extensions: { persistedQuery: { version: 1, sha256Hash } } }
  expect((await post(url, ofPage, named)).status).toBe(404)
  expect((await post(url, ofPage, { query: document, ...named })).status).toBe(200)

  const holder = `eligible(address: "${HOLDER_OF_BOTH}"`
  await question(`{ credential(id: "500") { name curatorSpace { name } ${holder}) } }`)
  await question(`{ credential(id: "500") { ${holder}, campaignId: "${MAIN_QUEST}") } }`)
  // The API is not asked about an address of another kind, only about linked identities of its account.
  await world.database.query(`UPDATE credentials SET cred_source = 'API' WHERE credential_id = 502`)
  await question(`{ credential(id: "502") { eligible(address: "${ALICE_MAIN}") } }`)
  await world.database.query(`INSERT INTO identity_subjects VALUES ($1, 'EVMAddress', $2)`, [
    HOLDER_OF_BOTH,
    BUSINESS_ACCOUNT,
  ])
  const completion = await send({ url }, `quests/${MAIN_QUEST}/completions`, [{ key: 'c', address: HOLDER_OF_BOTH }], {
    token: writer,
  })
  expect(completion.body.results).toMatchObject([{ status: 'applied' }])
  const groups = `credentialGroups(address: "${HOLDER_OF_BOTH}") { conditions { eligible } rewards { eligible } }`
  await question(`{ quest(id: "${MAIN_QUEST}") { name space { name } ${groups} } }`)
  const ofTeam = '{ quest(id: "GCprivate1") { name } }'
  expect((await ask(url, ofTeam, { token: world.personas.business })).errors).toHaveLength(1)
  await world.database.query(`INSERT INTO space_pages VALUES (40, 'forty', now())`)
  // The second page is in memory, so only its versions are read.
  for (const path of ['/s/forty', '/s/forty']) expect((await fetch(url + path)).status).toBe(200)
  // The quest is due, but its status has not been updated.
  await world.database.query(
    `UPDATE quests SET auto_status = true, status = 'NotStarted', start_time = $2, next_transition_at = $2 WHERE quest_id = $1`,
    [STARTED, new Date(world.clock.now() - 1)],
  )
  expect(await question(`{ quest(id: "${STARTED}") { status } }`)).toEqual({ quest: { status: 'Active' } })
  await question('{ quests(input: { first: 2 }) { totalCount list { id } } }')
  await question('{ quests(input: { spaceId: "40", statuses: [Active] }) { totalCount list { id } } }')
  await question('{ quests(input: { order: OPEN_FIRST, statuses: [NotStarted] }) { totalCount list { id } } }')
  await question('{ quests(input: { order: OPEN_FIRST, spaceId: "40" }) { totalCount list { id } } }')
  await world.database.query(`INSERT INTO identity_subjects VALUES ($1, 'EVMAddress', $2)`, [
    ALICE_MAIN,
    BUSINESS_ACCOUNT,
  ])
  const board = (text: string) => question(`{ starboard(id: "1") { basicInfo { name } ${text} } }`)
  await board('leaderboard(pagination: { forward: { first: 3 } }) { edges { node { rank { value } } } }')
  await board(
    'leaderboard(twitterId: "alice_a", pagination: { forward: { first: 1 } }) { edges { node { rank { value } } } }',
  )
  await board(`userDetail(evmAddress: "${ALICE_MAIN}") { aura }`)
  await board(`twitterHandleByEvmAddress(evmAddress: "${ALICE_MAIN}") { twitterHandle }`)
  await question('{ __typename }', (await tokenWithLimits(world.deps, { perSecond: 100, perDay: 100 })).token)
}

/** An ingest token that is limited to objects of its account. */
async function ownedToken(world: World): Promise<string> {
  const account = { accountId: world.deps.random.uuid(), name: 'writer', createdAt: new Date(world.clock.now()) }
  const writer = await findOrCreateAccount(world.database.kysely, account)
  await world.database.query(`UPDATE spaces SET owner_account_id = $1 WHERE space_id = 42`, [writer])
  await world.database.query(`UPDATE starboards SET owner_account_id = $1`, [writer])
  await world.database.query(`UPDATE credentials SET owner_account_id = $1`, [writer])
  return ingestToken(world, {
    spaces: [42],
    starboards: ['1', 'onchain'],
    credentials: ['500', '501'],
    ownedOnly: true,
  })
}

/** Subscribes an endpoint to all events of the space with the board. */
async function subscribe({ database, clock }: World): Promise<void> {
  const [endpoint, types] = ['00000000-0000-4000-8000-0000000000d1', ['points.awarded', 'rank.entered', 'rank.left']]
  await database.query(
    `INSERT INTO webhook_endpoints (endpoint_id, account_id, url, description, event_types, subjects, min_points, top,
       boards, created_at)
     VALUES ($1, $2, 'https://hooks.example.com', '', $3, '{space:40}', 1, 3, 'all', $4)`,
    [endpoint, BUSINESS_ACCOUNT, types, new Date(clock.now())],
  )
  await database.query(`INSERT INTO webhook_subscriptions VALUES ('space:40', $1, $2, $3, 1, 3, 'all')`, [
    endpoint,
    BUSINESS_ACCOUNT,
    types,
  ])
}

/** A user signs in and allows an app; the app uses its tokens; the user uses the pages and signs out. */
export async function signInAndOut(service: SignInService): Promise<void> {
  const { browser, account } = await signedInBrowser(service)
  const app = await approvedApp(service, {
    expiringTokens: true,
    backchannelLogoutUri: 'https://app.example.com/logout',
  })
  const pkce = { code_challenge: pkcePair().challenge, code_challenge_method: 'S256' }
  const own = { client_id: app.clientId, client_secret: app.secret }
  const scope = 'EVMAddress ServiceID openid'
  const issued: Tokens = (await redeemCode(service, app, await codeFor(browser, app, { scope }))).json()
  const bearer = { authorization: `Bearer ${issued.access_token}` }
  const answers = [
    await tokenDetail(service, issued.access_token),
    await userData(service, issued.access_token),
    await service.fastify.inject({ url: '/oauth/userinfo', headers: bearer }),
    await service.fastify.inject({ url: '/oauth/jwks' }),
    await postForm(service, '/oauth/introspect', { ...own, token: issued.access_token }),
    await postForm(service, '/oauth/introspect', { ...own, token: issued.refresh_token }),
    await refreshTokens(service, app, issued.refresh_token ?? ''),
    await postForm(service, '/oauth/revoke', { ...own, token: issued.refresh_token }),
  ]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200))

  const replayed = await codeFor(browser, app, { scope })
  const taken: Tokens = (await redeemCode(service, app, replayed)).json()
  expect((await redeemCode(service, app, replayed)).statusCode).toBe(400)
  expect((await tokenDetail(service, taken.access_token)).statusCode).toBe(401)

  const challenged = await codeFor(browser, app, { scope, ...pkce }) // The consent is remembered.
  const origin = 'https://app.example.com'
  expect((await redeemCode(service, app, challenged, { code_verifier: 'x'.repeat(43) })).statusCode).toBe(400)
  const preflight = { origin, 'access-control-request-method': 'POST' }
  await service.fastify.inject({ method: 'OPTIONS', url: TOKEN_URL, headers: preflight })
  const foreign = await postForm(service, TOKEN_URL, { ...own, code: challenged }, { origin })
  expect(foreign.statusCode).toBe(400)
  const again = openBrowser(service.fastify)
  await signInWithWallet(again, account.wallet)
  const pages = ['session', 'sessions', 'identities', 'tokens', 'usage', 'audit', 'authorized-apps', 'apps', 'profile']
  const shown = await Promise.all(
    [...pages, 'webhooks', 'ingest-tokens', 'plans'].map((page) => browser.get(`/api/${page}`)),
  )
  expect(shown.map(({ statusCode }) => statusCode)).toEqual(shown.map(() => 200))
  expect((await browser.call('POST', '/api/tokens', { name: 'backend', areas: ['space'] })).statusCode).toBe(201)
  const quests = [
    `quests/${MAIN_QUEST}/readiness`,
    'my/quests',
    'my/quests?state=completed',
    'my/completed-quests?quests=GCactive00',
    'explore/logos?spaces=40',
  ]
  for (const path of quests) expect((await browser.get(`/api/${path}`)).statusCode).toBe(200)
  expect((await browser.call('POST', '/api/quests/GCactive00/claim')).statusCode).toBe(200)
  const asset = { erc20: account.wallet.address, startBlock: 1 }
  // Requests to loopback are not allowed, so the check is refused after its reads.
  await setSource(service.services, '500', {
    kind: 'WALLET_BALANCE',
    rpcUrl: 'http://127.0.0.1:1/',
    minimum: '1',
    asset,
  })
  const checked = await browser.call('POST', `/api/quests/${MAIN_QUEST}/verifications`, { credentialId: '500' })
  expect(checked.statusCode, checked.body).toBe(503)
  const wallet = testWallet()
  const asked = { kind: 'EVMAddress', purpose: 'link', address: wallet.address }
  const { id, message } = (await browser.call('POST', '/api/challenges', asked)).json<{ id: string; message: string }>()
  const linked = await browser.call('POST', `/api/challenges/${id}/proof`, { signature: wallet.sign(message) })
  expect(linked.statusCode).toBe(200)
  expect((await browser.call('DELETE', `/api/authorized-apps/${app.clientId}`)).statusCode).toBe(204)
  expect((await browser.call('DELETE', '/api/session')).statusCode).toBe(204)
}
