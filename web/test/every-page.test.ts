import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, type World } from '../../server/test/support/fixture.ts'
import { signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { openBrowser, openProfile, settle, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'

const PAGES = [
  ['the home page', '/'],
  ['a public page', '/s/forty'],
  ['the playground', '/playground'],
  ['the sign-in page', '/sign-in'],
  ['a page of the account', '/account'],
  ['the manual', '/docs'],
  ['a missing page of the manual', '/docs/no-such-page'],
  ['a missing page', '/no-such-page'],
  ['an error of a sign-in', '/oauth?client_id=unknown'],
] as const

/** This one has more scripts. */
const OTHER_PAGES = [['Explore', '/explore']] as const

/** Each request takes milliseconds of the server and of the browser, however small the file is. */
const MAX_SCRIPTS = 40

/** The frame of a page, its metadata and the number of its scripts. */
const FACTS = `(() => {
  const logo = document.querySelector('header img')
  return {
    logo: logo.naturalWidth > 0 && logo.parentElement.textContent.trim(),
    ogTitle: document.querySelector('meta[property="og:title"]').content !== '',
    ogDescription: document.querySelector('meta[property="og:description"]').content !== '',
    scripts: performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).length,
    font: [...document.fonts].some(({ family, status }) => /Inter Variable/.test(family) && status === 'loaded'),
  }
})()`

describe.skipIf(findChromium() === undefined)('every page in a browser', () => {
  let service: World
  let issuer: string
  let browser: Browser
  let profile: BrowserContext
  beforeAll(async () => {
    const port = await freePort()
    issuer = `http://localhost:${port}`
    const settings = {
      QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
      QUESTBOARD_PUBLIC_URL: issuer,
    }
    service = await startWorld({ port, settings })
    await service.database.query(`INSERT INTO space_pages VALUES (40, 'forty', now())`)
    browser = await openBrowser()
    profile = await openProfile(browser, { width: 1280, scheme: 'light' })
    await actAs(profile, issuer, await signedInBrowser(service.app))
  })
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  it.each(PAGES)('has the logo, the icon, the font and a description: %s', async (_name, path) => {
    const { page, complaints } = await visit(profile, issuer + path)
    await page.locator('header').getByText('Questboard', { exact: true }).first().waitFor()
    await settle(page)
    const icon = await fetch(new URL((await page.locator('link[rel=icon]').getAttribute('href')) ?? '', issuer))
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    const { scripts, ...facts } = await page.evaluate<Record<string, unknown>>(FACTS)
    expect(facts).toEqual({ logo: 'Questboard', ogTitle: true, ogDescription: true, font: true })
    expect(scripts).toBeLessThanOrEqual(MAX_SCRIPTS)
    expect(complaints).toEqual([])
    await page.close()
  })

  it.each(['/', '/playground', '/explore', '/docs/api'])('has a picture for link previews: %s', async (path) => {
    const { page } = await visit(profile, issuer + path)
    const property = (name: string) => page.locator(`meta[property="og:${name}"]`).getAttribute('content')
    expect(await property('url')).toBe(issuer + path)
    const picture = await fetch((await property('image')) ?? '')
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
    await page.close()
  })

  it.each([...PAGES, ...OTHER_PAGES])('prints without navigation: %s', async (_name, path) => {
    const { page } = await visit(profile, issuer + path)
    await page.locator('header').first().waitFor({ state: 'attached' })
    await page.emulateMedia({ media: 'print' })
    // A public page keeps the names of the shown sprint and period.
    expect(await page.locator('nav a:not([aria-current]):visible, form[role=search]:visible').count()).toBe(0)
    await page.close()
  })

  it.each([
    ['missing-page', '/no-such-page'],
    ['sign-in-error', '/oauth?client_id=unknown'],
  ])('is accessible and fits: %s', async (name, path) => {
    const { page } = await visit(profile, issuer + path)
    await checkLooks(page, name)
    await page.close()
  })

  it('is accessible and fits: the page after a sign-in in another tab', async () => {
    // The page closes its tab, unless the tab has shown another page.
    const { page } = await visit(profile, `${issuer}/robots.txt`)
    await page.goto(`${issuer}/signed-in`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await checkLooks(page, 'signed-in')
    await page.close()
  })
})
