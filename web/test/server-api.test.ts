import type { Browser, BrowserContext, Dialog } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ensurePlans } from '../../server/src/access/plans.ts'
import { upsertPlan } from '../../server/src/access/plans.queries.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { type SignInService, startListening } from '../../server/test/support/oauth-service.ts'
import { openBrowser, openProfile, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'

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
  })
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
  /** Presses the confirming button of the dialog that a button has opened. */
  const confirm = (action: string) =>
    here.page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()
  const shownSecret = () => here.page.locator('.secret-value').innerText()

  test('creates a token, shows it once with a copy button, regenerates and revokes it', async () => {
    const page = await open('/settings/server-api')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await click('Generate token')
    await page.getByLabel('Name').fill('backend')
    await page.getByRole('checkbox', { name: 'Starboards' }).uncheck()
    await page.getByLabel('Expires').selectOption('90')
    await page.getByLabel('Plan').selectOption({ label: 'business: 50 per second, 100,000 per day' })
    await click('Generate')
    await page.getByText('Token “backend”').waitFor()
    const first = await shownSecret()
    expect(first).toMatch(/^qbs_/)
    const asked: string[] = []
    const dismiss = (question: Dialog) => {
      asked.push(question.message())
      void question.dismiss()
    }
    page.on('dialog', dismiss)
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await expect.poll(() => asked).toHaveLength(1)
    await page.getByRole('button', { name: /^Account menu of/ }).click()
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
    await expect.poll(() => asked).toHaveLength(2)
    await page.keyboard.press('Escape')
    page.off('dialog', dismiss)
    const question = 'Leave this page? The value that is shown only once is then lost. Copy it first.'
    expect(asked).toEqual([question, question])
    expect(new URL(page.url()).pathname).toBe('/settings/server-api')
    expect(await shownSecret()).toBe(first)
    await click('Copy')
    await click('Copied')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(first)
    await click('Done')
    expect(await page.content()).not.toContain(first)
    await page
      .locator('.row', { hasText: 'backend' })
      .getByText(`…${first.slice(-4)}`)
      .waitFor()
    await page.getByText(/Plan business · Reads Spaces, Credentials, Quests · Created .* · Expires /).waitFor()

    const placeOf = (name: string) => page.getByRole('button', { name }).boundingBox()
    const placesOf = async () => [await placeOf('Revoke backend'), await placeOf('Generate token')]
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
    await page.getByText('1 expired or revoked token').waitFor()
    const { tokens } = (await user.browser.get('/api/tokens')).json<{ tokens: { revokedAt: string | null }[] }>()
    expect(tokens.map(({ revokedAt }) => typeof revokedAt)).toEqual(['string'])
  })

  test('creates a publishable token for origins and spaces', async () => {
    await addSpace()
    const page = await open('/settings/server-api')
    await click('Generate token')
    await page.getByLabel('Name').fill('our site')
    await page.getByRole('radio', { name: 'Publishable' }).check()
    await page.getByRole('textbox', { name: 'Origins' }).fill('https://www.example.com/board')
    await page.getByLabel('Spaces', { exact: true }).first().fill('40')
    await click('Generate')
    await page.getByText('Enter an origin such as https://app.example.com, without a path.').waitFor()
    await checkLooks(page, 'server-api-publishable-form')
    await page.getByRole('textbox', { name: 'Origins' }).fill('https://www.example.com\nhttp://localhost:5173')
    await click('Generate')
    await page.locator('.secret-value').waitFor()
    expect(await shownSecret()).toMatch(/^qbp_/)
    await page.getByText(`'access-token': '${await shownSecret()}'`).waitFor()
    await checkLooks(page, 'server-api-publishable-made')
    await click('Done')
    await page.getByText('Publishable at https://www.example.com, http://localhost:5173 · Spaces Forty').waitFor()
    await checkLooks(page, 'server-api-publishable')
    await click('Revoke our site')
    await confirm('Revoke')
    await page.getByText('Publishable at').waitFor({ state: 'hidden' })
  })

  test('shows usage and quota as a chart by operation or status, and as a table', async () => {
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
    const chart = page.getByRole('img', { name: /^Bar chart of requests over 30 days\. Total: 12,600\./ })
    await chart.waitFor()
    const requests = page.getByRole('region', { name: 'Requests per day' })
    const tooltip = requests.locator('.chart-tooltip')
    const { width = 0, height = 0 } = (await chart.boundingBox()) ?? {}
    await chart.hover({ position: { x: width - 30, y: height / 2 } })
    await tooltip.getByText('quest: 200').waitFor()
    await page.mouse.move(0, 0)
    await expect.poll(() => tooltip.innerText()).toBe('')
    await chart.focus()
    await page.keyboard.press('ArrowLeft')
    await tooltip.getByText('quest: 200').waitFor()
    await page.keyboard.press('ArrowLeft')
    await tooltip.getByText('quest: 220').waitFor()
    await page.keyboard.press('Home')
    await tooltip.getByText('Total: 0').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => tooltip.innerText()).toBe('')
    await checkLooks(page, 'server-api-usage')
    await page.getByLabel('Group by').selectOption('status')
    await requests.locator('.chart-legend').getByText('429').waitFor()
    await page.getByLabel('Period').selectOption('7')
    await page.getByRole('img', { name: /^Bar chart of requests over 7 days/ }).waitFor()
    await requests.getByText('Table', { exact: true }).click()
    const rows = requests.getByRole('row')
    expect(await rows.count()).toBe(8)
    const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date())
    expect(await rows.nth(1).innerText()).toMatch(new RegExp(`${today}\\s+200\\s+100\\s+300`))
  })

  test('shows the error rate and the latency by day, and as tables', async () => {
    const made = await user.browser.call('POST', '/api/tokens', { name: 'measured' })
    const { tokenId } = made.json<{ tokenId: string }>()
    await service.database.query(
      `INSERT INTO token_usage
       SELECT $1, current_date - day, 'space', status, requests, now(), latencies
       FROM generate_series(0, 9) AS day,
         (VALUES (200, 75, '{0,0,0,50,20,5}'::bigint[]), (400, 25, '{25}'::bigint[])) AS asked (status, requests, latencies)`,
      [tokenId],
    )
    const page = await open('/settings/server-api/usage')
    await page.getByLabel('Token').selectOption({ label: 'measured' })
    await page.getByRole('img', { name: /^Line chart of the error rate over 30 days/ }).waitFor()
    await page.getByRole('img', { name: /^Line chart of the latency over 30 days/ }).waitFor()
    await checkLooks(page, 'server-api-usage-quality')
    const errors = page.getByRole('region', { name: 'Error rate' })
    await errors.getByText('Table', { exact: true }).click()
    expect(await errors.getByRole('row').nth(1).innerText()).toMatch(/\s25 %$/)
    const latency = page.getByRole('region', { name: 'Latency' })
    await latency.getByText('Table', { exact: true }).click()
    expect(await latency.getByRole('row').nth(1).innerText()).toMatch(/\s1\.2 ms\s+2 ms$/)
    expect(await latency.getByRole('row').count()).toBe(11)
  })

  test('shows the last requests of a token on its page', async () => {
    const made = await user.browser.call('POST', '/api/tokens', { name: 'logged' })
    const { tokenId } = made.json<{ tokenId: string }>()
    const page = await open('/settings/server-api')
    await page.getByRole('link', { name: /^logged/ }).click()
    await page.getByRole('heading', { level: 1, name: 'logged' }).waitFor()
    await page.getByText('No requests in the last 7 days.').waitFor()
    await service.database.query(
      `INSERT INTO token_requests (token_id, at, request_id, operation, status, milliseconds, code)
       VALUES ($1, now(), '153b528aadbd41ee328e5699e7420c12', 'space.loyaltyPointsRanks', 200, 1.26, NULL),
         ($1, now() - interval '1 minute', '0000528aadbd41ee328e5699e7420c12', '(refused)', 429, 0.3, 'QUOTA_EXCEEDED')`,
      [tokenId],
    )
    await click('Refresh')
    const rows = page.getByRole('row')
    await rows.nth(2).waitFor()
    expect(await rows.nth(1).innerText()).toMatch(
      /200\s+space\.loyaltyPointsRanks\s+1\.3 ms\s+153b528aadbd41ee328e5699e7420c12$/,
    )
    expect(await rows.nth(2).innerText()).toMatch(/429\s*QUOTA_EXCEEDED\s+\(refused\)/)
    await checkLooks(page, 'server-api-token')
  })

  const addSpace = () =>
    service.database.query(`INSERT INTO spaces VALUES (40, 'Forty', '', $1, now()) ON CONFLICT DO NOTHING`, [
      user.account.id,
    ])

  test('creates, tests, disables and deletes a webhook', async () => {
    await addSpace()
    const page = await open('/settings/server-api/webhooks')
    await click('Add webhook')
    await page.getByText('Points were awarded, at or above the minimum').waitFor()
    await page.getByText('Needed for events of points and quests. Rank events need a space or a starboard.').waitFor()
    await checkLooks(page, 'webhook-new')
    await page.getByRole('link', { name: 'QUESTBOARD_WEBHOOK_HOSTS' }).waitFor()
    await page.getByLabel('URL').fill('https://hooks.example.com/questboard')
    await click('Add')
    await page.getByText('Choose at least one: the event points.awarded needs it.').waitFor()
    await page.getByLabel('Spaces').fill('40')
    await click('Add')
    await page.locator('.secret-value').waitFor()
    expect(await shownSecret()).toMatch(/^whsec_/)
    await click('Done')
    await click('Manage https://hooks.example.com/questboard')
    await click('Send test event')
    await page.getByText('webhook.test').waitFor()
    await service.database.query(
      `INSERT INTO webhook_messages (endpoint_id, event_type, payload, created_at, state)
       SELECT endpoint_id, 'points.awarded', '{}', now() - day * interval '1 day', 'delivered'
       FROM webhook_endpoints, generate_series(1, 30) AS day`,
    )
    await page.reload()
    await click('Load more')
    await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' })
    expect(await page.getByText('points.awarded', { exact: true }).count()).toBeGreaterThanOrEqual(30)
    await checkLooks(page, 'server-api-webhooks')
    // Input that is not saved stays so.
    const asks = () => page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`)
    await page.getByLabel('Description').fill('For the shop')
    await click('Disable')
    await page.getByText('Disabled: disabled by its owner').waitFor()
    await page.getByRole('button', { name: 'Enable', exact: true }).waitFor()
    expect(await asks()).toBe(true)
    await click('Save')
    await expect.poll(asks).toBe(false)
    const stored = 'SELECT description, disabled_at IS NULL AS enabled FROM webhook_endpoints'
    expect(await service.database.query(stored)).toEqual([{ description: 'For the shop', enabled: false }])
    await click('Delete')
    await confirm('Delete')
    await page.getByText('No webhooks', { exact: true }).waitFor()
  })

  test('generates an ingest token', async () => {
    await addSpace()
    const page = await open('/settings/server-api/ingest-tokens')
    await click('Generate ingest token')
    await page.getByLabel('Name').fill('importer')
    await page.getByLabel('Spaces').fill('40')
    await click('Generate')
    await page.locator('.secret-value').waitFor()
    expect(await shownSecret()).toMatch(/^qbi_/)
    await page.getByText(/Writes spaces Forty/).waitFor()
    await checkLooks(page, 'server-api-ingest-tokens')
  })

  test('is accessible and fits', async () => {
    const page = await open('/settings/server-api')
    await click('Generate token')
    await page.getByLabel('Name').fill('a second one')
    await checkLooks(page, 'server-api-tokens')
  })
})
