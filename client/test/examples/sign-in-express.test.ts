import type { Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../../../examples/sign-in-express/app.ts'
import type { Browser } from '../../../server/test/support/oauth-browser.ts'
import { approvedApp, signedInBrowser, type TestApp } from '../../../server/test/support/oauth-flow.ts'
import { type SignInService, startListening } from '../../../server/test/support/oauth-service.ts'
import { close, decide, signInOf, urlOf, visitor } from './listening.ts'

let service: SignInService
let server: Server
let url: string
let app: TestApp
let browser: Browser
let address: string
beforeAll(async () => {
  service = await startListening()
  app = await approvedApp(service, { expiringTokens: true })
  server = createApp(signInOf(service, app), { secure: false }).listen(0, '127.0.0.1')
  url = await urlOf(server)
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
