import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { setOperator } from '../../server/src/accounts/account.queries.ts'
import { startWorld, type World } from '../../server/test/support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { openBrowser, openProfile, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'

const TOKENS = '/settings/server-api/ingest-tokens'

describe.skipIf(findChromium() === undefined)('a field that picks objects', () => {
  let world: World
  let issuer: string
  let browser: Browser
  let profile: BrowserContext
  let user: SignedIn
  let here: Visit
  beforeAll(async () => {
    const port = await freePort()
    issuer = `http://localhost:${port}`
    const settings = {
      HOST: 'localhost',
      QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
      QUESTBOARD_PUBLIC_URL: issuer,
    }
    world = await startWorld({ port, settings })
    browser = await openBrowser()
    profile = await openProfile(browser, { width: 1280, scheme: 'light' })
    await profile.grantPermissions(['clipboard-read', 'clipboard-write'])
    user = await signedInBrowser(world.app)
    await setOperator(world.deps.database.kysely, user.account.id, new Date())
    await actAs(profile, issuer, user)
  })
  afterAll(async () => {
    await browser.close()
    await world.stop()
  })
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const openForm = async () => {
    here = await visit(profile, issuer + TOKENS)
    await here.page.getByRole('button', { name: 'Generate ingest token' }).click()
    const field = here.page.getByRole('combobox', { name: 'Spaces' })
    await field.waitFor()
    return { page: here.page, field }
  }
  const pills = (page: Page) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('[aria-label^="Remove "]')].map((one) => one.ariaLabel.replace('Remove ', ''))`,
    )

  it('finds them by name, and picks and removes them with the keyboard', async () => {
    const { page, field } = await openForm()
    await field.focus()
    expect(await field.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { name: 'Aurora Guild' }).waitFor()
    await field.fill('auro')
    await page.getByRole('option', { name: 'Aurora Guild' }).waitFor()
    const active = page.locator(`[id="${await field.getAttribute('aria-activedescendant')}"]`)
    await expect.poll(() => active.getAttribute('aria-selected')).toBe('true')
    expect(await field.getAttribute('aria-controls')).toBe(await page.getByRole('listbox').getAttribute('id'))
    await checkLooks(page, 'picker-open')
    await page.keyboard.press('Enter')
    await expect.poll(() => pills(page)).toEqual(['Aurora Guild'])
    expect(await page.getByRole('option', { name: 'Aurora Guild' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    expect(await page.getByRole('listbox').count()).toBe(0)
    await page.keyboard.press('Backspace')
    expect(await pills(page)).toEqual([])
  })

  it('takes the typed ID when the focus goes to a chosen object', async () => {
    const { page, field } = await openForm()
    await field.fill('40')
    await page.keyboard.press('Tab')
    await expect.poll(() => pills(page)).toHaveLength(1)
    await field.fill('4711')
    await page.keyboard.press('Shift+Tab')
    await expect.poll(() => pills(page)).toHaveLength(2)
    expect(await field.inputValue()).toBe('')
    await page.keyboard.press('Enter')
    await page.getByRole('heading').first().click()
    expect(await page.getByRole('listbox').count()).toBe(0)
  })

  it('takes pasted IDs, also several and unknown ones, and sends them', async () => {
    const { page, field } = await openForm()
    await page.getByLabel('Name').fill('importer')
    await page.evaluate(`navigator.clipboard.writeText('40, 41\\n77777')`)
    await field.focus()
    await page.keyboard.press('Control+V')
    await expect.poll(() => pills(page)).toEqual(['Aurora Guild', expect.any(String), '77777'])
    await page.getByRole('button', { name: 'Generate', exact: true }).click()
    await page.getByText('Writes spaces Aurora Guild, Beacon, 77777').waitFor()
  })

  it('takes an ID that was typed when the user goes on, and reports another text', async () => {
    const { page, field } = await openForm()
    await field.fill('40')
    await page.keyboard.press('Tab')
    await expect.poll(() => pills(page)).toEqual(['Aurora Guild'])
    await field.fill('no such space')
    await page.keyboard.press('Tab')
    await page.getByText('Choose an entry from the list, or paste an ID.').waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await pills(page)).toEqual(['Aurora Guild'])
  })

  it('finds accounts by name for an operator', async () => {
    here = await visit(profile, `${issuer}/operator/log?account=${user.account.id}`)
    const { page } = here
    await expect.poll(() => pills(page)).toEqual([user.account.username])
    await page.getByRole('listitem').getByText('Account created').first().waitFor()
    await page.getByRole('button', { name: `Remove ${user.account.username}` }).click()
    await page.getByRole('combobox', { name: 'Account' }).fill(user.account.username.slice(0, 8))
    await page.getByRole('option', { name: user.account.username }).click()
    await expect.poll(() => pills(page)).toEqual([user.account.username])
    await checkLooks(page, 'operator-log')
  })

  it('leads to an object of Explore', async () => {
    here = await visit(profile, `${issuer}/explore`)
    const { page } = here
    await page.getByLabel('Type').selectOption('Starboard')
    await page.getByRole('combobox', { name: 'Starboard' }).fill('voices')
    await checkLooks(page, 'explore-open')
    await page.getByRole('option', { name: 'Voices of Aurora' }).click()
    await page.waitForURL(`${issuer}/explore/starboards/1`)
  })
})
