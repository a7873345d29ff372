import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensurePlans } from '../../src/access/plans.ts'
import { MINUTE } from '../../src/clock.ts'
import { setOperator } from '../../src/accounts/account.queries.ts'
import { openBrowser, signInWithWallet } from '../support/oauth-browser.ts'
import { approvedApp, type SignedIn, signedInBrowser, tokenDetail, tokensFor } from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'
import { type TestWallet, testWallet } from '../support/oauth-wallet.ts'
import { prove } from '../identity/wallet-proof.ts'

let service: SignInService
beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
  await ensurePlans(service.database, service.services.config)
})
afterAll(() => service.close())

interface CreatedSince {
  since: string
  sessions: number
  apps: { clientId: string }[]
  tokens: { tokenId: string; name: string; type: string }[]
}

const iso = () => new Date(service.clock.now()).toISOString()
const identityOf = (wallet: TestWallet) => ({ kind: 'EVMAddress', subject: wallet.address.toLowerCase() })
const createdSince = async ({ browser }: SignedIn, wallet: TestWallet) =>
  (
    await browser.get(`/api/identities/created-since?${new URLSearchParams(identityOf(wallet)).toString()}`)
  ).json<CreatedSince>()
const create = async ({ browser }: SignedIn, path: string, body: object) =>
  (await browser.call('POST', path, body)).json<{ tokenId: string; token: string }>()
const liveTokens = async ({ browser }: SignedIn) => {
  const lists = await Promise.all(
    ['/api/tokens', '/api/ingest-tokens'].map(
      async (path) => (await browser.get(path)).json<{ tokens: { name: string; revokedAt: string | null }[] }>().tokens,
    ),
  )
  return lists.flat().flatMap(({ name, revokedAt }) => (revokedAt === null ? [name] : []))
}

/** An account whose second wallet was stolenWallet; the thief signed in with it and created tokens and grants. */
async function stolenWallet() {
  const owner = await signedInBrowser(service)
  await setOperator(service.database.kysely, owner.account.id, new Date(service.clock.now()))
  service.clock.advance(MINUTE)
  const wallet = testWallet()
  await prove(owner.browser, { ...identityOf(wallet), address: wallet.address, purpose: 'link' }, ({ message }) => ({
    signature: wallet.sign(message),
  }))
  const [oldApp, newApp] = [await approvedApp(service), await approvedApp(service)]
  const oldGrant = await tokensFor(service, owner.browser, oldApp)
  await create(owner, '/api/tokens', { name: 'old' })
  const regenerated = await create(owner, '/api/tokens', { name: 'old, regenerated' })
  service.clock.advance(10 * MINUTE)
  const signedInAt = iso()
  const browser = openBrowser(service.fastify)
  const thief: SignedIn = { browser, account: await signInWithWallet(browser, wallet) }
  service.clock.advance(MINUTE)
  const newGrant = await tokensFor(service, browser, newApp)
  await create(thief, '/api/tokens', { name: 'new' })
  await create(thief, '/api/ingest-tokens', { name: 'new ingest', spaces: [1] })
  await browser.call('POST', `/api/tokens/${regenerated.tokenId}/regenerate`)
  service.clock.advance(MINUTE)
  return { owner, wallet, thief, signedInAt, oldApp, newApp, oldGrant, newGrant }
}

const statusOf = async (token: string) => (await tokenDetail(service, token)).statusCode

test('lists sessions, apps and tokens created since the last sign-in of an identity', async () => {
  const { owner, wallet, signedInAt, newApp } = await stolenWallet()
  const listed = await createdSince(owner, wallet)
  expect(listed).toMatchObject({ since: signedInAt, sessions: 1, apps: [{ clientId: newApp.clientId }] })
  expect(listed.tokens.map(({ name, type }) => [name, type])).toEqual([
    ['old, regenerated', 'server'],
    ['new', 'server'],
    ['new ingest', 'ingest'],
  ])
  expect((await createdSince(owner, owner.account.wallet)).tokens).toHaveLength(4)
  expect((await owner.browser.get('/api/identities/created-since?kind=EVMAddress&subject=0x1')).statusCode).toBe(404)
  expect((await owner.browser.get('/api/identities/created-since?kind=EVMAddress')).json()).toMatchObject({
    error: { field: 'subject' },
  })
})

test('ends everything created since the last sign-in with `endCreated`, and nothing older', async () => {
  const { owner, wallet, thief, oldGrant, newGrant, newApp } = await stolenWallet()
  const unlinked = await owner.browser.call('DELETE', '/api/identities', { ...identityOf(wallet), endCreated: true })
  expect(unlinked.statusCode, unlinked.body).toBe(200)
  expect(await liveTokens(owner)).toEqual(['old'])
  expect([await statusOf(oldGrant.access_token), await statusOf(newGrant.access_token)]).toEqual([200, 401])
  expect((await thief.browser.get('/api/session')).json()).toMatchObject({ account: null })
  const { events } = (await owner.browser.get('/api/audit?first=6')).json<{
    events: { event: string; clientId?: string }[]
  }>()
  const ended = events.map(({ event, clientId }) => (clientId === undefined ? event : `${event} ${clientId}`))
  expect(ended).toEqual(
    expect.arrayContaining(['token.revoked', 'ingest-token.revoked', `consent.withdrawn ${newApp.clientId}`]),
  )
})

test('ends only sessions without `endCreated`', async () => {
  const { owner, wallet, thief, newGrant } = await stolenWallet()
  expect((await owner.browser.call('DELETE', '/api/identities', identityOf(wallet))).statusCode).toBe(200)
  expect(await liveTokens(owner)).toHaveLength(4)
  expect(await statusOf(newGrant.access_token)).toBe(200)
  expect((await thief.browser.get('/api/session')).json()).toMatchObject({ account: null })
})
