import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createPersonas, type Personas, tokenWithLimits } from '../../server/test/support/personas.ts'
import { startService, type TestService } from '../../server/test/support/service.ts'
import {
  accessibilityProblems,
  isWiderThanWindow,
  keepScreenshot,
  openBrowser,
  openProfile,
  type Visit,
  visit,
} from './browser.ts'
import { findChromium } from './chromium.ts'
import { looks } from './looks.ts'
import { personInBrowser } from './person-in-browser.ts'

let service: TestService
let personas: Personas
let browser: Browser
let profile: BrowserContext
let here: Visit

describe.skipIf(findChromium() === undefined)('the playground in a browser', () => {
  beforeAll(async () => {
    service = await startService()
    personas = await createPersonas(service.deps)
    browser = await openBrowser()
    profile = await openProfile(browser, { width: 1280, scheme: 'light' })
  })
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const open = async (fragment = '', context = profile) => {
    here = await visit(context, `${service.url}/playground${fragment}`)
    return here.page
  }
  const run = async () => {
    await here.page.getByRole('button', { name: 'Run', exact: true }).click()
    await here.page.getByText(/^HTTP \d+$/).waitFor()
  }

  /** Replaces the text of an editor. */
  const write = async (name: string, text: string) => {
    await here.page.getByRole('textbox', { name }).press('Control+a')
    await here.page.keyboard.insertText(text)
  }

  test('accepts a typed token and shows the documentation', async () => {
    const page = await open()
    await page.getByText('Queries require a server token or a session.').waitFor()
    await page.getByRole('textbox', { name: 'Server token' }).fill(` ${personas.business} `)
    await page.getByRole('button', { name: 'Use token' }).click()
    await page.getByText('Token accepted').waitFor()
    await page.getByText('Docs', { exact: true }).last().click()
    await page.getByText('Root types').waitFor()
    await page.getByRole('button', { name: 'Query', exact: true }).click()
    await page.getByText('starboard: ').waitFor()
    await page.getByRole('searchbox', { name: 'Search types and fields' }).fill('percentile')
    await page.getByRole('button', { name: 'AddressLoyaltyPoints.percentile' }).click()
    await page.getByRole('heading', { name: 'AddressLoyaltyPoints' }).waitFor()
    await page.getByRole('button', { name: '← Query' }).click()
    await page.getByRole('heading', { name: 'Query', level: 2 }).first().waitFor()
  })

  test('takes a token from the fragment, removes it from the address bar, and keeps it in this tab only', async () => {
    const page = await open(`#token=${personas.business}`)
    await page.getByText('Token accepted').waitFor()
    expect(page.url()).toBe(`${service.url}/playground`)
    await page.reload()
    await page.getByText('Token accepted').waitFor()
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(personas.business)
    const otherTab = await here.context.newPage()
    await otherTab.goto(`${service.url}/playground`)
    await otherTab.getByText('Queries require a server token or a session.').waitFor()
    await otherTab.close()
  })

  test('links to the manual, the stored data, and the page for tokens', async () => {
    const page = await open()
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
    await links.first().waitFor()
    const found: (string | null)[] = []
    for (const link of await links.all()) {
      const [name, href] = [await link.textContent(), await link.getAttribute('href')]
      expect((await page.request.get(service.url + href)).status(), name ?? '').toBe(200)
      found.push(name)
    }
    expect(found).toEqual(['Manual', 'Explore', 'Server API'])
    await links.first().click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/docs\/?$/)
  })

  test('ends its session when another tab signs out', async () => {
    const { issuer, profile: signedIn, close } = await personInBrowser()
    try {
      here = await visit(signedIn, `${issuer}/playground`)
      await here.page.getByText('Signed in as').waitFor()
      const other = await signedIn.newPage()
      await other.goto(`${issuer}/explore`)
      await other.getByRole('button', { name: 'Account menu' }).click()
      await other.getByRole('menuitem', { name: 'Sign out' }).click()
      await here.page.getByText('Queries require a server token or a session.').waitFor()
      await other.close()
      await here.page.close()
    } finally {
      await close()
    }
  })

  test('forgets a token, also after a reload', async () => {
    const page = await open(`#token=${personas.business}`)
    await page.getByRole('button', { name: 'Forget token' }).click()
    await page.getByText('Queries require a server token or a session.').waitFor()
    await page.reload()
    await page.getByText('Queries require a server token or a session.').waitFor()
  })

  test('shows the error of the service for an invalid token', async () => {
    const page = await open('#token=qbs_wrong')
    await page.getByText('Token not accepted').waitFor()
    await page.getByText('Invalid access token: ').waitFor()
    await page.getByText('INVALID_TOKEN').waitFor()
  })

  test('uses the newer token if a link replaces a revoked one in the same tab', async () => {
    const page = await open(`#token=${personas.revoked}`)
    await page.getByText('INVALID_TOKEN').waitFor()
    await page.goto(`${service.url}/playground#token=${personas.business}`)
    await page.getByText('Token accepted').waitFor()
  })

  test('shows the whole response to a query without a token', async () => {
    const page = await open()
    await run()
    await page.getByText('HTTP 401').waitFor()
    await page.getByText('TOKEN_REQUIRED').first().waitFor()
    await page.getByText('Access token is required').first().waitFor()
  })

  test('lists the errors of a response with their locations', async () => {
    const page = await open(
      `#token=${personas.business}&query=${encodeURIComponent('{ space(id: 987654321) { id } }')}`,
    )
    await page.getByText('Token accepted').waitFor()
    await run()
    await page.getByText('HTTP 200').waitFor()
    const errors = page.getByRole('alert').filter({ hasText: '1 error' })
    expect(await errors.innerText()).toMatch(/NOT_FOUND\s*Space not found\s*at\s*space/)
  })

  test('shows when to retry after an exhausted quota', async () => {
    const { token } = await tokenWithLimits(service.deps, { perSecond: null, perDay: 1 })
    const page = await open(`#token=${token}`)
    await page.getByText('Token accepted').waitFor()
    await page.reload()
    await page.getByText('Schema could not be loaded').waitFor()
    await page.getByText('API quota exceeded: daily limit reached').waitFor()
    await page.getByText(/Try again in [\d,]+ seconds?\./).waitFor()
  })

  test('allows the keyboard to reach every control and to leave every editor', async () => {
    const page = await open(`#token=${personas.business}`)
    await page.getByText('Token accepted').waitFor()
    await page.getByLabel('GraphQL query').waitFor({ state: 'attached' })
    const reached: string[] = []
    for (let press = 0; press < 40 && !reached.includes('JSON response'); press++) {
      await page.keyboard.press('Tab')
      reached.push(
        await page.evaluate(`document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`),
      )
    }
    const wanted = [
      'Manual',
      'Explore',
      'Server API',
      'Use token',
      'Forget token',
      'Format',
      'Copy as curl',
      'Run',
      'GraphQL query',
      'JSON variables',
      'JSON response',
    ]
    expect(reached).toEqual(expect.arrayContaining(wanted))
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Control+Enter')
    await page.getByText(/^HTTP \d+$/).waitFor()
  })

  test('completes names from the schema, and marks names that it does not have', async () => {
    const page = await open(`#token=${personas.business}`)
    await page.getByText('Token accepted').waitFor()
    const editor = page.getByRole('textbox', { name: 'GraphQL query' })
    await write('GraphQL query', '{ space(id: 40) { nam } }')
    await page.locator('.cm-lintRange-error').waitFor()
    for (let step = 0; step < 4; step++) await editor.press('ArrowLeft')
    await editor.press('Control+Space')
    await page.getByRole('option', { name: /^name/ }).click()
    expect(await editor.innerText()).toContain('{ name }')
  })

  test('formats query and variables, and keeps comments', async () => {
    const page = await open()
    const editor = page.getByRole('textbox', { name: 'GraphQL query' })
    await write('GraphQL query', 'query A($id: Int!){space(id:$id){name # shown\n}}')
    await write('JSON variables', '{"id":40}')
    await page.getByRole('button', { name: 'Format' }).click()
    await expect
      .poll(async () => (await editor.innerText()).trim())
      .toBe('query A($id: Int!) {\n  space(id: $id) {\n    name # shown\n  }\n}')
    expect(await page.getByRole('textbox', { name: 'JSON variables' }).innerText()).toBe('{\n  "id": 40\n}')
  })

  test('runs the operation at the cursor', async () => {
    const page = await open(`#token=${personas.business}`)
    await page.getByText('Token accepted').waitFor()
    const editor = page.getByRole('textbox', { name: 'GraphQL query' })
    await write('GraphQL query', 'query A { first: space(id: 40) { id } }\nquery B { second: space(id: 40) { id } }')
    await editor.press('Control+End')
    await run()
    expect(await page.getByRole('textbox', { name: 'JSON response' }).innerText()).toContain('"second"')
    await editor.press('Control+Home')
    await run()
    await expect.poll(() => page.getByRole('textbox', { name: 'JSON response' }).innerText()).toContain('"first"')
  })

  test('explains variables that are not JSON, and sends nothing', async () => {
    const page = await open()
    await write('JSON variables', '{ id: 40 }')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('alert').getByText('Variables must be JSON: ').waitFor()
    await page.getByText('Run a query to see the response.').waitFor()
  })

  test('keeps the query after a reload', async () => {
    const page = await open()
    const editor = page.getByRole('textbox', { name: 'GraphQL query' })
    await write('GraphQL query', '{ space(id: 41) { id } }')
    await page.reload()
    await expect.poll(() => editor.innerText()).toBe('{ space(id: 41) { id } }')
  })

  test.each(looks)('is accessible and fits: $scheme, $width px', async ({ scheme, width }) => {
    const narrow = width < 1024
    const show = (view: string) => here.page.getByText(view, { exact: true }).locator('visible=true').first().click()
    const context = await openProfile(browser, { width, scheme })
    onTestFinished(() => context.close())
    const page = await open('', context)
    const check = async (state: string) => {
      await keepScreenshot(page, `playground-${state}-${scheme}-${width}`)
      expect(await accessibilityProblems(page), state).toEqual([])
      expect(await isWiderThanWindow(page), state).toBe(false)
    }
    await page.getByLabel('GraphQL query').waitFor({ state: 'attached' })
    await check('no-token')
    await page.getByRole('textbox', { name: 'Server token' }).fill('qbs_wrong')
    await page.getByRole('button', { name: 'Use token' }).click()
    await page.getByText('Token not accepted').waitFor()
    await check('wrong-token')
    await page.getByRole('textbox', { name: 'Server token' }).fill(personas.business)
    await page.getByRole('button', { name: 'Use token' }).click()
    await page.getByText('Token accepted').waitFor()
    await page.getByRole('button', { name: 'Get a space' }).click()
    await check('query')
    if (narrow) await show('Examples')
    await check('examples')
    if (narrow) await show('Query')
    await run()
    await check('answer')
    await show('Docs')
    await page.getByRole('button', { name: 'Query', exact: true }).click()
    await check('docs')
  })
})
