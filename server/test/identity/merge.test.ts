import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ensurePlans } from '../../src/access/plans.ts'
import { createToken } from '../../src/access/server-tokens.ts'
import { setOperator } from '../../src/accounts/account.queries.ts'
import { type Browser, openBrowser, signInWithWallet } from '../support/oauth-browser.ts'
import {
  approvedApp,
  authorizeUrl,
  codeFor,
  redeemCode,
  refreshTokens,
  type SignedIn,
  type TestApp,
  tokenDetail,
  tokensFor,
  userData,
} from '../support/oauth-flow.ts'
import { testPasskey } from '../support/oauth-passkey.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'
import { testWallet } from '../support/oauth-wallet.ts'
import { clientId, type OauthUpstream, startOauthUpstream, upstreamSettings } from './upstreams/oauth-upstream.ts'
import { confirm, type Offer, offerOf, signIn, subjects, type View, viewOf } from './merging.ts'
import { prove, expectRejected } from './wallet-proof.ts'

let service: SignInService
let upstream: OauthUpstream
/** The account that remains after the merge. */
let kept: SignedIn
/** The account that the merge deletes, in another browser. */
let other: SignedIn
beforeAll(async () => {
  upstream = await startOauthUpstream()
  service = await startSignIn({ checkAnswers: true, settings: upstreamSettings(upstream.url) })
  await ensurePlans(service.database, service.services.config)
  upstream.now = () => service.clock.now()
})
beforeEach(async () => {
  service.clock.advance(61_000)
  kept = await signIn(service)
  other = await signIn(service)
})
afterAll(async () => {
  await Promise.all([service.close(), upstream.close()])
})

const offer = () => offerOf(kept.browser, other.account.wallet)
async function merged(): Promise<void> {
  const response = await confirm(kept.browser, (await offer()).id)
  expect(response.statusCode, response.body).toBe(200)
}

/** All columns of the database that contain the account. */
async function columnsWith(accountId: string): Promise<string[]> {
  const columns = await service.database.query<{ table_name: string; column_name: string }>(
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'uuid'`,
  )
  const found = await Promise.all(
    columns.map(async ({ table_name, column_name }) => {
      const rows = await service.database.query(`SELECT FROM ${table_name} WHERE ${column_name} = $1`, [accountId])
      return rows.length > 0 ? [`${table_name}.${column_name}`] : []
    }),
  )
  return found.flat().sort()
}

/** Creates one object of every kind for an account. */
async function fillAccount({ browser, account }: SignedIn, app: TestApp) {
  const { database, clock } = service
  const passkey = testPasskey({ origin: service.issuer, rpId: 'id.questboard.test' })
  const created = await prove(
    browser,
    { kind: 'ServiceID', purpose: 'link' },
    (given) =>
      passkey.register(
        (given as unknown as { webauthn: { creation: { challenge: string } } }).webauthn.creation,
      ) as object,
  )
  expect(created.statusCode, created.body).toBe(200)
  const injective = testWallet()
  await prove(browser, { kind: 'InjectiveAddress', address: injective.address, purpose: 'link' }, ({ message }) => ({
    signature: injective.sign(message),
  }))
  const { token } = await createToken(service.services, { accountId: account.id, name: 'CI' })
  const own = await approvedApp(service, {}, account.id)
  const space = 1 + Math.floor(Math.random() * 1e9)
  await database.query(
    `INSERT INTO spaces (space_id, name, owner_account_id, created_at) VALUES ($1, 's', $2, now())`,
    [space, account.id],
  )
  await database.query(`INSERT INTO spaces (space_id, name, created_at) VALUES ($1, 'team', now())`, [space + 1])
  await database.query(
    `INSERT INTO space_members (space_id, account_id, role, added_at) VALUES ($1, $2, 'editor', now())`,
    [space + 1, account.id],
  )
  await database.query(
    `INSERT INTO starboards (starboard_id, name, type, owner_account_id, created_at) VALUES ($1, 's', 'TWITTER', $2, now())`,
    [`s${space}`, account.id],
  )
  await database.query(
    `INSERT INTO credentials (credential_id, name, cred_type, cred_source, last_update, last_sync, owner_account_id)
     VALUES ($1, 'c', 'EVM_ADDRESS', 'CSV', now(), now(), $2)`,
    [space, account.id],
  )
  await database.query(
    `WITH hook AS (
       INSERT INTO webhook_endpoints (endpoint_id, account_id, url, description, event_types, subjects, min_points, top, boards, created_at)
       VALUES (gen_random_uuid(), $1, 'https://a.example', '', '{points.awarded}', '{space:1}', 1, 10, 'all', now())
       RETURNING endpoint_id)
     INSERT INTO webhook_subscriptions (subject, endpoint_id, account_id, event_types, min_points, top, boards)
     SELECT 'space:1', endpoint_id, $1, '{points.awarded}', 1, 10, 'all' FROM hook`,
    [account.id],
  )
  await database.query(
    `INSERT INTO imports (import_id, account_id, applied_by, undone_by, file_name, replaces, state, created_at, touched_at, ended_at)
     VALUES (gen_random_uuid(), $1, $1, $1, 'a.csv', false, 'stored', now(), now(), now())`,
    [account.id],
  )
  await setOperator(database.kysely, account.id, new Date(clock.now()))
  await browser.call('PATCH', '/api/profile', { username: `name-${space}`, isPublic: true })
  const tokens = await tokensFor(service, browser, app)
  const naming = await tokensFor(service, browser, app, { scope: 'EVMAddress ServiceID', prompt: 'consent' })
  await codeFor(browser, app)
  return { passkey, injective, token, own, space, tokens, naming }
}

describe('a merge', () => {
  test('moves everything at once; only the history still contains the deleted account', async () => {
    const app = await approvedApp(service, { expiringTokens: true })
    const had = await fillAccount(other, app)
    expect((await columnsWith(other.account.id)).length).toBeGreaterThan(15)
    const given = await offer()
    expect(given.from).toMatchObject({
      ...{ id: other.account.id, username: `name-${had.space}`, identities: 2, passkeys: 1, tokens: 1, apps: 1 },
      ...{ spaces: 1, teams: 1, starboards: 1, credentials: 1, grants: 1, endedGrants: 1, operator: true },
    })
    expect(given.into).toEqual({ id: kept.account.id, username: kept.account.username })
    const response = await confirm(kept.browser, given.id)
    expect(response.statusCode, response.body).toBe(200)

    const account = response.json<View>().account
    expect(account).toMatchObject({ id: kept.account.id, username: kept.account.username, operator: true })
    expect(account?.identities.map(({ kind }) => kind).sort()).toEqual(['EVMAddress', 'EVMAddress', 'InjectiveAddress'])
    expect(await columnsWith(other.account.id)).toEqual(['merged_accounts.account_id', 'security_events.account_id'])
    const places = await columnsWith(kept.account.id)
    for (const place of ['server_tokens.account_id', 'apps.owner_account_id', 'spaces.owner_account_id'])
      expect(places).toContain(place)
    expect(places).toContain('starboards.owner_account_id')
    expect(places).toContain('credentials.owner_account_id')
    expect(places).toContain('identity_aliases.account_id')
    expect(places).toContain('space_members.account_id')
    for (const column of ['account_id', 'applied_by', 'undone_by']) expect(places).toContain(`imports.${column}`)
  })
  test('keeps tokens for identities and revokes tokens for the account', async () => {
    const app = await approvedApp(service, { expiringTokens: true })
    const { tokens, naming } = await fillAccount(other, app)
    const before = (await userData(service, tokens.access_token)).json<object>()
    await merged()
    expect((await userData(service, tokens.access_token)).json()).toEqual(before)
    expect((await tokenDetail(service, naming.access_token)).statusCode).toBe(401)
    const refreshed = await refreshTokens(service, app, tokens.refresh_token as string)
    expect(refreshed.statusCode).toBe(200)
    expect((await refreshTokens(service, app, naming.refresh_token as string)).statusCode).toBe(400)
  })
  test('voids codes, and keeps the consent of the remaining account if both have one', async () => {
    const app = await approvedApp(service)
    await tokensFor(service, kept.browser, app)
    const code = await codeFor(other.browser, app)
    await merged()
    expect((await redeemCode(service, app, code)).statusCode).toBe(400)
    const rows = await service.database.query<{ shared: unknown }>(
      'SELECT shared FROM consents WHERE account_id = $1',
      [kept.account.id],
    )
    expect(rows).toMatchObject([{ shared: { EVMAddress: { subject: kept.account.wallet.address.toLowerCase() } } }])
  })
  test('lists an app whose grant moved, even if its consent contained the deleted account', async () => {
    const app = await approvedApp(service)
    const { access_token } = await tokensFor(service, other.browser, app)
    await tokensFor(service, other.browser, app, { scope: 'EVMAddress ServiceID openid', prompt: 'consent' })
    await merged()
    expect((await tokenDetail(service, access_token)).statusCode).toBe(200)
    const address = other.account.wallet.address.toLowerCase()
    const listed = { clientId: app.clientId, scopes: ['EVMAddress'], shared: { EVMAddress: [{ subject: address }] } }
    expect((await kept.browser.get('/api/authorized-apps')).json()).toMatchObject({ apps: [listed] })
    const rows = await service.database.query('SELECT scopes, shared FROM consents WHERE account_id = $1', [
      kept.account.id,
    ])
    expect(rows).toEqual([{ scopes: ['EVMAddress'], shared: { EVMAddress: { subject: address, username: null } } }])
  })
  test('maps an id_token_hint of the deleted account to the remaining one, until that is deleted', async () => {
    const app = await approvedApp(service)
    const { id_token } = await tokensFor(service, other.browser, app, { scope: 'openid' })
    const stranger = await signIn(service)
    for (const { browser } of [kept, stranger]) await codeFor(browser, app, { scope: 'openid' })
    const silent = { scope: 'openid', prompt: 'none', id_token_hint: id_token }
    const redirectOf = async (by: Browser) => String((await by.get(authorizeUrl(app, silent))).headers.location)
    expect(await redirectOf(kept.browser)).toContain('error=login_required')
    await merged()
    expect(await redirectOf(kept.browser)).toContain('code=')
    expect(await redirectOf(stranger.browser)).toContain('error=login_required')
    expect((await kept.browser.call('DELETE', '/api/account')).statusCode).toBe(204)
    expect(await redirectOf(stranger.browser)).toContain('code=')
  })
  test('ends the sessions of the deleted account and renews the session id of this browser', async () => {
    const before = kept.browser.cookies.get('__Host-questboard-session')
    await merged()
    expect(await viewOf(other.browser)).toBeNull()
    expect(kept.browser.cookies.get('__Host-questboard-session')).not.toBe(before)
    const stale = openBrowser(service.fastify)
    stale.cookies.set('__Host-questboard-session', before as string)
    expect(await viewOf(stale)).toBeNull()
  })
  test('signs in to the remaining account with the wallet and passkey of the deleted one', async () => {
    const { passkey } = await fillAccount(other, await approvedApp(service))
    await merged()
    expect((await signInWithWallet(openBrowser(service.fastify), other.account.wallet)).id).toBe(kept.account.id)
    const browser = openBrowser(service.fastify)
    const response = await prove(
      browser,
      { kind: 'ServiceID' },
      (given) =>
        passkey.authenticate(
          (given as unknown as { webauthn: { request: { challenge: string } } }).webauthn.request,
        ) as object,
    )
    expect(response.json<View>().account?.id).toBe(kept.account.id)
  })
  test('releases the username of the deleted account', async () => {
    await other.browser.call('PATCH', '/api/account', { username: 'Leaving' })
    await merged()
    expect((await kept.browser.call('PATCH', '/api/account', { username: 'Leaving' })).statusCode).toBe(200)
  })
  test('is in the history of both accounts, which the remaining account can read', async () => {
    await merged()
    interface Events {
      events: { accountId: string; event: string; details: object }[]
    }
    const { events } = (await kept.browser.get('/api/audit')).json<Events>()
    const proof = { kind: 'EVMAddress', subject: other.account.wallet.address.toLowerCase() }
    expect(events).toContainEqual(
      expect.objectContaining({
        accountId: kept.account.id,
        event: 'account.merged',
        details: { from: other.account.id, username: other.account.username, ...proof },
      }),
    )
    expect(events).toContainEqual(
      expect.objectContaining({
        accountId: other.account.id,
        event: 'account.merged-away',
        details: { into: kept.account.id, ...proof },
      }),
    )
  })
  test('includes accounts that were merged into the deleted one before', async () => {
    const third = await signIn(service)
    const first = await offerOf(other.browser, third.account.wallet)
    await confirm(other.browser, first.id)
    await merged()
    expect(await subjects(kept.browser)).toHaveLength(3)
    const { events } = (await kept.browser.get('/api/audit')).json<{ events: { accountId: string }[] }>()
    expect(new Set(events.map(({ accountId }) => accountId)).size).toBe(3)
  })
})

describe('proofs for a merge', () => {
  test('accept a passkey of the other account and reject a new one', async () => {
    const { passkey } = await fillAccount(other, await approvedApp(service))
    interface Ask {
      webauthn: { request: { challenge: string }; creation?: unknown }
    }
    const response = await prove(kept.browser, { kind: 'ServiceID', purpose: 'merge' }, (given) => {
      const { webauthn } = given as unknown as Ask
      expect(webauthn.creation).toBeUndefined()
      return passkey.authenticate(webauthn.request) as object
    })
    expect(response.json<{ merge: Offer }>().merge.from.id).toBe(other.account.id)
    const fresh = testPasskey({ origin: service.issuer, rpId: 'id.questboard.test' })
    const refused = await prove(
      kept.browser,
      { kind: 'ServiceID', purpose: 'merge' },
      (given) => fresh.register((given as unknown as Ask).webauthn.request) as object,
    )
    expectRejected(refused, 400, 'bad_request')
  })
  test('redirect from Discord to the confirmation of the merge', async () => {
    const user = { id: '4711', username: 'ada', global_name: 'Ada' }
    const begin = async (browser: Browser, purpose: string) => {
      const started = await browser.get(`/identity/Discord/start?purpose=${purpose}&return=/account`)
      expect(new URL(String(started.headers.location)).searchParams.get('client_id')).toBe(clientId)
      return browser.get(
        `/identity/Discord/callback?${upstream.consent(String(started.headers.location), user).toString()}`,
      )
    }
    expect((await begin(other.browser, 'link')).headers.location).toBe('/account')
    const back = String((await begin(kept.browser, 'merge')).headers.location)
    const id = /^\/account\?merge=([0-9A-Za-z]{32})$/.exec(back)?.[1] as string
    expect((await kept.browser.get(`/api/merges/${id}`)).json()).toMatchObject({ from: { id: other.account.id } })
    expect((await confirm(kept.browser, id)).statusCode).toBe(200)
    const foreign = await kept.browser.get('/identity/Discord/start?purpose=merge', { 'sec-fetch-site': 'cross-site' })
    expect(foreign.statusCode).toBe(403)
  })
})

test('deletes an account completely, with all merged accounts', async () => {
  await fillAccount(other, await approvedApp(service))
  await merged()
  for (const { clientId: id } of (await kept.browser.get('/api/apps')).json<{ apps: { clientId: string }[] }>().apps)
    await kept.browser.call('DELETE', `/api/apps/${id}`)
  await kept.browser.call('PATCH', '/api/profile', { isPublic: true })
  expect((await kept.browser.call('DELETE', '/api/account')).statusCode).toBe(204)
  expect(await columnsWith(kept.account.id)).toEqual([])
  expect(await columnsWith(other.account.id)).toEqual([])
})
