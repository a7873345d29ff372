import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { LANGUAGE_COOKIE } from '../../server/src/texts/languages.ts'
import { isWiderThanWindow, keepScreenshot, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { operatorInBrowser, type OperatorInBrowser } from './operator-in-browser.ts'

const SPACE = 9301
const LONG = 'G'.repeat(501)

let { issuer, close } = {} as OperatorInBrowser
let profile: BrowserContext
let here: Visit

const open = async (path: string): Promise<Page> => {
  here = await visit(profile, issuer + path)
  return here.page
}

/** The accessible name of the focused field, and whether it is in the window. */
const focused = () =>
  here.page.evaluate<string>(`(() => {
    const { activeElement: field } = document
    const { top, bottom } = field.getBoundingClientRect()
    const label = field.labels?.[0]?.innerText.replace(' *', '') ?? field.innerText
    return top >= 0 && bottom <= innerHeight ? label : label + ' outside of the window'
  })()`)

describe.skipIf(findChromium() === undefined)('a refused form in a browser', () => {
  beforeAll(async () => {
    const started = await operatorInBrowser()
    ;({ issuer, close, profile } = started)
    await importRecords(started.world.deps, 'spaces', [{ spaceId: SPACE, name: 'Pier' }])
  }, 120_000)
  afterAll(() => close())
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  it.each([
    { width: 1440, scheme: 'light' },
    { width: 768, scheme: 'dark' },
    { width: 360, scheme: 'light' },
  ] as const)('shows and focuses the first field that the page refuses: $width $scheme', async ({ width, scheme }) => {
    const page = await open(`/content/spaces/${SPACE}/new-quest`)
    await page.emulateMedia({ colorScheme: scheme })
    await page.setViewportSize({ width, height: 500 })
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Walk the pier')
    await page.getByLabel('Start', { exact: true }).fill('2026-12-02T10:00')
    await page.getByLabel('End', { exact: true }).fill('2026-12-01T10:00')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('The end is before the start.').waitFor()
    await expect.poll(focused).toBe('End')
    await keepScreenshot(page, `refused-quest-${scheme}-${width}`)
    expect(await isWiderThanWindow(page)).toBe(false)
  })

  it.each([
    { width: 1440, scheme: 'dark' },
    { width: 360, scheme: 'light' },
  ] as const)('shows and focuses the first field that the service refuses: $width $scheme', async (look) => {
    const page = await open('/settings/server-api/webhooks')
    await page.emulateMedia({ colorScheme: look.scheme })
    await page.setViewportSize({ width: look.width, height: 500 })
    await page.getByRole('button', { name: 'Add webhook' }).first().click()
    await page.getByLabel('URL').fill('ftp://hooks.example')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText(/Enter a URL that begins with https/).waitFor()
    await expect.poll(focused).toBe('URL')
    await keepScreenshot(page, `refused-webhook-${look.scheme}-${look.width}`)
    expect(await isWiderThanWindow(page)).toBe(false)
  })

  it('names every required field of an empty credential, and focuses the first', async () => {
    const page = await open(`/content/spaces/${SPACE}/new-credential`)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const main = page.getByRole('main')
    await main.getByText('Enter a name').waitFor()
    await main.locator('.mantine-InputWrapper-error').getByText('Choose how the holders are found').waitFor()
    await expect.poll(focused).toBe('Name')
  })

  it('shows the example in an empty refused field in the colour of examples', async () => {
    const page = await open(`/content/spaces/${SPACE}/new-credential`)
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Owners of a boat')
    await page.getByRole('combobox', { name: 'Verified by' }).selectOption('CONTRACT_NFT_HOLDER')
    const node = page.getByRole('textbox', { name: 'URL of the RPC node' })
    const colour = async () => {
      const id = (await node.getAttribute('id')) ?? ''
      return page.evaluate(`getComputedStyle(document.getElementById(${JSON.stringify(id)}), '::placeholder').color`)
    }
    await node.waitFor()
    const usual = await colour()
    await page.getByRole('button', { name: 'Test source' }).click()
    await node.and(page.locator('[aria-invalid=true]')).waitFor()
    expect(await colour()).toBe(usual)
  })

  it('keeps the focus of a user who continues before the response', async () => {
    const page = await open('/content')
    await page.getByRole('button', { name: 'New space' }).first().click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(LONG)
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/api/**', async (route) => {
      if (route.request().method() === 'POST') await held
      await route.continue()
    })
    await page.getByRole('main').locator('form button[type=submit]').click()
    await page.getByRole('textbox', { name: 'Description' }).click()
    answer()
    await page.getByText('At most 200 characters.').waitFor()
    expect(await focused()).toBe('Description')
  })

  it('shows no message at a field that the user has corrected before the response', async () => {
    const page = await open('/content')
    await page.getByRole('button', { name: 'New space' }).first().click()
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.fill(LONG)
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/api/**', async (route) => {
      if (route.request().method() === 'POST') await held
      await route.continue()
    })
    const button = page.getByRole('main').locator('form button[type=submit]')
    await button.click()
    await expect.poll(() => button.getAttribute('data-loading')).toBe('true')
    await name.fill('Pier two')
    answer()
    await expect.poll(() => button.getAttribute('data-loading')).toBeNull()
    expect(await page.getByText('At most 200 characters.').count()).toBe(0)
  })

  it('names the entry of a picker that the service refuses', async () => {
    const page = await open('/settings/server-api/webhooks')
    await page.getByRole('button', { name: 'Add webhook' }).first().click()
    await page.getByLabel('URL').fill('https://hooks.example')
    await page.getByLabel('Spaces', { exact: true }).fill('99999999999')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText(/^Entry 1: /).waitFor()
  })

  it('shows in German that an address is taken', async () => {
    await profile.addCookies([{ name: LANGUAGE_COOKIE, value: 'de', url: issuer }])
    const page = await open('/content')
    for (const name of ['Mole', 'Hafen']) {
      await page.getByRole('button', { name: 'Neuer Space' }).first().click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
      await page.getByRole('textbox', { name: 'Öffentliche Seite' }).fill('mole')
      await page.getByRole('main').locator('form button[type=submit]').click()
      if (name === 'Mole') await page.waitForURL(/\/content\/spaces\/\d+/)
      if (name === 'Mole') await page.goto(`${issuer}/content`)
    }
    await page.getByText('Diese Adresse hat schon ein anderer Space. Wähle eine andere.').waitFor()
    await expect.poll(focused).toBe('Öffentliche Seite')
    expect(await page.getByRole('main').getByRole('alert').count()).toBe(0)
    for (const [scheme, width] of [
      ['light', 360],
      ['dark', 1440],
    ] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height: 800 })
      await keepScreenshot(page, `refused-slug-german-${scheme}-${width}`)
      expect(await isWiderThanWindow(page)).toBe(false)
    }
    await profile.clearCookies({ name: LANGUAGE_COOKIE })
  })

  it('focuses the name of a plan that exists', async () => {
    const page = await open('/operator/plans')
    for (const round of [1, 2]) {
      await page.getByRole('button', { name: 'New plan' }).first().click()
      await page.getByRole('textbox', { name: 'Name' }).fill('pier')
      await page.getByRole('main').locator('form button[type=submit]').click()
      if (round === 1) await page.getByText('pier', { exact: true }).first().waitFor()
    }
    await page.getByText(/The plan pier exists/).waitFor()
    await expect.poll(focused).toBe('Name')
    await page.getByRole('textbox', { name: 'Name' }).fill('quay')
    expect(await page.getByText(/The plan pier exists/).count()).toBe(0)
  })

  it('stays in the form that was sent, if another form above it has messages', async () => {
    const page = await open(`/content/spaces/${SPACE}/settings`)
    const main = page.getByRole('main')
    const above = main.locator('form').filter({ has: page.getByRole('textbox', { name: 'Description' }) })
    const address = main.locator('form').filter({ has: page.getByRole('textbox', { name: 'Address of the page' }) })
    await above.getByRole('textbox', { name: 'Name', exact: true }).fill(LONG)
    await above.locator('button[type=submit]').click()
    await above.getByText('At most 200 characters.').waitFor()
    await address.getByRole('textbox').fill('No address!')
    await address.locator('button[type=submit]').click()
    await expect.poll(focused).toBe('Address of the page')
    expect(await page.getByText('At most 200 characters.').count()).toBeGreaterThan(0)
  })

  it('opens the rule that is refused, and focuses its field', async () => {
    const rule = { description: 'Walk', kind: 'claim', points: 1 }
    const rules = Array.from({ length: 9 }, (_, i) => ({ ...rule, id: `walk-${i}` }))
    const page = await open(`/content/spaces/${SPACE}/rules`)
    await page.setViewportSize({ width: 1440, height: 500 })
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByText('JSON', { exact: true }).click()
    await page
      .getByRole('textbox', { name: 'JSON' })
      .fill(JSON.stringify({ rules: rules.with(7, { ...rule, id: 'walk-7', points: 0 }) }))
    await page.getByText('Forms', { exact: true }).click()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText(/^Enter a number from 1/).waitFor()
    await expect.poll(focused).toBe('Points')
    await keepScreenshot(page, 'refused-rule-light-1440')
    await page.setViewportSize({ width: 360, height: 500 })
    await keepScreenshot(page, 'refused-rule-light-360')
    expect(await isWiderThanWindow(page)).toBe(false)
  })

  it('removes the message of a corrected field, and keeps the limit of a number', async () => {
    const page = await open(`/content/spaces/${SPACE}/new-quest`)
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(LONG)
    await page.getByRole('textbox', { name: 'Points for completion' }).fill('99999999999')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('At most 500 characters.').waitFor()
    await page.getByText(/^Enter a number .*2,147,483,647\.$/).waitFor()
    await expect.poll(focused).toBe('Name')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Walk the pier')
    expect(await page.getByText('At most 500 characters.').count()).toBe(0)
    expect(await page.getByText(/^Enter a number .*2,147,483,647\.$/).count()).toBe(1)
  })

  it('shows at the field why a token is refused', async () => {
    const page = await open('/settings/server-api')
    await page.getByRole('button', { name: 'Generate token' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill('t'.repeat(101))
    await page.getByRole('main').locator('form button[type=submit]').click()
    await page.getByText('Enter 1 to 100 characters.').waitFor()
    await expect.poll(focused).toBe('Name')
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toHaveLength(101)
    await keepScreenshot(page, 'refused-token-light-1440')
  })

  it('shows messages in German', async () => {
    await profile.addCookies([{ name: LANGUAGE_COOKIE, value: 'de', url: issuer }])
    const page = await open(`/content/spaces/${SPACE}/new-quest`)
    await page.setViewportSize({ width: 360, height: 500 })
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(LONG)
    await page.getByRole('button', { name: 'Entwurf speichern' }).click()
    await page.getByText('Höchstens 500 Zeichen.').waitFor()
    await expect.poll(focused).toBe('Name')
    await keepScreenshot(page, 'refused-quest-german-light-360')
    await profile.clearCookies({ name: LANGUAGE_COOKIE })
  })
})
