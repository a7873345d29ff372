import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { setOperator } from '../../server/src/accounts/account.queries.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { startWorld, type World } from '../../server/test/support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { openBrowser, openProfile, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'

const TOKENS = '/settings/server-api/ingest-tokens'
const NEW_QUEST = '/content/spaces/40/new-quest'

/** A field of each kind. `opens` is the button of its form. */
const FIELDS = {
  spaces: { path: TOKENS, opens: 'Generate ingest token', label: 'Spaces', text: 'auro', name: 'Aurora Guild' },
  credentials: { path: NEW_QUEST, opens: 'Add condition', label: 'Credential', text: 'foll', name: 'Follows Aurora' },
  quests: { path: '/explore/credentials/500', opens: '', label: 'Quest', text: 'light', name: 'Light the beacon' },
}

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

  it.each(Object.entries(FIELDS))(
    'keeps the focus after a choice, after Escape and after the removal of the choice: %s',
    async (_, { path, opens, label, text, name }) => {
      here = await visit(profile, issuer + path)
      const { page } = here
      if (opens !== '') await page.getByRole('button', { name: opens, exact: true }).click()
      const field = page.getByRole('combobox', { name: label })
      const option = page.locator('.picker-option')
      const remove = page.getByRole('button', { name: `Remove ${name}` })
      const isFocused = async () => (await field.and(page.locator(':focus')).count()) === 1
      const choose = async (act: () => Promise<void>) => {
        await field.fill(text)
        await expect.poll(() => option.count()).toBe(1)
        await act()
        await remove.waitFor()
        expect(await isFocused()).toBe(true)
      }
      const isCleared = async () => {
        await remove.waitFor({ state: 'detached' })
        expect(await isFocused()).toBe(true)
      }
      await choose(() => page.keyboard.press('Enter'))
      await page.keyboard.press('ArrowDown')
      await page.locator('.picker-list').waitFor()
      await page.keyboard.press('Escape')
      expect(await page.locator('.picker-list').count()).toBe(0)
      expect(await isFocused()).toBe(true)
      await page.keyboard.press('Backspace')
      await isCleared()
      await choose(() => option.click())
      await remove.press('Enter')
      await isCleared()
      await choose(() => page.keyboard.press('Enter'))
      await page.keyboard.press('Tab')
      await remove.click()
      await isCleared()
    },
  )

  it('returns from the link at the end of the list with Escape', async () => {
    here = await visit(profile, issuer + NEW_QUEST)
    const { page } = here
    await page.getByRole('button', { name: 'Add condition' }).click()
    const field = page.getByRole('combobox', { name: 'Credential' })
    await field.press('ArrowDown')
    await page.locator('.picker-option').first().waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('link', { name: 'Create one in a new tab' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.picker-list').waitFor({ state: 'detached' })
    await field.and(page.locator(':focus')).waitFor()
  })

  it('goes on to the next field from a list that scrolls', async () => {
    await importRecords(
      world.deps,
      'spaces',
      Array.from({ length: 12 }, (_, i) => ({ spaceId: 9400 + i, name: `Pier ${i}` })),
    )
    const { page, field } = await openForm()
    await field.press('ArrowDown')
    await expect.poll(() => page.locator('.picker-option').count()).toBeGreaterThan(12)
    expect(
      await page.evaluate(`(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)(
      document.querySelector('[role=listbox]'))`),
    ).toBe(true)
    await page.keyboard.press('Tab')
    await page.getByRole('combobox', { name: 'Starboards' }).and(page.locator(':focus')).waitFor()
    expect(await page.getByRole('listbox').count()).toBe(0)
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
