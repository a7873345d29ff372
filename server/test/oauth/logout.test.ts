import * as openid from 'openid-client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { allow, approvedApp, signedInBrowser, type SignedIn, type TestApp, tokensFor } from '../support/oauth-flow.ts'
import { type SignInService, startListening } from '../support/oauth-service.ts'

const BACK = 'https://app.example.com/signed-out?from=app'

let service: SignInService
let app: TestApp
let user: SignedIn
beforeAll(async () => {
  service = await startListening()
  app = await approvedApp(service, { postLogoutRedirectUris: [BACK] })
})
beforeEach(async () => {
  user = await signedInBrowser(service)
})
afterAll(() => service.close())

const account = async () => (await user.browser.get('/api/session')).json<{ account: object | null }>().account
const logout = (parameters: Record<string, string>) =>
  user.browser.get(`/oauth/logout?${new URLSearchParams(parameters).toString()}`)
const idToken = async () => (await tokensFor(service, user.browser, app, { scope: 'openid' })).id_token as string

test('openid-client: signs the user of the id_token out and returns to the app with state', async () => {
  const options = { execute: [openid.allowInsecureRequests] }
  const config = await openid.discovery(new URL(service.issuer), app.clientId, app.secret, undefined, options)
  const url = openid.buildEndSessionUrl(config, {
    id_token_hint: await idToken(),
    post_logout_redirect_uri: BACK,
    state: 'state & more',
  })
  const answer = await user.browser.get(url.pathname + url.search)
  expect(answer.statusCode).toBe(303)
  expect(answer.headers.location).toBe(`${BACK}&state=state%20%26%20more`)
  expect(await account()).toBeNull()
  const events = await service.database.query<{ event: string }>(
    `SELECT event FROM security_events WHERE account_id = $1 AND event = 'session.ended'`,
    [user.account.id],
  )
  expect(events).toHaveLength(1)
})

test('signs out with an expired hint, and shows the page without a return address', async () => {
  const hint = await idToken()
  service.clock.advance(2 * 3_600_000)
  const answer = await logout({ id_token_hint: hint })
  expect(answer.headers.location).toBe(`${service.issuer}/sign-out`)
  expect(await account()).toBeNull()
})

test('returns at once without a signed-in user', async () => {
  await user.browser.call('DELETE', '/api/session')
  const answer = await logout({ client_id: app.clientId, post_logout_redirect_uri: BACK })
  expect(answer.headers.location).toBe(BACK)
})

test('asks without a hint, and the page has the app and the way back', async () => {
  const answer = await logout({ client_id: app.clientId, post_logout_redirect_uri: BACK, state: 's' })
  const page = new URL(String(answer.headers.location))
  expect(page.pathname).toBe('/sign-out')
  const view = (await user.browser.get(`/api/sign-out${page.search}`)).json<Record<string, unknown>>()
  expect(view).toMatchObject({
    app: { name: 'Example App' },
    redirect: `${BACK}&state=s`,
    account: { id: user.account.id },
  })
  expect(await account()).not.toBeNull()
})

test('the next sign-in after a sign-out asks the user again', async () => {
  const hint = await idToken()
  await logout({ id_token_hint: hint })
  await expect(allow(user.browser, app, { scope: 'openid' })).rejects.toThrow('not allowed')
})
