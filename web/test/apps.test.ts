import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { decideApp } from '../../server/src/oauth/apps.ts'
import {
  allow,
  redeemCode,
  type SignedIn,
  signedInBrowser,
  tokenDetail,
  type Tokens,
} from '../../server/test/support/oauth-flow.ts'
import { type SignInService, startListening } from '../../server/test/support/oauth-service.ts'
import { openBrowser, openProfile, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'

const APPS = '/settings/server-api/apps'
const CALLBACK = 'https://app.example.com/callback'
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
)

let service: SignInService
let browser: Browser
let profile: BrowserContext
let user: SignedIn
let here: Visit

describe.skipIf(findChromium() === undefined)('OAuth apps in a browser', () => {
  beforeAll(async () => {
    service = await startListening()
    browser = await openBrowser()
    profile = await openProfile(browser, { width: 1280, scheme: 'light' })
    await profile.grantPermissions(['clipboard-read', 'clipboard-write'])
    user = await signedInBrowser(service)
    await actAs(profile, service.issuer, user)
  })
  afterAll(async () => {
    await browser.close()
    await service.close()
  })
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
    const { apps } = (await user.browser.get('/api/apps')).json<{ apps: { clientId: string }[] }>()
    for (const { clientId } of apps) await user.browser.call('DELETE', `/api/apps/${clientId}`)
  })

  const open = async (path: string) => {
    here = await visit(profile, service.issuer + path)
    return here.page
  }
  const click = (name: string) => here.page.getByRole('button', { name, exact: true }).click()
  const openTab = async (name: string) => {
    const tabs = here.page.getByRole('navigation', { name: 'Parts of the app' })
    await tabs.getByRole('link', { name, exact: true }).click()
    await tabs.locator('[aria-current=page]', { hasText: name }).waitFor()
  }
  /** Presses the confirming button of the dialog that a button has opened. */
  const confirm = (action: string) =>
    here.page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()
  const shownSecret = () => here.page.locator('.secret-value').innerText()
  const register = async (name: string, redirectUri: string) => {
    const page = await open(APPS)
    await click('Register app')
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.getByLabel('Purpose').fill('Showing who leads')
    await page.getByLabel('Redirect URIs').fill(redirectUri)
    return page
  }
  const clientIdOf = (url: string) => new URL(url).pathname.split('/')[4] ?? ''
  const submit = async () => {
    await click('Submit for review')
    await here.page.waitForURL(/\/apps\/[A-Za-z0-9]{20}$/)
    await here.page.getByText('Pending review').waitFor()
    return clientIdOf(here.page.url())
  }

  test('marks each missing field of an empty application', async () => {
    const page = await open(APPS)
    await click('Register app')
    await click('Submit for review')
    for (const name of ['Name', 'Purpose', 'Redirect URIs'])
      await expect
        .poll(() => page.getByRole('textbox', { name }).getAttribute('aria-invalid'), { message: name })
        .toBe('true')
  })

  test('applies for an app, then manages its secrets, changes and deletion after the approval', async () => {
    const page = await register('Board Games', '\nhttps://app.example.com/\n\nhttp://app.example.com/')
    await page.getByRole('checkbox', { name: 'EVM wallet' }).waitFor()
    expect(await page.getByRole('checkbox', { name: 'Email' }).count()).toBe(0)
    await checkLooks(page, 'app-application')
    await click('Submit for review')
    await page.getByText(/^Line 4: /).waitFor()
    expect(await page.locator('form').innerText()).not.toContain('redirectUris')
    await page.getByLabel('Redirect URIs').fill(CALLBACK)
    await page.getByText(/^Line 4: /).waitFor({ state: 'detached' })
    const clientId = await submit()
    const logo = (name: string, bytes: Buffer) => ({ name, mimeType: 'image/png', buffer: bytes })
    await page
      .locator('input[type=file]')
      .setInputFiles(logo('logo.svg', Buffer.from('<svg xmlns="…"><script/></svg>')))
    await page.getByText('Choose a PNG, JPEG or WebP image.').waitFor()
    await page.locator('input[type=file]').setInputFiles(logo('logo.png', PNG))
    await page.getByRole('img', { name: 'Logo of Board Games' }).waitFor()
    await checkLooks(page, 'app-overview-pending')
    await openTab('Secrets')
    await page.getByText('after an operator has approved').waitFor()

    await decideApp(service.services, clientId, 'approve', { revision: 2 })
    await page.reload()
    await page.getByText('Approved', { exact: true }).waitFor()
    await click('Generate secret')
    await page.locator('.secret-value').waitFor()
    const app = { clientId, secret: await shownSecret(), redirectUri: CALLBACK }
    await checkLooks(page, 'app-secrets')
    await click('Done')
    await openTab('Sign-in settings')
    await page.getByRole('switch', { name: 'Require PKCE with S256' }).uncheck()
    const refusal = { code: 'fixed_without_server', parameters: {} }
    const refused = { code: 'invalid_argument', message: '', field: 's256Only', fault: refusal }
    await page.route(`**/api/apps/${clientId}`, (route) => route.fulfill({ status: 400, json: { error: refused } }), {
      times: 1,
    })
    await click('Save')
    await page.getByText('An app without a server needs this setting.').waitFor()
    await click('Save')
    await page.getByText('Saved').waitFor()

    const code = (await allow(user.browser, app)).searchParams.get('code') ?? ''
    const redeemed = await redeemCode(service, app, code)
    expect(redeemed.json<Tokens>()).toMatchObject({ token_type: 'Bearer', scope: 'EVMAddress', expires_in: 86_400 })
    await openTab('Activity')
    await page.getByText(`EVM wallet: ${user.account.wallet.address.toLowerCase()}`).waitFor()
    await page.getByText('App secret created').waitFor()
    await checkLooks(page, 'app-activity')
    await click('Revoke access of all users')
    await confirm('Revoke access of all users')
    await page.getByText('Access revoked for 1 user').waitFor()
    await page.getByText('No users', { exact: true }).waitFor()
    expect((await tokenDetail(service, redeemed.json<Tokens>().access_token)).statusCode).toBe(401)
    await openTab('Overview')
    await page.getByText('Approved. Users can sign in.').waitFor()
    await checkLooks(page, 'app-overview')
    await page.locator('input[type=file]').setInputFiles(logo('new.png', PNG))
    await page.getByRole('button', { name: 'Withdraw' }).waitFor()
    await decideApp(service.services, clientId, 'refuse-changes')
    await click('Withdraw')
    await page.getByText('Logo not found').waitFor()
    await page.getByRole('button', { name: 'Remove', exact: true }).waitFor()
    await page.getByRole('img', { name: 'Logo of Board Games' }).waitFor()
    await click('Delete app')
    await confirm('Delete app')
    await page.getByText('No apps', { exact: true }).waitFor()
  })

  test('asks for another approval of new redirect URIs, and changes all others at once', async () => {
    const page = await register('Board Games', CALLBACK)
    const clientId = await submit()
    await decideApp(service.services, clientId, 'approve', { revision: 1 })
    await page.goto(`${service.issuer}${APPS}/${clientId}/sign-in`)
    await page.getByLabel('Addresses after sign-out').fill('https://app.example.com/bye')
    await page.getByLabel('Redirect URIs').fill(`${CALLBACK}\nhttps://app.example.com/new`)
    await click('Save')
    await page.getByText('Until an operator accepts them').waitFor()
    await page.getByRole('listitem').getByText(CALLBACK, { exact: true }).waitFor()
    await checkLooks(page, 'app-sign-in')
    const { apps } = (await user.browser.get('/api/apps')).json<{ apps: object[] }>()
    expect(apps).toMatchObject([
      {
        status: 'approved',
        redirectUris: [CALLBACK],
        proposedRedirectUris: [CALLBACK, 'https://app.example.com/new'],
        postLogoutRedirectUris: ['https://app.example.com/bye'],
      },
    ])
    await openTab('Activity')
    await page.getByText(`Redirect URIs pending review: ${CALLBACK} https://app.example.com/new`).waitFor()
    await page.getByText(`Redirect URIs: ${CALLBACK}`).waitFor()
    await page.goto(service.issuer + APPS)
    await page.getByText('Redirect URIs pending review').waitFor()
    await page.getByRole('link', { name: 'Board Games' }).click()
    await checkLooks(page, 'app-overview-no-secret')
    await page.getByText('Your server needs a secret').waitFor()
  })

  test('asks for another approval of what users see, and shows them the approved values until then', async () => {
    const page = await register('Board Games', CALLBACK)
    const clientId = await submit()
    await decideApp(service.services, clientId, 'approve', { revision: 1 })
    await page.goto(`${service.issuer}${APPS}/${clientId}`)
    await page.getByRole('textbox', { name: 'Name' }).fill('Card Games')
    await click('Save')
    const notice = page.getByRole('status').filter({ hasText: 'Until an operator accepts them, these values apply' })
    await notice.getByText('Board Games').waitFor()
    await page.getByText('Changes pending review').first().waitFor()
    await checkLooks(page, 'app-overview-proposed')
    await page.reload()
    await notice.waitFor()
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Card Games')
    await openTab('Sign-in settings')
    await page.getByRole('checkbox', { name: 'Solana wallet' }).check()
    await click('Save')
    await page.getByText('Until an operator accepts it, the app can request').waitFor()
    const { revision } = (await user.browser.get(`/api/apps/${clientId}`)).json<{ revision: number }>()
    const { apps } = (await user.browser.get('/api/apps')).json<{ apps: object[] }>()
    expect(apps).toMatchObject([{ name: 'Board Games', proposedDetails: { name: 'Card Games' } }])
    await decideApp(service.services, clientId, 'accept-changes', { revision })
    await page.goto(`${service.issuer}${APPS}/${clientId}`)
    await page.getByRole('heading', { name: 'Card Games', level: 1 }).waitFor()
    expect(await notice.count()).toBe(0)
  })

  test('applies for an app without a server, which has no secret', async () => {
    const page = await register('Static Site', 'https://static.example.com/')
    await page.getByRole('switch', { name: 'This app has no server' }).check()
    expect(await page.getByRole('switch', { name: 'Require PKCE with S256' }).count()).toBe(0)
    expect(await page.getByLabel('Allowed origins').count()).toBe(0)
    const hint = page.getByText('All data other than the account ID identifies the user at every app.')
    expect(await hint.count()).toBe(0)
    await page.getByRole('switch', { name: 'Use user IDs that apps at other hosts do not get' }).check()
    await hint.waitFor()
    await page.getByLabel('Redirect URIs').fill('https://static.example.com/\nhttps://other.example.com/')
    await click('Submit for review')
    await page.getByText('All addresses must be https URLs at the host static.example.com.').waitFor()
    await checkLooks(page, 'app-application-pairwise')
    await page.getByLabel('Redirect URIs').fill('https://static.example.com/')
    const clientId = await submit()
    await page.getByText('Different for apps at other hosts').waitFor()
    await page.getByText('Without a server: no secret, PKCE required').waitFor()
    const { apps } = (await user.browser.get('/api/apps')).json<{ apps: { clientId: string }[] }>()
    expect(apps).toMatchObject([{ clientId, publicClient: true, subjectType: 'pairwise' }])
    await openTab('Secrets')
    await page.getByText('An app without a server has no secret.').waitFor()
    expect(await page.getByRole('button', { name: 'Generate secret' }).count()).toBe(0)
    await openTab('Integration')
    for (const name of ['Browser', 'TypeScript', 'curl']) {
      await page.getByRole('tab', { name, exact: true }).click()
      await expect.poll(() => page.getByRole('tabpanel').locator('pre').innerText()).toContain(clientId)
    }
    expect(await page.getByRole('tab', { name: 'Python' }).count()).toBe(0)
  })

  test('shows programs and settings with the values of the app, and copies them', async () => {
    const page = await register('Board Games', CALLBACK)
    const clientId = await submit()
    await user.browser.call('PATCH', `/api/apps/${clientId}`, { redirectUris: [CALLBACK, 'http://localhost:3456/two'] })
    await page.goto(`${service.issuer}${APPS}/${clientId}/integration`)
    for (const name of ['TypeScript', 'Python', 'curl']) {
      await page.getByRole('tab', { name, exact: true }).click()
      const code = await page.getByRole('tabpanel').locator('pre').innerText()
      for (const value of [clientId, service.issuer, 'app.example.com', 'EVMAddress']) expect(code).toContain(value)
      await click(`Copy ${name}`)
      await page.getByRole('tabpanel').getByRole('button', { name: 'Copied' }).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()'), name).toBe(code)
    }
    await click('Copy Token URL')
    await page.getByRole('button', { name: 'Copied Token URL' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${service.issuer}/oauth/auth/2/token`)
    await checkLooks(page, 'app-integration')
    await page.getByLabel('Redirect URI', { exact: true }).selectOption('http://localhost:3456/two')
    await expect.poll(() => page.getByRole('tabpanel').locator('pre').innerText()).toContain('listen(3456)')
  })

  test('shows an error page for an unknown app and an unknown tab', async () => {
    const page = await open(`${APPS}/unknown`)
    await page.getByText('Page not found').waitFor()
    await page.getByRole('link', { name: 'OAuth apps' }).last().click()
    await page.getByText('No apps', { exact: true }).waitFor()
    await checkLooks(page, 'apps')
  })
})
