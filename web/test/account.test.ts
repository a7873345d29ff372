import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { linkIdentity } from '../../server/src/accounts/account.queries.ts'
import { saveClient } from '../../server/src/oauth/client-metadata/client.queries.ts'
import {
  allow,
  approvedApp,
  type SignedIn,
  signedInBrowser,
  type TestApp,
} from '../../server/test/support/oauth-flow.ts'
import { type SignInService, startListening } from '../../server/test/support/oauth-service.ts'
import { testWallet } from '../../server/test/support/oauth-wallet.ts'
import { decodePng } from '../../server/test/support/png.ts'
import { openBrowser, openProfile, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs, injectWallet } from './signed-in.ts'

/** Green, 16 by 16 pixels. */
const WEBP = Buffer.from(
  'UklGRjoAAABXRUJQVlA4IC4AAADQAQCdASoQABAAAsBMJaACdLoB+AADsAD+3UR/8/M7txf1W/+vR/PR/PR/jhAA',
  'base64',
)

const injected = { name: 'Second Wallet', wallet: testWallet() }

let service: SignInService
let app: TestApp
let browser: Browser
let profile: BrowserContext
let user: SignedIn
let here: Visit

describe.skipIf(findChromium() === undefined)('the account in a browser', () => {
  beforeAll(async () => {
    service = await startListening()
    app = await approvedApp(service)
    browser = await openBrowser()
    profile = await openProfile(browser, { width: 1280, scheme: 'light' })
    await injectWallet(profile, injected)
    user = await signedInBrowser(service)
    await allow(user.browser, app, { scope: 'openid EVMAddress' })
  })
  afterAll(async () => {
    await browser.close()
    await service.close()
  })
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const open = async (path: string, as = user) => {
    await actAs(profile, service.issuer, as)
    here = await visit(profile, service.issuer + path)
    return here.page
  }
  /** Presses the confirming button of the dialog that a button has opened. */
  const confirm = (action: string) =>
    here.page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()
  const click = (name: string) => here.page.getByRole('button', { name, exact: true }).click()

  test('sends a visitor to sign in with a wallet, then to the requested page', async () => {
    await profile.clearCookies()
    here = await visit(profile, `${service.issuer}/account/security`)
    await here.page.getByRole('heading', { name: 'Sign in to Questboard' }).waitFor()
    await here.page.getByRole('button', { name: 'Second Wallet' }).click()
    await here.page.getByRole('heading', { name: 'Activity' }).waitFor()
    expect(new URL(here.page.url()).pathname).toBe('/account/security')
    await here.page.getByText('Account created').waitFor()
    await here.page.getByRole('button', { name: /^Account menu of/ }).click()
    await here.page.getByRole('menuitem', { name: 'Sign out' }).click()
    await here.page.getByRole('heading', { name: 'Sign in to Questboard' }).waitFor()
    await here.page.getByRole('button', { name: 'Second Wallet Last used · EVM wallet' }).waitFor()
  })

  test('shows what an app sees and revokes its access', async () => {
    const page = await open('/account/apps')
    await page.getByText('Example App').first().waitFor()
    await page.getByText('An ID of your account, and nothing else.').waitFor()
    await click('Revoke access of Example App')
    await confirm('Revoke access')
    await page.getByText('No apps have access to your account').waitFor()
    expect((await user.browser.get('/api/authorized-apps')).json()).toEqual({ apps: [] })
  })

  test('distinguishes apps of one name by the host that publishes them', async () => {
    const other = await signedInBrowser(service)
    const hosts = ['one.example', 'two.example']
    for (const [n, host] of hosts.entries()) {
      const client = {
        clientId: `published${n}`,
        url: `https://${host}/client.json`,
        name: 'Chat',
        fetchedAt: new Date(),
      }
      await service.database.kysely
        .transaction()
        .execute((transaction) => saveClient(transaction, { ...client, redirectUris: [`https://${host}/`] }))
      await service.database.query(
        `INSERT INTO consents (account_id, client_id, scopes, shared, granted_at) VALUES ($1, $2, '{mcp}', '{}', now())`,
        [other.account.id, client.clientId],
      )
    }
    const page = await open('/account/apps', other)
    for (const host of hosts) await page.getByText(`Published by ${host}`).waitFor()
    await click('Revoke access of Chat (one.example)')
    await page.getByText('Revoke access? Chat (one.example) can no longer see your data.').waitFor()
    await confirm('Revoke access')
    await page.getByText('Published by one.example').waitFor({ state: 'detached' })
    expect((await other.browser.get('/api/authorized-apps')).json()).toMatchObject({
      apps: [{ publisher: 'two.example' }],
    })
    await click('Revoke access of Chat (two.example)')
    await confirm('Revoke access')
    await page.getByText('No apps have access to your account').waitFor()
  })

  test('links an identity by its wallet and unlinks it; the last one remains', async () => {
    const page = await open('/account')
    const own = page.getByRole('button', { name: `Unlink EVM wallet ${user.account.wallet.address.toLowerCase()}` })
    await own.click()
    await click('Unlink')
    await page.getByText('This is the only way to sign in to this account').waitFor()
    await click('Link identity')
    await page.getByRole('button', { name: 'Second Wallet' }).click()
    await page.getByText('This EVMAddress belongs to another account').waitFor()
    injected.wallet = testWallet()
    await page.getByRole('button', { name: 'Second Wallet' }).click()
    await page.getByText(injected.wallet.address.toLowerCase()).waitFor()
    await click('Unlink')
    await page.getByText(user.account.wallet.address.toLowerCase(), { exact: true }).waitFor({ state: 'detached' })
    expect((await user.browser.get('/api/identities')).json()).toMatchObject({
      identities: [{ kind: 'EVMAddress', subject: injected.wallet.address.toLowerCase() }],
    })
  })

  test('marks an identity whose kind is off, and unlinks it', async () => {
    const someone = await signedInBrowser(service)
    const identity = { kind: 'Discord', subject: '80351110224678912', username: 'mona', linkedAt: new Date() }
    await service.database.kysely
      .transaction()
      .execute((transaction) => linkIdentity(transaction, someone.account.id, identity))
    const page = await open('/account', someone)
    await page.getByRole('listitem').filter({ hasText: 'mona' }).getByText('This site has switched off').waitFor()
    expect(await page.getByText('This site has switched off').count()).toBe(1)
    await click('Unlink Discord mona')
    await click('Unlink')
    await page.getByText('This site has switched off').waitFor({ state: 'detached' })
  })

  test('excludes an identity from eligibility and includes it again', async () => {
    const page = await open('/account')
    const [identity] = (await user.browser.get('/api/identities')).json<{ identities: { subject: string }[] }>()
      .identities
    const counts = page.getByRole('switch', { name: `Use for eligibility: EVM wallet ${identity?.subject}` })
    expect(await counts.isChecked()).toBe(true)
    for (const useForEligibility of [false, true]) {
      // The track covers the input, which changes when the service has stored the choice.
      await counts.click({ force: true })
      await expect
        .poll(async () => (await user.browser.get('/api/identities')).json<object>())
        .toMatchObject({ identities: [{ useForEligibility }] })
      await expect.poll(() => counts.getAttribute('aria-busy')).toBe('false')
      expect(await counts.isChecked()).toBe(useForEligibility)
      expect(await counts.and(page.locator(':focus')).count()).toBe(1)
    }
  })

  test('uploads a picture, shows an error for a file that is none, and removes it', async () => {
    const page = await open('/account')
    const choose = page.locator('input[type=file]')
    await choose.setInputFiles({ name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('no image') })
    await page.getByText('This file is not an image that your browser can read.').waitFor()
    await choose.setInputFiles({ name: 'me.webp', mimeType: 'image/webp', buffer: WEBP })
    await page.getByRole('button', { name: 'Remove picture' }).waitFor()
    const { avatar } = (await user.browser.get('/api/profile')).json<{ avatar: string }>()
    expect(avatar).toContain(`${service.issuer}/api/avatars/`)
    const picture = await user.browser.get('/api/profile/avatar')
    expect(decodePng(picture.rawPayload)).toMatchObject({ width: 192, height: 192 })
    expect(await page.getByLabel('Avatar URL').inputValue()).toBe('')
    await page.getByRole('group', { name: 'Picture' }).waitFor()
    await checkLooks(page, 'account-picture')
    // Entering and deleting an address does not count as a change.
    await page.getByLabel('Avatar URL').fill('https://')
    await page.getByLabel('Avatar URL').fill('')
    expect(await page.getByRole('button', { name: 'Save', exact: true }).first().isDisabled()).toBe(true)
    expect(await choose.inputValue()).toBe('')
    await click('Remove picture')
    await page.getByRole('button', { name: 'Remove picture' }).waitFor({ state: 'detached' })
    expect((await user.browser.get('/api/profile')).json()).toMatchObject({ avatar: '' })
  })

  test('saves a profile, and shows an error next to an invalid name', async () => {
    const page = await open('/account')
    await page.getByLabel('Username').fill('no spaces')
    await click('Save')
    await page.getByText('Use 3 to 40 letters, digits, _ or -.').waitFor()
    expect(await page.getByText(/3 to 40 /).count()).toBe(1)
    await page.getByLabel('Username').fill('ada-of-boards')
    await page.getByRole('switch', { name: 'Show my profile on leaderboards' }).check()
    await click('Save')
    await page.getByText('Saved').waitFor()
    await page.locator('.account-name').getByText('ada-of-boards').waitFor()
    expect((await user.browser.get('/api/profile')).json()).toMatchObject({ username: 'ada-of-boards', isPublic: true })
  })

  test('ends the session of another browser, and lists it in the log', async () => {
    const page = await open('/account/security')
    await page.getByText('This browser').waitFor()
    await page.getByText('Access of an app revoked').waitFor()
    await click('Sign out everywhere')
    await confirm('Sign out everywhere')
    await page.getByRole('heading', { name: 'Sign in to Questboard' }).waitFor()
    user = await signedInBrowser(service)
  })

  test('merges another account of the same user after a proof of both', async () => {
    const other = await signedInBrowser(service)
    const page = await open('/account')
    await click('Merge another account')
    injected.wallet = user.account.wallet
    const wallet = page.getByRole('button', { name: 'Second Wallet' })
    await wallet.click()
    await page.getByText('belongs to the account that is signed in already').waitFor()
    injected.wallet = other.account.wallet
    await wallet.click()
    await page.getByText(`Merge ${other.account.username} into ${user.account.username}`).waitFor()
    await page.getByText('1 identity').waitFor()
    await checkLooks(page, 'account-merge')
    await click('Merge accounts')
    await page.getByText(`${other.account.username} was merged into this account.`).waitFor()
    await page
      .getByRole('button', { name: `Unlink EVM wallet ${other.account.wallet.address.toLowerCase()}` })
      .waitFor()
    expect((await other.browser.get('/api/session')).json()).toMatchObject({ account: null })
    user = await signedInBrowser(service)
  })

  test('exports all data as one file, and deletes the account after its name is typed', async () => {
    const page = await open('/account')
    const downloaded = page.waitForEvent('download')
    await click('Download data')
    const file = await downloaded
    const data = JSON.parse(await readFile(await file.path(), 'utf8')) as Record<string, unknown>
    expect(data['/api/session']).toMatchObject({ account: { id: user.account.id } })
    expect(data['/api/audit']).toHaveLength(2)
    await click('Delete account')
    await page.getByLabel(`Type ${user.account.username} to confirm`).fill(user.account.username)
    await click('Delete permanently')
    await page.getByRole('heading', { name: 'Sign in to Questboard' }).waitFor()
    expect((await user.browser.get('/api/session')).json()).toMatchObject({ account: null })
    user = await signedInBrowser(service)
  })

  test('is accessible and fits', async () => {
    await allow(user.browser, app, { scope: 'openid EVMAddress ServiceID' })
    const page = await open('/account')
    await page.getByLabel('Username').waitFor()
    await checkLooks(page, 'account-overview')
    await page.getByRole('link', { name: 'Authorized apps' }).click()
    await page.getByRole('heading', { name: 'Example App' }).waitFor()
    await checkLooks(page, 'account-apps')
    await page.getByRole('link', { name: 'Security' }).click()
    await page.getByText('Account created').waitFor()
    await checkLooks(page, 'account-security')
  })
})
