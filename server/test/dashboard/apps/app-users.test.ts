import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOUR } from '../../../src/clock.ts'
import {
  approvedApp,
  authorizeUrl,
  signedInBrowser,
  type SignedIn,
  type TestApp,
  tokenDetail,
  tokensFor,
} from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
let owner: SignedIn
let app: TestApp

beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
  owner = await signedInBrowser(service)
  app = await approvedApp(service, { expiringTokens: true }, owner.account.id)
})
afterAll(() => service.close())

interface Users {
  total: number
  users: { scopes: string[]; shared: Record<string, { subject: string }>; lastUsedAt: string | null }[]
  next: string | null
}
const usersOf = async ({ clientId }: TestApp, search = '') =>
  (await owner.browser.get(`/api/apps/${clientId}/users${search}`)).json<Users>()

test('lists the users of an app by page, with only the data that the app received', async () => {
  const people: SignedIn[] = []
  for (let n = 0; n < 5; n++) {
    const person = await signedInBrowser(service)
    people.push(person)
    // Two consents at the same time have a fixed order, too.
    if (n % 2 === 0) service.clock.advance(1_000)
    await tokensFor(service, person.browser, app)
  }
  const wallets = people.map(({ account }) => account.wallet.address.toLowerCase())
  const seen: string[] = []
  let page = await usersOf(app, '?first=2')
  for (;;) {
    expect(page.total).toBe(5)
    seen.push(...page.users.map(({ shared }) => shared.EVMAddress?.subject ?? ''))
    if (page.next === null) break
    expect(people.some(({ account }) => page.next?.includes(account.id))).toBe(false)
    page = await usersOf(app, `?first=2&before=${page.next}`)
  }
  expect(seen.toSorted()).toEqual(wallets.toSorted())
  expect(seen[0]).toBe(wallets[4])
  expect(JSON.stringify(await usersOf(app))).not.toContain(people[0]?.account.id)
})

test('returns unrelated cursors for the user lists of two apps', async () => {
  const another = await approvedApp(service, { expiringTokens: true }, owner.account.id)
  const people = [await signedInBrowser(service), await signedInBrowser(service)]
  for (const person of people)
    for (const one of [app, another]) {
      service.clock.advance(1_000)
      await tokensFor(service, person.browser, one)
    }
  const [here, there] = await Promise.all([app, another].map((one) => usersOf(one, '?first=1')))
  const placeOf = (page: Users | undefined) => /_([0-9a-f]{64})$/.exec(page?.next ?? '')?.[1]
  expect(here?.users[0]?.shared.EVMAddress).toEqual(there?.users[0]?.shared.EVMAddress)
  expect([placeOf(here), placeOf(there)]).toEqual([expect.any(String), expect.any(String)])
  expect(placeOf(here)).not.toBe(placeOf(there))
})

test('revokes all access at once, and asks users for consent again', async () => {
  const person = await signedInBrowser(service)
  const { access_token } = await tokensFor(service, person.browser, app)
  expect((await tokenDetail(service, access_token)).statusCode).toBe(200)
  const revoke = () => owner.browser.call('DELETE', `/api/apps/${app.clientId}/users`)
  const revoked = (await revoke()).json<{ revoked: number }>().revoked
  expect(revoked).toBe(8)
  expect((await tokenDetail(service, access_token)).statusCode).toBe(401)
  expect(await usersOf(app)).toEqual({ total: 0, users: [], next: null })
  const again = await person.browser.get(authorizeUrl(app))
  expect(again.headers.location).toContain('/authorize/')
  service.clock.advance(1_000)
  expect((await revoke()).json()).toEqual({ revoked: 0 })
  const { events } = (await owner.browser.get('/api/audit')).json<{ events: { event: string; details: object }[] }>()
  expect(events.find(({ event }) => event === 'app.users-revoked')?.details).toEqual({ users: '0' })
  service.clock.advance(2 * HOUR)
  expect((await revoke()).json()).toMatchObject({ error: { code: 'fresh_sign_in_required' } })
})

test('lets only the owner list and revoke the users of an app', async () => {
  const other = await signedInBrowser(service)
  const path = `/api/apps/${app.clientId}/users`
  expect((await other.browser.get(path)).statusCode).toBe(404)
  expect((await other.browser.call('DELETE', path)).statusCode).toBe(404)
  for (const search of ['?first=0', '?first=101', '?before=x', `?before=2026-13-45T00:00:00.000Z_${'a'.repeat(64)}`])
    expect((await owner.browser.get(path + search)).statusCode, search).toBe(400)
})
