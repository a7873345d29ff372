import type { LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ensurePlans } from '../../../src/access/plans.ts'
import { lockAccount, setOperator } from '../../../src/accounts/account.queries.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { offerOf, subjects } from '../../identity/merging.ts'
import { json } from '../../identity/upstreams/answers.ts'
import { type OauthUpstream, startOauthUpstream, upstreamSettings } from '../../identity/upstreams/oauth-upstream.ts'
import { challenge, prove } from '../../identity/wallet-proof.ts'
import { waitingSessions } from '../../support/database.ts'
import { type Browser, openBrowser, signInWithWallet } from '../../support/oauth-browser.ts'
import { allow, approvedApp, authorizeUrl, CALLBACK, requestIdOf, signedInBrowser } from '../../support/oauth-flow.ts'
import { testPasskey } from '../../support/oauth-passkey.ts'
import { ISSUER, type SignInService, startSignIn } from '../../support/oauth-service.ts'
import { type TestWallet, testWallet } from '../../support/oauth-wallet.ts'
import { encodePng } from '../../support/png.ts'

// Ended sessions, unlinked identities and withdrawn consents also apply to requests that are in progress.
let upstream: OauthUpstream
let service: SignInService
beforeAll(async () => {
  upstream = await startOauthUpstream()
  service = await startSignIn({ settings: upstreamSettings(upstream.url) })
  const { database, clock } = service
  await ensurePlans(database, service.services.config)
  await importRecords({ database, clock }, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  const quest = { id: 'GCended', spaceId: 40, name: 'Q', type: 'Points' as const, loyaltyPoints: 1 }
  await importRecords({ database, clock }, 'quests', [quest])
})
beforeEach(() => {
  service.clock.advance(61_000)
  upstream.override.clear()
})
afterAll(async () => {
  await Promise.all([service.close(), upstream.close()])
})

const kind = 'EVMAddress'
const linkWallet = (browser: Browser, wallet: TestWallet) =>
  prove(browser, { kind, purpose: 'link', address: wallet.address }, ({ message }) => ({
    signature: wallet.sign(message),
  }))

/** The request of a valid proof. */
async function proofBy(browser: Browser, wallet: TestWallet, purpose: 'sign-in' | 'link') {
  const { id, message } = await challenge(browser, { kind, purpose, address: wallet.address })
  return { method: 'POST' as const, url: `/api/challenges/${id}/proof`, body: { signature: wallet.sign(message) } }
}

/** An account, and a thief who signed in to it with a stolen wallet. */
async function stolenAccount() {
  const { browser: owner, account } = await signedInBrowser(service)
  const stolen = testWallet()
  await linkWallet(owner, stolen)
  const thief = openBrowser(service.fastify, '203.0.113.6')
  expect((await signInWithWallet(thief, stolen)).id).toBe(account.id)
  return { owner, account, stolen, thief }
}

const unlink = (owner: Browser, wallet: TestWallet) =>
  owner.call('DELETE', '/api/identities', { kind, subject: wallet.address.toLowerCase() })

/** Queues requests behind a lock and runs `meanwhile` while they wait. */
async function queueRequests(
  accountId: string,
  requests: (() => Promise<LightMyRequestResponse>)[],
  { lock = 'SELECT FROM accounts WHERE account_id = $1 FOR UPDATE', meanwhile = 'SELECT $1::uuid' } = {},
): Promise<LightMyRequestResponse[]> {
  const holder = await service.database.pool.connect()
  let holding = true
  try {
    await holder.query('BEGIN')
    await holder.query(lock, lock.includes('$1') ? [accountId] : [])
    const answers = []
    for (const [n, request] of requests.entries()) {
      answers.push(request())
      await expect.poll(waiting).toBe(n + 1)
    }
    await holder.query(meanwhile, [accountId])
    await holder.query('COMMIT')
    holding = false
    return await Promise.all(answers)
  } finally {
    // A connection that still has locks is closed instead of returned to the pool.
    holder.release(holding)
  }
}

const waiting = () => waitingSessions(service.database)

test('attack 81: does not link an identity if the session ends during the request to Discord', async () => {
  const { owner, stolen, thief } = await stolenAccount()
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  upstream.override.set('/api/v10/users/@me', (_request, response) => {
    asked.resolve()
    void answered.promise.then(() => json(response, 200, { id: '4711', username: 'thief' }))
  })
  const started = await thief.get('/identity/Discord/start?purpose=link&return=/account')
  const query = upstream.consent(String(started.headers.location), {}).toString()
  const landing = thief.get(`/identity/Discord/callback?${query}`)
  await asked.promise
  expect((await unlink(owner, stolen)).statusCode).toBe(200)
  answered.resolve()
  expect((await landing).headers.location).toBe('/account?identity_error=sign_in_required&identity_kind=Discord')
  expect(await subjects(owner)).toHaveLength(1)
})

describe('attack 81: a session that ended', () => {
  test('changes nothing with requests that waited for the unlinking', async () => {
    const { owner, account, stolen, thief } = await stolenAccount()
    const app = await approvedApp(service)
    const own = testWallet()
    const request = requestIdOf(await thief.get(authorizeUrl(app)))
    const linking = await proofBy(thief, own, 'link')
    const headers = { 'x-csrf-token': await thief.csrfToken() }
    const [unlinked, ...refused] = await queueRequests(account.id, [
      () => unlink(owner, stolen),
      () => thief.send({ ...linking, headers }),
      () => thief.send({ method: 'POST', url: '/api/tokens', headers, body: { name: 'thief' } }),
      () => thief.send({ method: 'POST', url: `/api/authorizations/${request}`, headers, body: { decision: 'allow' } }),
    ])
    expect(unlinked?.statusCode).toBe(200)
    for (const answer of refused) expect(answer.json()).toMatchObject({ error: { code: 'sign_in_required' } })
    expect(await subjects(owner)).not.toContain(own.address.toLowerCase())
  })

  test('changes nothing with any other request', async () => {
    const { browser, account } = await signedInBrowser(service)
    await setOperator(service.database.kysely, account.id, new Date(service.clock.now()))
    const app = await approvedApp(service, {}, account.id)
    const allowed = await approvedApp(service)
    await allow(browser, allowed)
    const made = async (path: string, body: object) =>
      (await browser.call('POST', path, body)).json<{ tokenId: string; id: string }>()
    const token = await made('/api/tokens', { name: 'one' })
    const ingest = await made('/api/ingest-tokens', { name: 'one', spaces: 'all' })
    const hook = { url: 'https://9.9.9.9/hook', events: ['points.awarded'], spaceIds: [40] }
    const webhook = await made('/api/webhooks', hook)
    const list = { questId: 'GCended' }
    const snapshot = await made('/api/spaces/40/snapshots', list)
    const { id: offer } = await offerOf(browser, (await signedInBrowser(service)).account.wallet)
    const form = { name: 'App', purpose: 'Tests', redirectUris: [CALLBACK], scopes: [] }
    const pending = (await browser.call('POST', '/api/apps', form)).json<{ clientId: string }>()
    const changing = await approvedApp(service, {}, account.id)
    await browser.call('PATCH', `/api/apps/${changing.clientId}`, { redirectUris: ['https://new.example/'] })
    const { secrets } = (await browser.get(`/api/apps/${app.clientId}`)).json<{ secrets: { secretId: string }[] }>()
    const changes: [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object][] = [
      ['POST', `/api/tokens/${token.tokenId}/regenerate`],
      ['DELETE', `/api/tokens/${token.tokenId}`],
      ['POST', '/api/ingest-tokens', { name: 'two', spaces: 'all' }],
      ['POST', `/api/ingest-tokens/${ingest.tokenId}/regenerate`],
      ['POST', '/api/apps', form],
      ['PATCH', `/api/apps/${app.clientId}`, { redirectUris: ['https://evil.example/'] }],
      ['PUT', `/api/apps/${pending.clientId}/logo`, { logo: null }],
      ['POST', `/api/apps/${app.clientId}/secrets`],
      ['DELETE', `/api/apps/${app.clientId}/secrets/${secrets[0]?.secretId}`],
      ['DELETE', `/api/apps/${app.clientId}/users`],
      ['DELETE', `/api/apps/${app.clientId}`],
      ['POST', `/api/operator/apps/${pending.clientId}/refuse`],
      ['POST', `/api/operator/apps/${changing.clientId}/refuse-changes`],
      ['POST', '/api/webhooks', hook],
      ['PATCH', `/api/webhooks/${webhook.id}`, { description: 'thief' }],
      ['PATCH', `/api/webhooks/${webhook.id}`, { url: 'https://9.9.9.9/thief' }],
      ['POST', `/api/webhooks/${webhook.id}/rotate`],
      ['DELETE', `/api/webhooks/${webhook.id}`],
      ['PUT', '/api/spaces/40/logo', { image: encodePng(16, 16).toString('base64') }],
      ['POST', '/api/spaces/40/snapshots', list],
      ['DELETE', `/api/spaces/40/snapshots/${snapshot.id}`],
      ['POST', '/api/operator/snapshots', list],
      ['DELETE', `/api/operator/snapshots/${snapshot.id}`],
      ['DELETE', `/api/authorized-apps/${allowed.clientId}`],
      ['PATCH', '/api/account', { username: 'the-thief' }],
      ['PATCH', '/api/profile', { isPublic: true }],
      ['PUT', '/api/profile/avatar', { image: encodePng(16, 16).toString('base64') }],
      ['POST', `/api/merges/${offer}`],
      ['DELETE', '/api/sessions'],
      ['DELETE', '/api/account'],
    ]
    const headers = { 'x-csrf-token': await browser.csrfToken() }
    const [session] = await service.database.query<{ row: object }>(
      'SELECT to_jsonb(s) AS row FROM sessions s WHERE account_id = $1',
      [account.id],
    )
    for (const [method, url, body] of changes) {
      const [answer] = await queueRequests(
        account.id,
        [() => browser.send({ method, url, headers, ...(body && { body }) })],
        {
          meanwhile: 'DELETE FROM sessions WHERE account_id = $1',
        },
      )
      expect(answer?.json(), `${method} ${url}`).toMatchObject({ error: { code: 'sign_in_required' } })
      // Restores the session for the next request.
      await service.database.query('INSERT INTO sessions SELECT * FROM jsonb_populate_record(NULL::sessions, $1)', [
        session?.row,
      ])
    }
  })
})

test('limits the wait for the lock of an account to five seconds', async () => {
  const { account } = await signedInBrowser(service)
  const settings = await service.database.kysely.transaction().execute(async (transaction) => {
    expect(await lockAccount(transaction, account.id)).toBe(true)
    return sql`SHOW lock_timeout`.execute(transaction)
  })
  expect(settings.rows).toEqual([{ lock_timeout: '5s' }])
})

describe('attack 81: rejects a proof in progress after unlinking', () => {
  const isRefused = async (thief: Browser, proved: LightMyRequestResponse | undefined) => {
    expect(proved?.json()).toMatchObject({ error: { code: 'proof_gone' } })
    expect((await thief.get('/api/session')).json()).toMatchObject({ account: null })
  }

  test('a wallet', async () => {
    const { owner, account, stolen } = await stolenAccount()
    const thief = openBrowser(service.fastify, '203.0.113.7')
    const proof = await proofBy(thief, stolen, 'sign-in')
    const headers = { 'x-csrf-token': await thief.csrfToken() }
    const [unlinked, proved] = await queueRequests(
      account.id,
      [() => unlink(owner, stolen), () => thief.send({ ...proof, headers })],
      { lock: 'SELECT FROM identities WHERE account_id = $1 FOR UPDATE' },
    )
    expect(unlinked?.statusCode).toBe(200)
    await isRefused(thief, proved)
  })

  test('a passkey', async () => {
    const { browser: owner, account } = await signedInBrowser(service)
    const passkey = testPasskey({ origin: ISSUER, rpId: new URL(ISSUER).hostname })
    interface Challenge {
      id: string
      webauthn: { request: { challenge: string }; creation: { challenge: string } }
    }
    const ask = async (browser: Browser, purpose: string) =>
      (await browser.call('POST', '/api/challenges', { kind: 'ServiceID', purpose })).json<Challenge>()
    const link = await ask(owner, 'link')
    await owner.call('POST', `/api/challenges/${link.id}/proof`, passkey.register(link.webauthn.creation))
    const { passkeys } = (await owner.get('/api/identities')).json<{ passkeys: { id: string }[] }>()
    const thief = openBrowser(service.fastify, '203.0.113.7')
    const { id, webauthn } = await ask(thief, 'sign-in')
    const headers = { 'x-csrf-token': await thief.csrfToken() }
    const body = passkey.authenticate(webauthn.request)
    const [removed, proved] = await queueRequests(
      account.id,
      [
        () => owner.call('DELETE', '/api/identities', { kind: 'ServiceID', subject: passkeys[0]?.id }),
        () => thief.send({ method: 'POST', url: `/api/challenges/${id}/proof`, headers, body }),
      ],
      { lock: 'LOCK TABLE passkeys IN EXCLUSIVE MODE' },
    )
    expect(removed?.statusCode).toBe(200)
    await isRefused(thief, proved)
  })
})

test('signs in to the remaining account if the account is merged during the sign-in', async () => {
  const { browser: kept, account } = await signedInBrowser(service)
  const { account: ending } = await signedInBrowser(service)
  const { id: offer } = await offerOf(kept, ending.wallet)
  const user = openBrowser(service.fastify, '203.0.113.8')
  const proof = await proofBy(user, ending.wallet, 'sign-in')
  const headers = { 'x-csrf-token': await user.csrfToken() }
  const [merged, proved] = await queueRequests(
    ending.id,
    [() => kept.call('POST', `/api/merges/${offer}`), () => user.send({ ...proof, headers })],
    { lock: 'SELECT FROM identities WHERE account_id = $1 FOR UPDATE' },
  )
  expect([merged?.statusCode, proved?.statusCode]).toEqual([200, 200])
  expect((await user.get('/api/session')).json()).toMatchObject({ account: { id: account.id } })
})

test('attack 70: issues no silent code if the app deletes its users at the same time', async () => {
  const owner = await signedInBrowser(service)
  const app = await approvedApp(service, {}, owner.account.id)
  const { browser, account } = await signedInBrowser(service)
  await allow(browser, app)
  const [forgotten, started] = await queueRequests(
    account.id,
    [() => owner.browser.call('DELETE', `/api/apps/${app.clientId}/users`), () => browser.get(authorizeUrl(app))],
    { lock: 'LOCK TABLE authorization_codes IN SHARE MODE' },
  )
  expect(forgotten?.json()).toEqual({ revoked: 1 })
  expect(started?.headers.location).toMatch(/\/authorize\/\w+$/)
})
