import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { auditCommand } from '../../src/command/audit.ts'
import { setOperator } from '../../src/accounts/account.queries.ts'
import { openBrowser, signInWithWallet } from '../support/oauth-browser.ts'
import {
  approvedApp,
  codeFor,
  redeemCode,
  refreshTokens,
  signedInBrowser,
  type Tokens,
  tokensFor,
} from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'
import { testWallet } from '../support/oauth-wallet.ts'

let service: SignInService
const printed: string[] = []
beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
})
beforeEach(() => {
  service.clock.advance(61_000)
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
  vi.spyOn(console, 'error').mockImplementation((text: string) => void printed.push(text))
})
afterEach(() => {
  printed.length = 0
})
afterAll(() => service.close())

interface Page {
  events: { event: string; eventId: string; clientId?: string; details: Record<string, string> }[]
  next: string | null
}
const page = async (browser: ReturnType<typeof openBrowser>, query = '') =>
  (await browser.get(`/api/audit${query}`)).json<Page>()

test('shows the owner of an account its sign-ins, links, consents, replays and secrets', async () => {
  const { browser, account } = await signedInBrowser(service)
  const app = await approvedApp(service, { expiringTokens: true }, account.id)
  const code = await codeFor(browser, app)
  const { refresh_token } = (await redeemCode(service, app, code)).json<Tokens>()
  await refreshTokens(service, app, refresh_token as string)
  service.clock.advance(11_000)
  await refreshTokens(service, app, refresh_token as string)
  await redeemCode(service, app, code)
  const wallet = testWallet()
  const asked = { kind: 'EVMAddress', purpose: 'link', address: wallet.address }
  const { id, message } = (await browser.call('POST', '/api/challenges', asked)).json<{ id: string; message: string }>()
  await browser.call('POST', `/api/challenges/${id}/proof`, { signature: wallet.sign(message) })
  await browser.call('DELETE', '/api/identities', { kind: 'EVMAddress', subject: wallet.address.toLowerCase() })
  await browser.call('PATCH', '/api/account', { username: 'audited' })
  await browser.call('POST', `/api/apps/${app.clientId}/secrets`)
  await browser.call('DELETE', `/api/authorized-apps/${app.clientId}`)
  const names = (await page(browser)).events.map(({ event }) => event)
  for (const event of [
    'account.created',
    'session.started',
    'app.applied',
    'app.approved',
    'app.secret-issued',
    'consent.granted',
    'grant.refresh-token-replayed',
    'grant.code-replayed',
    'identity.linked',
    'identity.unlinked',
    'account.renamed',
    'consent.withdrawn',
  ])
    expect(names).toContain(event)
  expect(JSON.stringify(await page(browser))).not.toMatch(/qb[urcx]_/)
})

test('pages without gaps, also between events of the same moment', async () => {
  const browser = openBrowser(service.fastify)
  await signInWithWallet(browser)
  for (let n = 0; n < 5; n++) await browser.call('PATCH', '/api/account', { username: `paged-${n}` })
  const all = (await page(browser)).events.map(({ eventId }) => eventId)
  expect(all).toHaveLength(7)
  const collected: string[] = []
  let next: string | null = ''
  while (next !== null) {
    const { events, next: following }: Page = await page(browser, `?first=2${next && `&before=${next}`}`)
    collected.push(...events.map(({ eventId }) => eventId))
    next = following
  }
  expect(collected).toEqual(all)
})

test.each([
  'first=0',
  'first=101',
  'first=x',
  'first=1&first=2',
  'before=soon',
  'before=2026-11-21T12:00:00Z_x',
  'before=_',
])('names the invalid parameter of %s', async (query) => {
  const { browser } = await signedInBrowser(service)
  const response = await browser.get(`/api/audit?${query}`)
  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ error: { code: 'invalid_argument', field: query.split('=')[0] } })
})

test('shows an account its own events only, and operators all events', async () => {
  const { browser, account } = await signedInBrowser(service)
  const other = await signedInBrowser(service)
  expect((await openBrowser(service.fastify).get('/api/audit')).statusCode).toBe(401)
  expect((await browser.get('/api/operator/audit')).statusCode).toBe(403)
  await setOperator(service.database.kysely, account.id, new Date(service.clock.now()))
  const read = async (query: string) =>
    (await browser.get(`/api/operator/audit${query}`)).json<{ events: { accountId: string }[] }>().events
  const owners = new Set((await read('')).map(({ accountId }) => accountId))
  expect(owners).toContain(other.account.id)
  expect(owners.size).toBeGreaterThan(1)
  expect(new Set((await read(`?account=${other.account.id}`)).map(({ accountId }) => accountId))).toEqual(
    new Set([other.account.id]),
  )
  const { usernames } = (await browser.get('/api/operator/audit')).json<{ usernames: Record<string, string> }>()
  expect(usernames).toMatchObject({ [other.account.id]: other.account.username })
  expect((await browser.get('/api/operator/audit?account=x')).statusCode).toBe(404)
})

test('prints the same events with questboard audit, page by page', async () => {
  const { browser, account } = await signedInBrowser(service)
  service.clock.advance(1000)
  await tokensFor(service, browser, await approvedApp(service))
  const run = (...words: string[]) =>
    auditCommand((work) => work(service.services)).parseAsync(['--account', account.id, ...words], { from: 'user' })
  await run('--first', '2')
  expect(printed).toHaveLength(3)
  expect(printed[0]).toMatch(
    new RegExp(`^\\S+Z  consent\\.granted  ${account.id}\\n    app \\S+; from 192\\.0\\.2\\.1; scopes=EVMAddress$`),
  )
  const [, place = ''] = /^More: --before (\S+)$/.exec(printed[2] as string) ?? []
  printed.length = 0
  await run('--before', place)
  expect(printed).toHaveLength(1)
  await expect(run('--before', 'soon')).rejects.toThrow('before must be a time')
  await expect(run('--account', 'x')).rejects.toThrow('Account not found')
})
