import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { setOperator } from '../../server/src/accounts/account.queries.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { startWorld, type World } from '../../server/test/support/fixture.ts'
import { signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { accessibilityProblems, openBrowser, openProfile, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'

const MEMBER = '0x00000000000000000000000000000000000000ab'

let world: World
let issuer: string
let browser: Browser
let profile: BrowserContext
let here: Visit

describe.skipIf(findChromium() === undefined)('the search in a browser', () => {
  beforeAll(async () => {
    const port = await freePort()
    issuer = `http://localhost:${port}`
    const settings = {
      QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
      QUESTBOARD_PUBLIC_URL: issuer,
    }
    world = await startWorld({ port, settings })
    await importRecords(world.deps, 'spaces', [{ spaceId: 8001, name: "Cartographers' Guild" }])
    await importRecords(world.deps, 'points', [{ spaceId: 8001, address: MEMBER, points: 7, username: 'carto-zoe' }])
    browser = await openBrowser()
    profile = await openProfile(browser, { width: 1440, scheme: 'light' })
    await actAs(profile, issuer, await signedInBrowser(world.app))
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await world.stop()
  })
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const open = async (): Promise<Page> => {
    here = await visit(profile, `${issuer}/account`)
    const page = here.page
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).waitFor()
    return page
  }
  const group = (name: string) => here.page.getByRole('group', { name, exact: true }).getByRole('option')

  it('finds a space by keyboard alone and opens it', async () => {
    const page = await open()
    await page.keyboard.type('guild cart')
    await group('Spaces').filter({ hasText: "Cartographers' Guild" }).waitFor()
    const field = page.getByRole('combobox', { name: 'Search' })
    const chosen = page.locator('[role=option][aria-selected=true]')
    expect(await field.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: "Cartographers' Guild" }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('opens a member with its rank on the board', async () => {
    const page = await open()
    await page.keyboard.type('carto-z')
    await group('Members').filter({ hasText: "Cartographers' Guild · 7 points" }).click()
    await page.getByRole('heading', { name: 'Member', exact: true }).waitFor()
    await page.getByText(MEMBER, { exact: true }).waitFor()
    await page.getByText('1 of 1', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe(`?member=${MEMBER}`)
  })

  it('finds pages by their sections, and the manual', async () => {
    const page = await open()
    await page.keyboard.type('linked ident')
    await group('Pages').filter({ hasText: 'Account' }).waitFor()
    await page.getByRole('combobox').fill('api key')
    await group('Pages').filter({ hasText: 'Server API' }).waitFor()
    await page.getByRole('combobox').fill('webhooks')
    await group('Pages').filter({ hasText: 'Webhooks' }).first().waitFor()
    const section = group('Manual').filter({ hasText: 'Webhooks' }).first()
    expect(await section.getAttribute('href')).toMatch(/^\/docs\/webhooks/)
    await section.click()
    await page.waitForURL(/\/docs\/webhooks/)
    await page.getByRole('heading', { level: 1 }).waitFor()
  })

  it('keeps what is typed while its code loads, and no field of the page gets it', async () => {
    const { promise: loads, resolve: load } = Promise.withResolvers<void>()
    const code = /\/palette-[^/]*\.js$/
    await profile.route(code, async (route) => {
      await loads
      await route.continue()
    })
    here = await visit(profile, `${issuer}/account`)
    const username = here.page.getByRole('textbox', { name: 'Username' })
    await username.focus()
    const before = await username.inputValue()
    await here.page.keyboard.press('Control+k')
    await here.page.keyboard.type('guilt')
    for (const key of ['Backspace', 'Home', 'Delete', 'ArrowLeft', 'Enter', 'Tab']) await here.page.keyboard.press(key)
    expect(await here.page.evaluate('document.activeElement.value')).toBe(before)
    load()
    const field = here.page.getByRole('combobox', { name: 'Search' })
    await expect.poll(() => field.inputValue()).toBe('guil')
    await here.page.keyboard.type('d cart')
    expect(await field.inputValue()).toBe('guild cart')
    await group('Spaces').filter({ hasText: "Cartographers' Guild" }).waitFor()
    expect(await username.inputValue()).toBe(before)
    await profile.unroute(code)
  })

  it('does not open later, when its code loads slowly and the user goes on in the page', async () => {
    const code = /\/palette-[^/]*\.js$/
    const goOn = async (leave: (page: Page) => Promise<void>) => {
      const { promise: loads, resolve: load } = Promise.withResolvers<void>()
      await profile.route(code, async (route) => {
        await loads
        await route.continue()
      })
      here = await visit(profile, `${issuer}/account`)
      const username = here.page.getByRole('textbox', { name: 'Username' })
      await username.focus()
      await here.page.keyboard.press('Control+k')
      await here.page.keyboard.type('carto')
      await leave(here.page)
      await here.page.keyboard.press('Control+a')
      await here.page.keyboard.type('zoe')
      expect(await username.inputValue()).toBe('zoe')
      const loaded = here.page.waitForResponse(code)
      load()
      await (await loaded).finished()
      await here.page.keyboard.type('!')
      expect(await username.inputValue()).toBe('zoe!')
      await here.page.keyboard.press('Control+k')
      const field = here.page.getByRole('combobox', { name: 'Search' })
      await field.waitFor()
      await here.page.keyboard.type('guild')
      expect(await field.inputValue()).toBe('guild')
      await profile.unroute(code)
    }
    await goOn((page) => page.keyboard.press('Escape'))
    await here.page.close()
    await goOn((page) => page.getByRole('textbox', { name: 'Username' }).click())
  })

  it('shows no page that the account may not open', async () => {
    const page = await open()
    await page.keyboard.type('plans quotas')
    await page.getByText('Nothing found. Check the spelling, or search for an ID.').waitFor()
    expect(await group('Pages').count()).toBe(0)
  })

  it('moves through the results with the arrow keys, around both ends', async () => {
    const page = await open()
    const options = page.getByRole('option')
    const last = (await options.count()) - 1
    const chosen = () => page.locator('[role=option][aria-selected=true]').innerText()
    await page.keyboard.press('ArrowUp')
    await expect.poll(chosen).toBe(await options.nth(last).innerText())
    await page.keyboard.press('ArrowDown')
    await expect.poll(chosen).toBe(await options.first().innerText())
    await page.keyboard.press('ArrowDown')
    await expect.poll(chosen).toBe(await options.nth(1).innerText())
  })

  it('closes with Escape and returns the focus', async () => {
    const page = await open()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate('document.activeElement.className')).toContain('search-button')
  })

  it('announces the number of results to a screen reader', async () => {
    const page = await open()
    await page.keyboard.type('carto')
    await page
      .getByRole('status')
      .filter({ hasText: /^\d+ results$/ })
      .waitFor()
    await checkLooks(page, 'search')
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await group('Edit').count()).toBe(0)
  })

  it('finds accounts for operators, and leads them to the pages that edit what was found', async () => {
    const operator = await signedInBrowser(world.app)
    await setOperator(world.database.kysely, operator.account.id, new Date(world.clock.now()))
    await importRecords(world.deps, 'quests', [
      { id: 'GCchart', spaceId: 8001, name: 'Carto chart', type: 'Points' },
      { id: 'GCsketch', spaceId: 8001, name: 'Carto sketch', type: 'Points', status: 'Draft' },
      { id: 'GCsecret', spaceId: 8001, name: 'Carto secret', type: 'Points', isPrivate: true },
    ])
    await actAs(profile, issuer, operator)
    const page = await open()
    await page.keyboard.type('carto')
    await group('Edit').filter({ hasText: 'Carto chart' }).filter({ hasText: 'Quest · GCchart' }).waitFor()
    await group('Edit').filter({ hasText: "Cartographers' Guild" }).waitFor()
    await checkLooks(page, 'search-edit')
    await group('Edit').filter({ hasText: 'Carto chart' }).click()
    await page.waitForURL(`${issuer}/content/quests/GCchart`)
    await page.getByRole('heading', { level: 1, name: 'Carto chart' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('sketch')
    await group('Quests').filter({ hasText: "Draft · Cartographers' Guild" }).click()
    await page.waitForURL(`${issuer}/content/quests/GCsketch`)
    await page.getByRole('heading', { level: 1, name: 'Carto sketch' }).waitFor()
    await page.keyboard.press('Control+k')
    // Only the team has a page for members of a private quest.
    await page.getByRole('combobox', { name: 'Search' }).fill('secret')
    await group('Quests').filter({ hasText: "Private · Cartographers' Guild" }).click()
    await page.waitForURL(`${issuer}/content/quests/GCsecret`)
    await page.getByRole('heading', { level: 1, name: 'Carto secret' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill(operator.account.username.toUpperCase())
    await group('Accounts').filter({ hasText: operator.account.username }).click()
    await page.waitForURL(`${issuer}/operator/people/${operator.account.id}`)
    await page.getByRole('heading', { level: 1, name: operator.account.username }).waitFor()
  })
})
