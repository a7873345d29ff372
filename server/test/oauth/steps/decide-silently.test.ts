import { afterAll, beforeAll, expect, test } from 'vitest'
import { allow, approvedApp, authorizeUrl, pkcePair, signedInBrowser } from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
beforeAll(async () => {
  service = await startSignIn()
})
afterAll(() => service.close())

/** The redirect of a second sign-in after the user allowed the first one. */
async function secondSignIn(redirectUri: string, s256Only: boolean, more: Record<string, string> = {}) {
  const { browser } = await signedInBrowser(service)
  const app = await approvedApp(service, { redirectUris: [redirectUri], s256Only })
  const pkce = { code_challenge: pkcePair().challenge, code_challenge_method: 'S256' }
  const parameters = { redirect_uri: redirectUri, ...(s256Only && pkce), ...more }
  await allow(browser, app, { ...parameters, prompt: undefined })
  return String((await browser.get(authorizeUrl(app, parameters))).headers.location)
}

const onDevice = ['http://localhost:3000/callback', 'http://127.0.0.1/cb', 'http://[::1]:1/cb', 'com.example.app:/cb']

test.each(onDevice)('always shows the consent page of an app without PKCE for %s', async (redirectUri) => {
  expect(await secondSignIn(redirectUri, false)).toMatch(/\/authorize\/[A-Za-z0-9]+$/)
  expect(await secondSignIn(redirectUri, false, { prompt: 'none' })).toContain('error=consent_required')
})

test.each(onDevice)('signs in silently at %s for an app that requires PKCE', async (redirectUri) => {
  expect(await secondSignIn(redirectUri, true)).toContain('code=')
})

test('signs in silently at an https redirect URI without PKCE', async () => {
  expect(await secondSignIn('https://app.example.com/callback', false)).toContain('code=')
})

test('requires PKCE with S256 for new apps by default', async () => {
  const { browser } = await signedInBrowser(service)
  const form = { name: 'App', purpose: 'Tests', redirectUris: ['https://a.example/cb'], scopes: [] }
  expect((await browser.call('POST', '/api/apps', form)).json()).toMatchObject({ s256Only: true })
  const without = await browser.call('POST', '/api/apps', { ...form, s256Only: false })
  expect(without.json()).toMatchObject({ s256Only: false })
})
