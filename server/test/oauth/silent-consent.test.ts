import { afterAll, beforeAll, expect, test } from 'vitest'
import { allow, approvedApp, authorizeUrl, pkcePair, signedInBrowser } from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'

let service: SignInService
beforeAll(async () => {
  service = await startSignIn()
})
afterAll(() => service.close())

/** Where a second sign-in leads after the user allowed the first one. */
async function secondSignIn(redirectUri: string, s256Only: boolean, more: Record<string, string> = {}) {
  const { browser } = await signedInBrowser(service)
  const app = await approvedApp(service, { redirectUris: [redirectUri], s256Only })
  const pkce = { code_challenge: pkcePair().challenge, code_challenge_method: 'S256' }
  const parameters = { redirect_uri: redirectUri, ...(s256Only && pkce), ...more }
  await allow(browser, app, { ...parameters, prompt: undefined })
  return String((await browser.get(authorizeUrl(app, parameters))).headers.location)
}

const onDevice = ['http://localhost:3000/callback', 'http://127.0.0.1/cb', 'http://[::1]:1/cb', 'com.example.app:/cb']

test.each(onDevice)('an app without PKCE always shows the consent page for %s', async (redirectUri) => {
  expect(await secondSignIn(redirectUri, false)).toMatch(/\/authorize\/[A-Za-z0-9]+$/)
  expect(await secondSignIn(redirectUri, false, { prompt: 'none' })).toContain('error=consent_required')
})

test.each(onDevice)('an app that requires PKCE signs in silently at %s', async (redirectUri) => {
  expect(await secondSignIn(redirectUri, true)).toContain('code=')
})

test('an app without PKCE signs in silently at an https redirect URI', async () => {
  expect(await secondSignIn('https://app.example.com/callback', false)).toContain('code=')
})

test('a new app requires PKCE with S256 unless its owner turns that off', async () => {
  const { browser } = await signedInBrowser(service)
  const form = { name: 'App', purpose: 'Tests', redirectUris: ['https://a.example/cb'], scopes: [] }
  expect((await browser.call('POST', '/api/apps', form)).json()).toMatchObject({ s256Only: true })
  const without = await browser.call('POST', '/api/apps', { ...form, s256Only: false })
  expect(without.json()).toMatchObject({ s256Only: false })
})
