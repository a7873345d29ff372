import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClientHost, startClientHost } from '../../server/test/support/client-host.ts'
import {
  approvedApp,
  authorizeUrl,
  CALLBACK,
  pkcePair,
  redeemCode,
  signedInBrowser,
  type TestApp,
  type Tokens,
  userData,
} from '../../server/test/support/oauth-flow.ts'
import { type SignInService, startListening } from '../../server/test/support/oauth-service.ts'
import { testWallet } from '../../server/test/support/oauth-wallet.ts'
import {
  type OauthUpstream,
  startOauthUpstream,
  upstreamSettings,
} from '../../server/test/identity/upstreams/oauth-upstream.ts'
import { openBrowser, openProfile } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs, injectWallet } from './signed-in.ts'

const injected = { name: 'Test Wallet', wallet: testWallet() }

let service: SignInService
let upstream: OauthUpstream
let clientHost: ClientHost
let app: TestApp
let browser: Browser
let profile: BrowserContext
let page: Page
let complaints: string[]

describe.skipIf(findChromium() === undefined)('signing in to an app in a browser', () => {
  beforeAll(async () => {
    upstream = await startOauthUpstream()
    clientHost = await startClientHost(CALLBACK)
    service = await startListening({ ...upstreamSettings(upstream.url), ...clientHost.settings })
    app = await approvedApp(service)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await service.close()
    await upstream.close()
    await clientHost.close()
  })
  beforeEach(async () => {
    complaints = []
    profile = await openProfile(browser, { width: 360, scheme: 'dark' })
    injected.wallet = testWallet()
    await injectWallet(profile, injected)
    await profile.route(`${CALLBACK}**`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Back</h1>' }))
    page = await profile.newPage()
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) complaints.push(message.text())
    })
    page.on('request', (request) => {
      const { origin } = new URL(request.url())
      if (![service.issuer, new URL(CALLBACK).origin, upstream.url].includes(origin)) complaints.push(`asked ${origin}`)
    })
  })
  afterEach(async () => {
    await profile.close()
    expect(complaints).toEqual([])
  })

  const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
  /** Moves to a button with Tab only, and presses it. */
  const press = async (name: string) => {
    await page.getByRole('button', { name }).waitFor()
    for (let n = 0; n < 30; n++) {
      await page.keyboard.press('Tab')
      const focused = await page.evaluate<string>(
        `document.activeElement.matches('button') ? document.activeElement.textContent : ''`,
      )
      if (focused.includes(name)) return page.keyboard.press('Enter')
    }
    throw new Error(`Tab does not come to ${name}`)
  }
  const backAtTheApp = async () => {
    await page.getByRole('heading', { name: 'Back' }).waitFor()
    return new URL(page.url()).searchParams
  }

  test('with a new passkey, and with the same one later', async () => {
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
    await checkLooks(page, 'sign-in-for-an-app')
    await click('New here? Create a passkey')
    await page.getByRole('heading', { name: 'Example App requests access' }).waitFor()
    await page.getByText('Not linked, so nothing is shared.').waitFor()
    await checkLooks(page, 'consent')
    await click('Use another account')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: 'Example App requests access' }).waitFor()
    await click('Allow')
    const code = (await backAtTheApp()).get('code') as string
    const tokens = (await redeemCode(service, app, code)).json<Tokens>()
    const data = (await userData(service, tokens.access_token)).json<{ ServiceID: string }>()
    expect(data.ServiceID).toMatch(/^user-/)
  })

  test('by keyboard alone, with an EVM wallet that announces itself (EIP-6963)', async () => {
    const { address } = injected.wallet
    // Email is off here, so no mail address can be shared with the app.
    await page.goto(service.issuer + authorizeUrl(app, { scope: 'EVMAddress Email' }))
    await press('Test Wallet')
    await page.getByRole('radio', { name: address.toLowerCase() }).waitFor()
    expect(await page.getByText('Email').count()).toBe(0)
    await press('Allow')
    const code = (await backAtTheApp()).get('code') as string
    const tokens = (await redeemCode(service, app, code)).json<Tokens>()
    expect((await userData(service, tokens.access_token)).json()).toEqual({ EVMAddress: address.toLowerCase() })
  })

  test('links a missing identity on the consent page', async () => {
    await actAs(profile, service.issuer, await signedInBrowser(service))
    const other = await approvedApp(service, { name: 'Sei App', scopes: ['SeiAddress'] })
    await page.goto(service.issuer + authorizeUrl(other, { scope: 'SeiAddress' }))
    await click('Link Sei wallet')
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await page.getByRole('radio', { name: /^sei1/ }).waitFor()
    await click('Allow')
    const tokens = (await redeemCode(service, other, (await backAtTheApp()).get('code') as string)).json<Tokens>()
    expect((await userData(service, tokens.access_token)).json()).toEqual({
      SeiAddress: injected.wallet.address.toLowerCase(),
    })
  })

  test('warns about a client that no operator reviewed', async () => {
    await actAs(profile, service.issuer, await signedInBrowser(service))
    const client = { clientId: clientHost.publish('/client.json'), secret: '', redirectUri: CALLBACK }
    const pkce = { code_challenge: pkcePair().challenge, code_challenge_method: 'S256' }
    const asked = { scope: 'mcp', resource: `${service.issuer}/mcp`, ...pkce }
    await page.goto(service.issuer + authorizeUrl(client, asked))
    await page.getByText('Not reviewed by the operator').waitFor()
    await page.getByText(`Published by ${clientHost.host}`).waitFor()
    expect(await page.getByText('Approved by the operator').count()).toBe(0)
    await checkLooks(page, 'consent-not-reviewed')
    await click('Allow')
    expect((await backAtTheApp()).get('code')).toMatch(/^qbc_/)
  })

  test('keeps the requests of all tabs when another tab signs in', async () => {
    await page.goto(service.issuer + authorizeUrl(app, { state: 'first' }))
    await page.getByRole('button', { name: 'Test Wallet' }).waitFor()
    const second = await profile.newPage()
    await second.goto(service.issuer + authorizeUrl(app, { state: 'second' }))
    await second.getByRole('button', { name: 'Test Wallet' }).click()
    await second.getByRole('button', { name: 'Allow', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
    await click('Allow')
    expect((await backAtTheApp()).get('state')).toBe('first')
    await second.getByRole('button', { name: 'Allow', exact: true }).click()
    await second.getByRole('heading', { name: 'Back' }).waitFor()
    expect(new URL(second.url()).searchParams.get('state')).toBe('second')
  })

  test('returns a user who refuses with access_denied', async () => {
    await page.goto(service.issuer + authorizeUrl(app))
    await click('Deny')
    expect((await backAtTheApp()).get('error')).toBe('access_denied')
  })

  /** The upstream's page at this path redirects at once, with a code for the user or a refusal. */
  const answerAt = (path: string, user: object | 'refused') =>
    upstream.override.set(path, ({ url }, response) => {
      const asked = new URL(url, upstream.url)
      const state = asked.searchParams.get('state') ?? ''
      const answer =
        user === 'refused' ? new URLSearchParams({ error: 'access_denied', state }) : upstream.consent(asked.href, user)
      response.writeHead(302, { location: `${asked.searchParams.get('redirect_uri')}?${answer.toString()}` }).end()
    })
  const ada = { id: '80', username: 'ada-discord' }

  test.each([
    ['Discord', '/oauth2/authorize', ada, 'ada-discord'],
    ['GitHub', '/login/oauth/authorize', { id: 81, login: 'ada-github', avatar_url: '' }, 'ada-github'],
    ['X', '/i/oauth2/authorize', { data: { id: '82', username: 'ada_x', name: 'Ada' } }, 'ada_x'],
    ['Telegram', '/auth', { id: 83, preferred_username: 'ada_tg', name: 'Ada' }, 'ada_tg'],
  ])('by %s, on another site and back', async (label, path, user, name) => {
    answerAt(path, user)
    await page.goto(`${service.issuer}/sign-in?return=/account`)
    await page.getByRole('button', { name: label, exact: true }).click()
    await page.getByText(name, { exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/account')
  })

  test('explains in Explore why a sign-in is needed, and links to public pages', async () => {
    await page.goto(`${service.issuer}/explore/spaces/40`)
    await page.getByText('The limits of your account apply').waitFor()
    for (const [name, href] of Object.entries({ Manual: '/docs', Playground: '/playground' }))
      expect(await page.getByRole('link', { name }).getAttribute('href')).toBe(href)
  })

  test('asks for a sign-in to complete a quest', async () => {
    await page.goto(`${service.issuer}/explore/quests/GCquest`)
    await page.getByText('Sign in to complete the quest.').waitFor()
  })

  test('shows a refusal of another site; a proof of another account there merges it', async () => {
    answerAt('/oauth2/authorize', 'refused')
    await page.goto(`${service.issuer}/sign-in`)
    await page.getByRole('button', { name: 'Discord', exact: true }).click()
    await page.getByRole('alert').getByText('Access denied').waitFor()
    expect(page.url()).not.toContain('identity_error')
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await click('Merge another account')
    await page.getByRole('button', { name: 'Discord', exact: true }).click()
    await page.getByText('Sign in to the other account').waitFor()
    await page.getByRole('alert').waitFor()
    answerAt('/oauth2/authorize', ada)
    await page.getByRole('button', { name: 'Discord', exact: true }).click()
    await click('Merge accounts')
    await page.getByText('was merged into this account.').waitFor()
    await page.getByText('ada-discord', { exact: true }).waitFor()
  })

  test('shows an error for a request of another browser', async () => {
    await page.goto(`${service.issuer}/authorize/${'a'.repeat(32)}`)
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('start again')
  })
})
