import type { Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../../../examples/sign-in-express/app.ts'
import type { Browser } from '../../../server/test/support/oauth-browser.ts'
import { approvedApp, signedInBrowser, type TestApp } from '../../../server/test/support/oauth-flow.ts'
import { freePort, type SignInService, startListening } from '../../../server/test/support/oauth-service.ts'
import { sendDue } from '../../../server/test/support/send-due.ts'
import { logoutQueue } from '../../../server/src/oauth/back-channel/deliver.ts'
import { createOutgoing } from '../../../server/src/outgoing/outgoing.ts'
import { close, decide, signInOf, urlOf, visitor } from './listening.ts'

let service: SignInService
let server: Server
let url: string
let app: TestApp
let browser: Browser
let address: string
beforeAll(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  service = await startListening({ QUESTBOARD_WEBHOOK_HOSTS: `127.0.0.1:${port}` })
  app = await approvedApp(service, { expiringTokens: true, backchannelLogoutUri: `${url}/backchannel-logout` })
  const options = { issuer: service.issuer, clientId: app.clientId, secure: false }
  const signIn = signInOf(service, app, ['EVMAddress', 'openid'])
  server = createApp(signIn, options).listen(port, '127.0.0.1')
  await urlOf(server)
  const signedIn = await signedInBrowser(service)
  browser = signedIn.browser
  address = signedIn.account.wallet.address.toLowerCase()
})
afterAll(async () => {
  await close(server)
  await service.close()
})

test('signs a user in, shows the identity, and signs out', async () => {
  const { send, cookies } = visitor(url)
  expect((await send('/')).text).toBe('Please sign in at /sign-in')
  const { location } = await send('/sign-in')
  const before = cookies.get('session')
  expect(await send(await decide(browser, location))).toMatchObject({ status: 302, location: '/' })
  expect(cookies.get('session')).not.toBe(before)
  expect((await send('/')).text).toBe(`Hello ${address}`)
  expect(await send('/sign-out', 'POST')).toMatchObject({ status: 303, location: '/' })
  expect((await send('/')).text).toBe('Please sign in at /sign-in')
})

test('rejects a callback of another browser', async () => {
  const { location } = await visitor(url).send('/sign-in')
  const callback = await decide(browser, location)
  expect(await visitor(url).send(callback)).toMatchObject({ status: 400 })
  const other = visitor(url)
  await other.send('/sign-in')
  expect(await other.send(callback)).toMatchObject({ status: 400 })
  expect((await other.send('/')).text).toBe('Please sign in at /sign-in')
})

test('signs out a user who revokes the consent', async () => {
  const { send } = visitor(url)
  const { location } = await send('/sign-in')
  await send(await decide(browser, location))
  expect((await send('/')).text).toBe(`Hello ${address}`)
  await browser.call('DELETE', `/api/authorized-apps/${app.clientId}`)
  expect((await send('/')).text).toBe('Please sign in at /sign-in')
})

test('returns a user who refuses without a session', async () => {
  const { send } = visitor(url)
  const { location } = await send('/sign-in')
  expect(await send(await decide(browser, location, 'deny'))).toMatchObject({ status: 302, location: '/' })
  expect((await send('/')).text).toBe('Please sign in at /sign-in')
})

async function sendLogoutTokens(): Promise<number> {
  const outgoing = createOutgoing({ hosts: service.services.config.webhookHosts })
  const attempts = await sendDue(logoutQueue({ ...service.services, outgoing }), service.services)
  await outgoing.close()
  return attempts
}

test('ends the session of a user who signs out of the service, and no other', async () => {
  const other = await signedInBrowser(service)
  const [first, second] = [visitor(url), visitor(url)]
  for (const [who, visit] of [
    [browser, first],
    [other.browser, second],
  ] as const)
    await visit.send(await decide(who, (await visit.send('/sign-in')).location))
  const greeting = `Hello ${other.account.wallet.address.toLowerCase()}`
  expect((await second.send('/')).text).toBe(greeting)
  await browser.call('DELETE', '/api/session')
  expect(await sendLogoutTokens()).toBe(1)
  expect((await first.send('/')).text).toBe('Please sign in at /sign-in')
  expect((await second.send('/')).text).toBe(greeting)
  expect(await service.database.query('SELECT FROM logout_notices')).toEqual([])
})

test('responds to a forged logout token with 400', async () => {
  for (const body of ['logout_token=forged', 'other=1', '']) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { status, headers: answered } = await fetch(`${url}/backchannel-logout`, { method: 'POST', headers, body })
    expect([status, answered.get('cache-control')]).toEqual([400, 'no-store'])
  }
})
