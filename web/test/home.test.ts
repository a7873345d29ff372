import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, type World } from '../../server/test/support/fixture.ts'
import { openBrowser, openProfile, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'

const settings = {
  QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
  QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
  QUESTBOARD_NAME: 'Guildhall',
  QUESTBOARD_ACCENT: '#0b7285',
  QUESTBOARD_LOGO: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>',
}
const TEAL = 'rgb(11, 114, 133)'

let world: World
let browser: Browser
let profile: BrowserContext
let here: Visit

describe.skipIf(findChromium() === undefined)('the home page in a browser', () => {
  beforeAll(async () => {
    world = await startWorld({ settings })
    await world.database.query(`UPDATE spaces SET description = 'Explorers bridge, test, write and teach.'`)
    await world.database.query(`INSERT INTO space_pages SELECT space_id, 'space-' || space_id, now() FROM spaces`)
    await world.database.query(
      `INSERT INTO member_days SELECT space_id, ($1::timestamptz AT TIME ZONE 'UTC')::date - age, 100 - age
       FROM spaces, generate_series(0, 30) AS age`,
      [new Date(world.clock.now())],
    )
    browser = await openBrowser()
    profile = await openProfile(browser, { width: 1280, scheme: 'light' })
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await world.stop()
  })
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const open = async (path: string) => {
    here = await visit(profile, world.url + path)
    return here.page
  }
  const backgroundOf = (selector: string) =>
    here.page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).backgroundColor`)

  it('leads to a community', async () => {
    const page = await open('/')
    await page.getByRole('heading', { level: 1, name: 'Guildhall' }).waitFor()
    await checkLooks(page, 'home')
    expect(await page.getByRole('link', { name: 'Explore' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Communities' }).click()
    expect(new URL(page.url()).hash).toBe('#communities')
    await page.getByRole('listitem').getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Leaderboard' }).waitFor()
  })

  it('has name, logo and colour of the operator, and so has the sign-in page that it leads to', async () => {
    const page = await open('/')
    expect(await backgroundOf('.button')).toBe(TEAL)
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Sign in to Guildhall' }).waitFor()
    expect(await page.title()).toBe('Sign in · Guildhall')
    expect(await page.locator('header img').getAttribute('src')).toBe('/logo')
    const primary = 'getComputedStyle(document.documentElement).getPropertyValue("--mantine-primary-color-8")'
    expect(await page.evaluate(primary)).toBe('#0b7285')
    await checkLooks(page, 'sign-in-with-brand')
  })

  it('leads to the playground', async () => {
    const page = await open('/')
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Playground' }).click()
    await page.getByText('Queries require a server token or a session.').waitFor()
    expect(await page.title()).toBe('Guildhall playground')
  })
})
