import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ensurePlans } from '../../server/src/access/plans.ts'
import { upsertPlan } from '../../server/src/access/plans.queries.ts'
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

const CALLBACK = 'https://app.example.com/callback'
/** One grey pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
)

let service: SignInService
let browser: Browser
let profile: BrowserContext
let user: SignedIn
let here: Visit

describe.skipIf(findChromium() === undefined)('Settings → Server API in a browser', () => {
  beforeAll(async () => {
    service = await startListening()
    await ensurePlans(service.database, service.services.config)
    await upsertPlan(service.database.kysely, 'business', { perSecond: 50, perDay: 100_000, open: true })
    browser = await openBrowser()
    profile = await openProfile(browser, { width: 1280, scheme: 'light' })
    user = await signedInBrowser(service)
    await actAs(profile, service.issuer, user)
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await service.close()
  })
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const open = async (path: string) => {
    here = await visit(profile, service.issuer + path)
    return here.page
  }
  const click = (name: string) => here.page.getByRole('button', { name, exact: true }).click()
  /** Presses the button of the question that a button has asked. */
  const confirm = (action: string) =>
    here.page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()
  const shownSecret = () => here.page.locator('.secret-value').innerText()

  test('a token is generated, shown once with a copy button, regenerated and revoked', async () => {
    const page = await open('/settings/server-api')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await click('Generate new token')
    await page.getByLabel('Name').fill('backend')
    await page.getByRole('checkbox', { name: 'Starboards' }).uncheck()
    await page.getByLabel('Expires').selectOption('90')
    await page.getByLabel('Plan').selectOption({ label: 'business: 50 a second, 100,000 a day' })
    await click('Generate')
    await page.getByText('The token “backend”').waitFor()
    const first = await shownSecret()
    expect(first).toMatch(/^qbs_/)
    await click('Copy')
    await click('Copied')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(first)
    await click('I have it')
    expect(await page.content()).not.toContain(first)
    await page
      .locator('.row', { hasText: 'backend' })
      .getByText(`…${first.slice(-4)}`)
      .waitFor()
    await page.getByText(/plan business · reads spaces, credentials, quests · made .* · expires /).waitFor()

    const placeOf = (name: string) => page.getByRole('button', { name }).boundingBox()
    const placesOf = async () => [await placeOf('Revoke backend'), await placeOf('Generate new token')]
    const places = await placesOf()
    await click('Regenerate backend')
    await page.getByRole('dialog').waitFor()
    expect(await placesOf()).toEqual(places)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await click('Regenerate backend')
    await confirm('Regenerate')
    await page.locator('.secret-value').waitFor()
    expect(await shownSecret()).not.toBe(first)
    await click('Revoke backend')
    await confirm('Revoke')
    await page.getByText('1 token that has ended').waitFor()
    const { tokens } = (await user.browser.get('/api/tokens')).json<{ tokens: { revokedAt: string | null }[] }>()
    expect(tokens.map(({ revokedAt }) => typeof revokedAt)).toEqual(['string'])
  })

  test('usage stands against the quota, as a chart by operation or status, and as a table', async () => {
    const made = await user.browser.call('POST', '/api/tokens', { name: 'busy' })
    const { tokenId } = made.json<{ tokenId: string }>()
    await service.database.query(
      `INSERT INTO token_usage
       SELECT $1, current_date - day, operation, status, 100 + 10 * day, now()
       FROM generate_series(0, 20) AS day, (VALUES ('space', 200), ('quest', 200), ('quest', 429)) AS asked (operation, status)`,
      [tokenId],
    )
    const page = await open('/settings/server-api/usage')
    await page.getByText('200 of 1,000').waitFor()
    const chart = page.getByRole('img', { name: /^Queries of 30 days as bars\. In all 12,600/ })
    await chart.waitFor()
    expect(await page.locator('.chart-ticks span').allInnerTexts()).toEqual(['0', '500', '1,000'])
    expect(await page.locator('.chart-days span').count()).toBe(5)
    await page.locator('.chart-bar').last().hover()
    await page.locator('.chart-tooltip').getByText('quest: 200').waitFor()
    await chart.focus()
    await page.keyboard.press('ArrowLeft')
    await page.locator('.chart-tooltip').getByText('quest: 220').waitFor()
    await page.getByLabel('Split by').selectOption('status')
    await page.locator('.chart-legend').getByText('429').waitFor()
    await page.getByLabel('Days', { exact: true }).selectOption('7')
    await page.getByRole('img', { name: /^Queries of 7 days/ }).waitFor()
    await page.getByText('Table', { exact: true }).click()
    const rows = page.getByRole('row')
    expect(await rows.count()).toBe(8)
    const today = new Date().toISOString().slice(0, 10)
    expect(await rows.nth(1).innerText()).toMatch(new RegExp(`${today}\\s+200\\s+100\\s+300`))
  })

  test('an app is applied for, and after its approval has secrets, changes and an end', async () => {
    const page = await open('/settings/server-api/apps')
    await click('Apply for an app')
    await page.getByRole('checkbox', { name: 'EVM wallet' }).waitFor()
    expect(await page.getByRole('checkbox', { name: 'E-mail' }).count()).toBe(0)
    await page.getByLabel('Name').fill('Board Games')
    await page.getByLabel('What it is for').fill('Showing who leads')
    await page.getByLabel('Redirect URIs').fill('http://app.example.com/')
    await click('Apply')
    await page.getByText(/^Redirect URIs, entry 1: /).waitFor()
    expect(await page.locator('form').innerText()).not.toContain('redirectUris')
    await page.getByLabel('Redirect URIs').fill(CALLBACK)
    await click('Apply')
    await page.getByText('waits for the operator').waitFor()
    const { apps } = (await user.browser.get('/api/apps')).json<{ apps: { clientId: string }[] }>()
    const clientId = apps[0]?.clientId ?? ''
    await click('Change Board Games')
    const logo = (name: string, bytes: Buffer) => ({ name, mimeType: 'image/png', buffer: bytes })
    await page
      .locator('input[type=file]')
      .setInputFiles(logo('logo.svg', Buffer.from('<svg xmlns="…"><script/></svg>')))
    await page.getByText('must be a PNG, JPEG or WebP image').waitFor()
    await page.locator('input[type=file]').setInputFiles(logo('logo.png', PNG))
    await page.getByRole('img', { name: 'Logo of Board Games' }).waitFor()
    await decideApp(service.services, clientId, 'approve', { revision: 2 })
    await page.reload()
    await page.getByText('approved').waitFor()
    await click('Change Board Games')
    await click('New secret')
    await page.locator('.secret-value').waitFor()
    const app = { clientId, secret: await shownSecret(), redirectUri: CALLBACK }
    await page.getByRole('switch', { name: 'Only with PKCE by S256' }).uncheck()
    await click('Save')
    await page.getByText('Saved').waitFor()
    const code = (await allow(user.browser, app)).searchParams.get('code') ?? ''
    const redeemed = await redeemCode(service, app, code)
    expect(redeemed.json<Tokens>()).toMatchObject({ token_type: 'Bearer', scope: 'EVMAddress', expires_in: 86_400 })
    await click('Show users of Board Games')
    await page.getByText(`EVM wallet: ${user.account.wallet.address.toLowerCase()}`).waitFor()
    await checkLooks(page, 'server-api-app')
    await click('End the access of all')
    await confirm('End the access of all')
    await page.getByText('The access of 1 user has ended.').waitFor()
    await page.getByText('Nobody yet.').waitFor()
    expect((await tokenDetail(service, redeemed.json<Tokens>().access_token)).statusCode).toBe(401)
    await click('Delete the app')
    await confirm('Delete the app')
    await page.getByText('No app yet.').waitFor()
  })

  test('a webhook is added, tested, switched off and deleted; an ingest token is made', async () => {
    await service.database.query(`INSERT INTO spaces VALUES (40, 'Forty', '', $1, now())`, [user.account.id])
    const page = await open('/settings/server-api/webhooks')
    await click('Add a webhook')
    await page.getByLabel('URL').fill('https://hooks.example.com/questboard')
    await click('Add')
    await page.getByText('Spaces: is needed for points.awarded').waitFor()
    await page.getByLabel('Spaces').fill('40')
    await click('Add')
    await page.locator('.secret-value').waitFor()
    expect(await shownSecret()).toMatch(/^whsec_/)
    await click('I have it')
    await click('Open https://hooks.example.com/questboard')
    await click('Send a test')
    await page.getByText('webhook.test').waitFor()
    await service.database.query(
      `INSERT INTO webhook_messages (endpoint_id, event_type, payload, created_at, state)
       SELECT endpoint_id, 'points.awarded', '{}', now() - day * interval '1 day', 'delivered'
       FROM webhook_endpoints, generate_series(1, 30) AS day`,
    )
    await page.reload()
    await click('Open https://hooks.example.com/questboard')
    await click('Older deliveries')
    await page.getByRole('button', { name: 'Older deliveries' }).waitFor({ state: 'detached' })
    expect(await page.getByText('points.awarded', { exact: true }).count()).toBeGreaterThanOrEqual(30)
    await checkLooks(page, 'server-api-webhooks')
    await click('Switch off')
    await page.getByText('off: disabled by its owner').waitFor()
    await click('Delete')
    await confirm('Delete')
    await page.getByText('No webhook yet.').waitFor()

    await page.getByRole('link', { name: 'Ingest tokens' }).click()
    await click('Generate new ingest token')
    await page.getByLabel('Name').fill('importer')
    await page.getByLabel('Spaces').fill('40')
    await click('Generate')
    await page.locator('.secret-value').waitFor()
    expect(await shownSecret()).toMatch(/^qbi_/)
    await page.getByText(/writes spaces 40/).waitFor()
    await checkLooks(page, 'server-api-ingest-tokens')
  })

  test('is accessible and fits', async () => {
    const page = await open('/settings/server-api')
    await click('Generate new token')
    await page.getByLabel('Name').fill('a second one')
    await checkLooks(page, 'server-api-tokens')
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('img', { name: /^Queries/ }).waitFor()
    await checkLooks(page, 'server-api-usage')
    await page.getByRole('link', { name: 'OAuth apps' }).click()
    await click('Apply for an app')
    await checkLooks(page, 'server-api-apps')
  })
})
