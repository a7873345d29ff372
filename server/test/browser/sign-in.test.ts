import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  approvedApp,
  authorizeUrl,
  CALLBACK,
  redeemCode,
  type TestApp,
  type Tokens,
  userData,
} from '../support/oauth-flow.ts'
import { type SignInService, startListening } from '../support/oauth-service.ts'
import { testWallet } from '../support/oauth-wallet.ts'
import { accessibilityProblems, isWiderThanWindow, keepScreenshot, openBrowser, openProfile } from './browser.ts'
import { findChromium } from './chromium.ts'

let service: SignInService
let app: TestApp
let browser: Browser
let profile: BrowserContext
let page: Page
let complaints: string[]

describe.skipIf(findChromium() === undefined)('signing in to an app in a browser', () => {
  beforeAll(async () => {
    service = await startListening()
    app = await approvedApp(service)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await service.close()
  })
  beforeEach(async () => {
    complaints = []
    profile = await openProfile(browser, { width: 360, scheme: 'dark' })
    await profile.route(`${CALLBACK}**`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Back</h1>' }))
    page = await profile.newPage()
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) complaints.push(message.text())
    })
    page.on('request', (request) => {
      const { origin } = new URL(request.url())
      if (origin !== service.issuer && origin !== new URL(CALLBACK).origin) complaints.push(`asked ${origin}`)
    })
  })
  afterEach(async () => {
    await profile.close()
    expect(complaints).toEqual([])
  })

  const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const looksRight = async (name: string) => {
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await isWiderThanWindow(page)).toBe(false)
    await keepScreenshot(page, name)
  }
  const backAtTheApp = async () => {
    await page.getByRole('heading', { name: 'Back' }).waitFor()
    return new URL(page.url()).searchParams
  }

  test('with a new passkey, and the next time with the same one', async () => {
    const devtools = await profile.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await page.goto(service.issuer + authorizeUrl(app, { scope: 'ServiceID EVMAddress' }))
    await page.getByRole('heading', { name: 'Sign in to continue to Example App' }).waitFor()
    await looksRight('sign-in')
    await click('New here? Create a passkey')
    await page.getByRole('heading', { name: 'Example App asks to see' }).waitFor()
    await page.getByText('You have not linked one, so nothing is shown.').waitFor()
    await looksRight('consent')
    await click('Use another account')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: 'Example App asks to see' }).waitFor()
    await click('Allow')
    const code = (await backAtTheApp()).get('code') as string
    const tokens = (await redeemCode(service, app, code)).json<Tokens>()
    const data = (await userData(service, tokens.access_token)).json<{ ServiceID: string }>()
    expect(data.ServiceID).toMatch(/^user-/)
  })

  test('with an EVM wallet that announces itself (EIP-6963)', async () => {
    const wallet = testWallet()
    await profile.exposeFunction('walletAnswers', (method: string, params: string[] = []) => {
      if (method === 'eth_requestAccounts') return [wallet.address]
      if (method === 'eth_chainId') return '0x1'
      return wallet.sign(Buffer.from(params[0]?.slice(2) ?? '', 'hex').toString('utf8'))
    })
    await profile.addInitScript(`
      const provider = { request: ({ method, params }) => window.walletAnswers(method, params) }
      const detail = Object.freeze({ info: { uuid: 'test', name: 'Test Wallet' }, provider })
      window.addEventListener('eip6963:requestProvider', () =>
        window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })))`)
    await page.goto(service.issuer + authorizeUrl(app))
    await page.getByRole('button', { name: 'Test Wallet EVM wallet' }).click()
    await page.getByRole('radio', { name: wallet.address.toLowerCase() }).waitFor()
    await click('Allow')
    const code = (await backAtTheApp()).get('code') as string
    const tokens = (await redeemCode(service, app, code)).json<Tokens>()
    expect((await userData(service, tokens.access_token)).json()).toEqual({ EVMAddress: wallet.address.toLowerCase() })
  })

  test('a user who refuses goes back with access_denied', async () => {
    await page.goto(service.issuer + authorizeUrl(app))
    await click('Refuse and go back')
    expect((await backAtTheApp()).get('error')).toBe('access_denied')
  })

  test('a request that this browser did not make is a page that says so', async () => {
    await page.goto(`${service.issuer}/authorize/${'a'.repeat(32)}`)
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('start again there')
  })
})
