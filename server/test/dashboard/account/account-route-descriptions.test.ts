import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, openBrowser, signInWithWallet } from '../../support/oauth-browser.ts'
import {
  allow,
  approvedApp,
  authorizeUrl,
  codeFor,
  redeemCode,
  signedInBrowser,
  type TestApp,
  tokenDetail,
  tokensFor,
  userData,
} from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'
import { testWallet } from '../../support/oauth-wallet.ts'

let service: SignInService
let app: TestApp
beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
  app = await approvedApp(service, { expiringTokens: true })
})
afterAll(() => service.close())

interface AuthorizedApps {
  apps: {
    clientId: string
    name: string
    scopes: string[]
    shared: Record<string, { subject: string }[]>
    lastUsedAt: string | null
  }[]
}
const authorizedApps = async (browser: Browser) =>
  (await browser.get('/api/authorized-apps')).json<AuthorizedApps>().apps
const subjectsOf = (app: AuthorizedApps['apps'][number] | undefined) =>
  Object.fromEntries(
    Object.entries(app?.shared ?? {}).map(([scope, seen]) => [scope, seen.map(({ subject }) => subject).sort()]),
  )

test('lists an active grant, regardless of the consent that created it', async () => {
  const { browser, account } = await signedInBrowser(service)
  const second = await linkedWallet(browser)
  const first = account.wallet.address.toLowerCase()
  const both = { scope: 'EVMAddress ServiceID' }
  const old = await redeemCode(service, app, codeIn(await allow(browser, app, both, { EVMAddress: first })))
  const picked = { prompt: 'consent', ...both }
  await redeemCode(service, app, codeIn(await allow(browser, app, picked, { EVMAddress: second })))
  const naming = await tokensFor(service, browser, app, { scope: 'ServiceID' })
  const [seen] = await authorizedApps(browser)
  expect(subjectsOf(seen)).toEqual({ EVMAddress: [first, second].sort(), ServiceID: [account.id] })

  const unlink = (subject: string) => browser.call('DELETE', '/api/identities', { kind: 'EVMAddress', subject })
  expect((await unlink(second)).statusCode).toBe(200)
  const { access_token } = old.json<{ access_token: string }>()
  expect((await tokenDetail(service, access_token)).statusCode).toBe(200)
  const [left] = await authorizedApps(browser)
  expect(left?.scopes.toSorted()).toEqual(['EVMAddress', 'ServiceID'])
  expect(subjectsOf(left)).toEqual({ EVMAddress: [first], ServiceID: [account.id] })
  expect(String((await browser.get(authorizeUrl(app))).headers.location)).not.toContain('code=')
  expect(String((await browser.get(authorizeUrl(app, { scope: 'ServiceID' }))).headers.location)).toContain('code=')

  await service.database.query('DELETE FROM consents WHERE account_id = $1', [account.id])
  expect(subjectsOf((await authorizedApps(browser))[0])).toEqual({ EVMAddress: [first], ServiceID: [account.id] })
  expect((await browser.call('DELETE', `/api/authorized-apps/${app.clientId}`)).statusCode).toBe(204)
  for (const token of [access_token, naming.access_token])
    expect((await tokenDetail(service, token)).statusCode).toBe(401)
  expect(await authorizedApps(browser)).toEqual([])
})

test('lists an app without active tokens only while its consent is remembered', async () => {
  const { browser, account } = await signedInBrowser(service)
  await tokensFor(service, browser, app)
  await service.database.query('DELETE FROM consents WHERE account_id = $1', [account.id])
  expect(await authorizedApps(browser)).toHaveLength(1)
  await service.database.query('UPDATE grants SET revoked_at = now() WHERE account_id = $1', [account.id])
  expect(await authorizedApps(browser)).toEqual([])
})

const codeIn = (url: URL) => url.searchParams.get('code') as string

/** Links one more wallet and returns its address. */
async function linkedWallet(browser: Browser): Promise<string> {
  const wallet = testWallet()
  const asked = await browser.call('POST', '/api/challenges', {
    kind: 'EVMAddress',
    purpose: 'link',
    address: wallet.address,
  })
  const { id, message } = asked.json<{ id: string; message: string }>()
  await browser.call('POST', `/api/challenges/${id}/proof`, { signature: wallet.sign(message) })
  return wallet.address.toLowerCase()
}

test('lists the authorized apps of a user with scopes and last use to the minute', async () => {
  const { browser } = await signedInBrowser(service)
  const { access_token } = await tokensFor(service, browser, app)
  service.clock.advance(5 * 60_000)
  await userData(service, access_token)
  const { apps } = (await browser.get('/api/authorized-apps')).json<AuthorizedApps>()
  expect(apps).toMatchObject([
    {
      clientId: app.clientId,
      name: 'Example App',
      publisher: null,
      scopes: ['EVMAddress'],
      lastUsedAt: new Date(service.clock.now()).toISOString(),
    },
  ])
  expect((await browser.call('DELETE', '/api/authorized-apps/nobodyknowsme')).statusCode).toBe(404)
})

test('ends all sessions when a user signs out everywhere, and keeps the grants of apps', async () => {
  const wallet = testWallet()
  const [here, there] = [openBrowser(service.fastify), openBrowser(service.fastify)]
  await signInWithWallet(here, wallet)
  await signInWithWallet(there, wallet)
  const { access_token } = await tokensFor(service, here, app)
  const listed = (await here.get('/api/sessions')).json<{ sessions: { current: boolean }[] }>()
  expect(listed.sessions.map(({ current }) => current).sort()).toEqual([false, true])
  expect((await here.call('DELETE', '/api/sessions')).statusCode).toBe(204)
  for (const browser of [here, there])
    expect((await browser.get('/api/session')).json()).toMatchObject({ account: null })
  expect((await tokenDetail(service, access_token)).statusCode).toBe(200)
})

test('ends a session of another browser, but not of another account', async () => {
  const wallet = testWallet()
  const [here, there] = [openBrowser(service.fastify), openBrowser(service.fastify)]
  await signInWithWallet(here, wallet)
  await signInWithWallet(there, wallet)
  const { sessions } = (await here.get('/api/sessions')).json<{ sessions: { sessionId: string; current: boolean }[] }>()
  const other = sessions.find(({ current }) => !current)?.sessionId
  const stranger = await signedInBrowser(service)
  expect((await stranger.browser.call('DELETE', `/api/sessions/${other}`)).statusCode).toBe(404)
  expect((await here.call('DELETE', `/api/sessions/${other}`)).statusCode).toBe(204)
  expect((await there.get('/api/session')).json()).toMatchObject({ account: null })
  expect((await here.get('/api/session')).json()).not.toMatchObject({ account: null })
})

test('ends a session after two idle weeks, and after ninety days at the latest', async () => {
  const day = 86_400_000
  const isSignedIn = async (browser: ReturnType<typeof openBrowser>) =>
    (await browser.get('/api/session')).json<{ account: unknown }>().account !== null
  const touched = async (browser: ReturnType<typeof openBrowser>) =>
    (await browser.get('/api/sessions')).statusCode === 200
  const idle = (await signedInBrowser(service)).browser
  service.clock.advance(14 * day - 1)
  expect(await isSignedIn(idle)).toBe(true)
  service.clock.advance(2)
  expect(await isSignedIn(idle)).toBe(false)
  const busy = (await signedInBrowser(service)).browser
  for (let n = 0; n < 8; n++) {
    service.clock.advance(11 * day)
    expect(await touched(busy)).toBe(true)
  }
  service.clock.advance(3 * day)
  expect(await touched(busy)).toBe(false)
})

test('accepts unique usernames with letters, digits, _ and -', async () => {
  const { browser, account } = await signedInBrowser(service)
  const other = await signedInBrowser(service)
  const rename = (username: unknown) => browser.call('PATCH', '/api/account', { username })
  expect((await rename('quest_er-1')).json()).toMatchObject({ id: account.id, username: 'quest_er-1' })
  for (const bad of ['ab', 'a b', 'x'.repeat(41), '<b>', 5, 'аdmin']) expect((await rename(bad)).statusCode).toBe(400)
  const reserved = ['default', 'Default', 'admin', 'Support', 'QUESTBOARD', 'official', 'root']
  for (const taken of [other.account.username, ...reserved]) expect((await rename(taken)).statusCode).toBe(409)
})

test('requires an account to delete its apps first, and then deletes all its data', async () => {
  const { browser, account } = await signedInBrowser(service)
  const own = await approvedApp(service, {}, account.id)
  await tokensFor(service, browser, app)
  await codeFor(browser, app)
  expect((await browser.call('DELETE', '/api/account')).statusCode).toBe(409)
  expect((await browser.call('DELETE', `/api/apps/${own.clientId}`)).statusCode).toBe(204)
  expect((await browser.call('DELETE', '/api/account')).statusCode).toBe(204)
  const columns = await service.database.query<{ table_name: string; column_name: string }>(
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = 'public' AND udt_name = 'uuid' AND column_name LIKE '%account_id'`,
  )
  expect(columns.length).toBeGreaterThan(8)
  for (const { table_name, column_name } of columns)
    expect(await service.database.query(`SELECT 1 FROM ${table_name} WHERE ${column_name} = $1`, [account.id])).toEqual(
      [],
    )
})

test('requires a recent sign-in to delete the account', async () => {
  const { browser } = await signedInBrowser(service)
  service.clock.advance(60 * 60_000 + 1)
  expect((await browser.call('DELETE', '/api/account')).statusCode).toBe(403)
})
