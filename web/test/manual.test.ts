import type { Browser, BrowserContext } from 'playwright-core'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LANGUAGE_COOKIE } from '../../server/src/texts/languages.ts'
import { registerManual } from '../../server/src/manual/routes.ts'
import { keepScreenshot, openBrowser, openProfile, settle, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'

describe.skipIf(findChromium() === undefined)('the manual in a browser', () => {
  const fastify = Fastify()
  let browser: Browser
  let url: string
  let profile: BrowserContext
  beforeAll(async () => {
    await registerManual(fastify, { publicUrl: 'https://quests.example.org', port: 4000 })
    url = await fastify.listen({ port: 0 })
    browser = await openBrowser()
    profile = await openProfile(browser, { width: 1280, scheme: 'light' })
  })
  afterAll(async () => {
    await browser.close()
    await fastify.close()
  })

  it.each(['/docs', '/docs/api', '/docs/quick-start', '/docs/guides/sign-in'])(
    'is accessible and fits: %s',
    async (path) => {
      const { page, complaints } = await visit(profile, `${url}${path}`)
      await checkLooks(page, `manual${path.replace(/\W+/g, '-')}`)
      expect(complaints).toEqual([])
      await page.close()
    },
  )

  it.each(['settings', 'limits'])('breaks long names in the tables of /docs/%s on a phone', async (slug) => {
    const profile = await openProfile(browser, { width: 360, scheme: 'light' })
    const { page } = await visit(profile, `${url}/docs/${slug}`)
    const outside = `[...document.querySelectorAll('table')].map((each) => each.scrollWidth - each.clientWidth)`
    const widths = await page.evaluate<number[]>(outside)
    expect(widths.length).toBeGreaterThan(1)
    expect(widths.filter((width) => width > 0)).toEqual([])
    await page.locator('table tr').nth(7).scrollIntoViewIfNeeded()
    await keepScreenshot(page, `manual-${slug}-light-360`)
    await profile.close()
  })

  it.each([
    { width: 1440, scheme: 'light' },
    { width: 360, scheme: 'dark' },
  ] as const)('shows in German that it is in English: $width $scheme', async ({ width, scheme }) => {
    const german = await openProfile(browser, { width, scheme, locale: 'de-DE' })
    const { page, complaints } = await visit(german, `${url}/docs/quick-start`)
    const hint = page.getByText('Dieses Handbuch gibt es nur auf Englisch.')
    await hint.waitFor()
    if (width === 1440) await page.getByRole('link', { name: 'Entdecken', exact: true }).first().waitFor()
    await keepScreenshot(page, `manual-german-${scheme}-${width}`)
    await german.addCookies([{ name: LANGUAGE_COOKIE, value: 'en', url }])
    await page.reload()
    await settle(page)
    expect(await hint.isVisible()).toBe(false)
    expect(complaints).toEqual([])
    await german.close()
  })

  it('copies a code block by its button with the keyboard', async () => {
    await profile.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { page, complaints } = await visit(profile, `${url}/docs/quick-start`)
    await settle(page)
    await page.getByRole('button', { name: 'Copy Code' }).first().focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('npm start')
    expect(complaints).toEqual([])
    await page.close()
  })

  it.each(['nginx underscores', 'undersc', 'nginx underscroes'])('finds a section by %j', async (words) => {
    const { page, complaints } = await visit(profile, `${url}/docs`)
    await settle(page)
    await page.keyboard.press('/')
    await page.getByRole('searchbox').fill(words)
    await page.locator('.result', { hasText: 'Behind nginx' }).click()
    await page.waitForURL(`${url}/docs/deploy#behind-nginx`)
    expect(complaints).toEqual([])
    await page.close()
  })

  it('finds pages for users, not for contributors', async () => {
    const profile = await openProfile(browser, { width: 1280, scheme: 'dark' })
    const { page } = await visit(profile, `${url}/docs`)
    await settle(page)
    await page.keyboard.press('/')
    await page.getByRole('searchbox').fill('award')
    await page.locator('.result').first().waitFor()
    await keepScreenshot(page, 'manual-search-dark-1280')
    const found = await page.evaluate<string[]>(`[...document.querySelectorAll('.result')].map(({ href }) => href)`)
    expect(found.length).toBeGreaterThan(2)
    expect(found.filter((href) => /docs\/(results|measures|contributing|architecture)/.test(href))).toEqual([])
    await profile.close()
  })

  it('keeps the colour scheme of the app', async () => {
    const profile = await openProfile(browser, { width: 1280, scheme: 'light' })
    await profile.addInitScript("localStorage.setItem('mantine-color-scheme-value', 'dark')")
    const { page } = await visit(profile, `${url}/docs/api`)
    await settle(page)
    expect(await page.evaluate("document.documentElement.classList.contains('dark')")).toBe(true)
    await profile.close()
  })

  it('shows the address of the installation on a page that a link opened', async () => {
    const { page } = await visit(profile, `${url}/docs`)
    await settle(page)
    await page.getByRole('main').getByRole('link', { name: 'Quick start' }).click()
    await page.waitForURL(`${url}/docs/quick-start`)
    const text = page.getByRole('main')
    await expect.poll(() => text.textContent()).toContain('curl -s https://quests.example.org/query')
    expect(await text.textContent()).not.toContain('localhost:4000')
    await page.close()
  })
})
