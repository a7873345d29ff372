import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requireApp } from '../../../src/oauth/apps.ts'
import { signJwt } from '../../../src/oauth/sign-jwt.ts'
import { subjectFor } from '../../../src/oauth/subject.ts'
import {
  approvedApp,
  authorizeUrl,
  postForm,
  signedInBrowser,
  type SignedIn,
  type TestApp,
  tokenDetail,
  tokensFor,
} from '../../support/oauth-flow.ts'
import { openBrowser } from '../../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
let owner: SignedIn
let user: SignedIn
/** Another user of the same apps, so that the list of users has two pages. */
let companion: SignedIn
let app: TestApp
beforeAll(async () => {
  service = await startSignIn()
  owner = await signedInBrowser(service)
  user = await signedInBrowser(service)
  companion = await signedInBrowser(service)
  app = await pairwiseApp('app.example.com')
})
afterAll(() => service.close())

const pairwiseApp = (host: string) =>
  approvedApp(
    service,
    { redirectUris: [`https://${host}/callback`], subjectType: 'pairwise', scopes: ['openid'] },
    owner.account.id,
  )

/** A service with the same database, of someone who does not have the secret. */
const withAnotherSecret = () =>
  startSignIn({
    database: service.database,
    settings: { QUESTBOARD_SECRET: 'a guess of at least thirty-two characters' },
  })

const firstPage = (by: TestApp) => `/api/apps/${by.clientId}/users?first=1`

async function tokensOfBoth(by: TestApp) {
  await tokensFor(service, companion.browser, by, { scope: 'openid' })
  return tokensFor(service, user.browser, by, { scope: 'openid' })
}

/** Every text of 10 or more characters that an app learns about the user. */
async function learnt(by: TestApp): Promise<Set<string>> {
  const tokens = await tokensOfBoth(by)
  const bearer = { authorization: `Bearer ${tokens.access_token}` }
  const credentials = { client_id: by.clientId, client_secret: by.secret }
  const facts = [
    decodeJwt(tokens.id_token as string),
    (await service.fastify.inject({ url: '/oauth/userinfo', headers: bearer })).json(),
    (await tokenDetail(service, tokens.access_token)).json(),
    (await postForm(service, '/oauth/introspect', { token: tokens.access_token, ...credentials })).json(),
    (await owner.browser.get(firstPage(by))).json(),
    (await owner.browser.get(`/api/audit?app=${by.clientId}`)).json(),
  ]
  return new Set(JSON.stringify(facts).match(/[\w-]{10,}/g))
}

test('two apps at different hosts find no common value of their common user', async () => {
  const other = await pairwiseApp('other.example.com')
  const [first, second] = [await learnt(app), await learnt(other)]
  for (const { account } of [user, companion])
    for (const known of [first, second]) expect(known).not.toContain(account.id)
  const common = [...first].filter((text) => second.has(text) && /\d/.test(text))
  const now = new Date(service.clock.now()).toISOString()
  const times = [Math.floor(service.clock.now() / 1000), Math.floor(service.clock.now() / 1000) + 3600].map(String)
  // The time as the pattern splits it, at the first colon.
  const expected = [...times, now.slice(0, 13), owner.account.id]
  expect(common.filter((text) => !expected.includes(text))).toEqual([])
})

test('the cursor of the users needs the secret, so that an owner cannot compute it from an account id', async () => {
  await tokensOfBoth(app)
  const thief = await withAnotherSecret()
  const ownerThere = openBrowser(thief.fastify)
  for (const [name, value] of owner.browser.cookies) ownerThere.cookies.set(name, value)
  const [here, there] = await Promise.all(
    [owner.browser, ownerThere].map(async (at) => (await at.get(firstPage(app))).json<{ next: string }>().next),
  )
  await thief.close()
  expect([here, there]).toEqual([expect.stringMatching(/_[\da-f]{64}$/), expect.stringMatching(/_[\da-f]{64}$/)])
  expect(here).not.toBe(there)
})

test('the database alone does not lead from a subject to its account', async () => {
  const { sub } = decodeJwt((await tokensFor(service, user.browser, app, { scope: 'openid' })).id_token as string)
  const tables = await service.database.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`,
  )
  for (const { table_name } of tables) {
    const rows = await service.database.query(`SELECT FROM ${table_name} t WHERE strpos(t::text, $1) > 0`, [sub])
    expect(rows, table_name).toEqual([])
  }
  const thief = await withAnotherSecret()
  const stored = await requireApp(service.services, app.clientId)
  await expect(subjectFor(thief.services, stored, user.account.id)).rejects.toThrow('encrypted with another secret')
  await thief.close()
})

test.each(['x', '\0', 'é'.repeat(22), 'A'.repeat(23), 'A'.repeat(22), '_'.repeat(21) + 'B'])(
  'a hint with the subject %j names nobody, and is never a server error',
  async (sub) => {
    for (const client of [app, await approvedApp(service)]) {
      const hint = await signJwt(service.services, 'JWT', { iss: service.issuer, aud: client.clientId, sub })
      const asked = await user.browser.get(authorizeUrl(client, { scope: 'openid', id_token_hint: hint }))
      expect(asked.statusCode).toBe(303)
      const left = await user.browser.get(`/oauth/logout?${new URLSearchParams({ id_token_hint: hint }).toString()}`)
      expect([303, 400]).toContain(left.statusCode)
      expect((await user.browser.get('/api/session')).json()).toMatchObject({ account: { id: user.account.id } })
    }
  },
)
