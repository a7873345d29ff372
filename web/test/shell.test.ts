import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ensurePlans } from '../../server/src/access/plans.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { type SignInService, startListening } from '../../server/test/support/oauth-service.ts'
import {
  accessibilityProblems,
  keepScreenshot,
  openBrowser,
  openProfile,
  settle,
  type Visit,
  visit,
} from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'

const PHONE = { width: 360, height: 740 }
const DESK = { width: 1440, height: 900 }

let service: SignInService
let browser: Browser
let profile: BrowserContext
let user: SignedIn
let here: Visit

describe.skipIf(findChromium() === undefined)('the shell around the pages', () => {
  beforeAll(async () => {
    service = await startListening()
    browser = await openBrowser()
    profile = await openProfile(browser, { width: DESK.width, scheme: 'light' })
    user = await signedInBrowser(service)
    await actAs(profile, service.issuer, user)
    await ensurePlans(service.database, service.services.config)
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await service.close()
  })
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const open = async (path: string, size = DESK): Promise<Page> => {
    here = await visit(profile, service.issuer + path)
    await here.page.setViewportSize(size)
    await here.page.getByRole('heading', { level: 1 }).waitFor()
    return here.page
  }
  const focused = () => here.page.evaluate<string>('document.activeElement.textContent')
  const press = (...keys: string[]) =>
    keys.reduce((done, key) => done.then(() => here.page.keyboard.press(key)), Promise.resolve())

  it('leads to the pages of the account by group, and marks the current one', async () => {
    const page = await open('/settings/server-api/usage')
    const sidebar = page.getByRole('navigation', { name: 'Pages' })
    for (const group of ['You', 'Community', 'Developers']) await sidebar.getByRole('region', { name: group }).waitFor()
    expect(await sidebar.getByRole('region', { name: 'Operator' }).count()).toBe(0)
    expect(await sidebar.locator('[aria-current=page]').allInnerTexts()).toEqual(['Usage'])
    await sidebar.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    expect(await sidebar.locator('[aria-current=page]').allInnerTexts()).toEqual(['Webhooks'])
    expect(await page.getByRole('navigation', { name: 'Breadcrumb' }).innerText()).toBe('Developers')
  })

  it('folds the pages for developers until a user opens them, and keeps the choice', async () => {
    const page = await open('/my')
    const developers = page.getByRole('navigation', { name: 'Pages' }).getByRole('region', { name: 'Developers' })
    const fold = developers.getByRole('button', { name: 'Developers', expanded: false })
    await fold.waitFor()
    expect(await developers.getByRole('link').count()).toBe(0)
    await fold.focus()
    await press('Enter', 'Tab')
    expect(await focused()).toBe('Server API')
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      expect(await accessibilityProblems(page)).toEqual([])
    }
    await page.reload()
    await developers.getByRole('link', { name: 'Webhooks' }).waitFor()
    await developers.getByRole('button', { name: 'Developers', expanded: true }).click()
    await page.reload()
    await fold.waitFor()
    expect(await developers.getByRole('link').count()).toBe(0)
    await page.emulateMedia({ colorScheme: 'light' })
    await keepScreenshot(page, 'shell-folded-light-1440')
    await page.goto(`${service.issuer}/settings/server-api/webhooks`)
    await developers.getByRole('link', { name: 'Usage' }).waitFor()
  })

  it('scrolls the sidebar of a low window to the current page', async () => {
    const page = await open('/settings/server-api/ingest-tokens', { width: 1280, height: 320 })
    const entry = page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current=page]')
    expect(await entry.innerText()).toBe('Ingest tokens')
    const { y = 0, height = 0 } = (await entry.boundingBox()) ?? {}
    expect([y >= 0, y + height <= 320]).toEqual([true, true])
  })

  it('shows the way back from the page of an object to its list', async () => {
    const page = await open('/explore/spaces/999')
    const breadcrumb = page.getByRole('navigation', { name: 'Breadcrumb' })
    await breadcrumb.getByRole('link', { name: 'Spaces' }).click()
    await page.getByRole('heading', { level: 1, name: 'Spaces' }).waitFor()
  })

  it('opens the pages of a phone in a drawer by keyboard, and closes it with the choice', async () => {
    const page = await open('/account', PHONE)
    await press('Tab', 'Tab', 'Enter')
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('link', { name: 'Security' }).waitFor()
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await keepScreenshot(page, `shell-drawer-${scheme}-360`)
      expect(await accessibilityProblems(page)).toEqual([])
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await drawer.getByRole('link', { name: 'Security' }).focus()
    await press('Enter')
    await drawer.waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor()
  })

  it('closes the drawer with Escape and returns the focus to its button', async () => {
    const page = await open('/account', PHONE)
    await page.getByRole('button', { name: 'Open the menu' }).click()
    await page.getByRole('dialog').waitFor()
    await press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Open the menu')
  })

  it('changes theme and language in the account menu', async () => {
    const page = await open('/account')
    const menu = page.getByRole('button', { name: /^Account menu of/ })
    await menu.click()
    await settle(page)
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' })
    await page.getByRole('menuitemradio', { name: 'System' }).click()
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { level: 1, name: 'Konto' }).waitFor()
    await page.getByRole('button', { name: /^Kontomenü von/ }).click()
    await page.getByRole('menuitemradio', { name: 'English' }).click()
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
  })

  it('changes the theme without transitions if motion is reduced', async () => {
    const page = await open('/account')
    await settle(page)
    await page.evaluate(`addEventListener('transitionrun', () => (window.transitions = (window.transitions ?? 0) + 1))`)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' })
    await settle(page)
    expect(await page.evaluate('window.transitions ?? 0')).toBe(0)
  })

  it('skips to the content by keyboard', async () => {
    await open('/account')
    await press('Tab')
    expect(await focused()).toBe('Skip to content')
    await press('Enter', 'Tab')
    expect(await here.page.evaluate('document.activeElement.closest("main") !== null')).toBe(true)
  })

  it('keeps the frame around an address without a page', async () => {
    const page = await open('/account/no-such-page')
    await page.getByText('There is no page at this address. Check the address, or search for what you need.').waitFor()
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    const main = page.getByRole('main')
    expect(await main.getByRole('link', { name: 'Home' }).getAttribute('href')).toBe('/')
    expect(await main.getByRole('link', { name: 'Explore' }).getAttribute('href')).toBe('/explore')
    await checkLooks(page, 'shell-not-found')
    await main.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
  })

  it('sends a form once, also after a double click', async () => {
    const page = await open('/settings/server-api')
    await page.getByRole('button', { name: 'Generate token' }).click()
    await page.getByLabel('Name').fill('backend')
    let sent = 0
    page.on('request', (request) => (sent += Number(request.method() === 'POST')))
    await page.getByRole('button', { name: 'Generate', exact: true }).dblclick()
    await page.locator('.secret-value').waitFor()
    await settle(page)
    expect(sent).toBe(1)
  })

  it('keeps the focus on a button while its request runs and afterwards, and ignores more clicks', async () => {
    const page = await open('/account')
    const save = page.getByRole('button', { name: 'Save', exact: true }).first()
    const hasFocus = () => save.and(page.locator(':focus')).count()
    await page.getByLabel('Username').fill('ada-of-boards')
    let sent = 0
    const hold = Promise.withResolvers<void>()
    await page.route('**/api/profile', async (route) => {
      if (route.request().method() === 'PATCH') sent++
      await hold.promise
      await route.continue()
    })
    await save.focus()
    await press('Enter')
    await save.and(page.locator('[aria-busy=true][aria-disabled=true]')).waitFor()
    expect(await hasFocus()).toBe(1)
    await press('Enter', 'Space')
    await page.getByLabel('Username').press('Enter')
    await save.focus()
    hold.resolve()
    await page.getByText('Saved').waitFor()
    await save.and(page.locator(':not([aria-busy])[aria-disabled=true]')).waitFor()
    expect(await hasFocus()).toBe(1)
    // The button is disabled now, because nothing has changed since.
    await press('Enter')
    await page.getByLabel('Username').press('Enter')
    await settle(page)
    expect(sent).toBe(1)
  })

  it('redirects the address of the settings to their first page', async () => {
    const page = await open('/settings')
    await page.getByRole('heading', { level: 1, name: 'Server API' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/settings/server-api')
  })
})
