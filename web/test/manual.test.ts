import type { Browser } from 'playwright-core'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registerManual } from '../../server/src/manual/routes.ts'
import { keepScreenshot, openBrowser, openProfile, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'

describe.skipIf(findChromium() === undefined)('the manual in a browser', () => {
  const fastify = Fastify()
  let browser: Browser
  let url: string
  beforeAll(async () => {
    await registerManual(fastify, { publicUrl: undefined, port: 4000 })
    url = await fastify.listen({ port: 0 })
    browser = await openBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await fastify.close()
  })

  test.each(['/docs', '/docs/api', '/docs/search?q=cursor', '/docs/no-such-page'])(
    '%s is accessible and fits',
    async (path) => {
      const profile = await openProfile(browser, { width: 1280, scheme: 'light' })
      const { page, complaints } = await visit(profile, `${url}${path}`)
      await checkLooks(page, `manual${path.replace(/\W+/g, '-')}`)
      expect(complaints).toEqual([])
      await profile.close()
    },
  )

  test.each(['settings', 'limits'])('breaks long names in the tables of /docs/%s on a phone', async (slug) => {
    const profile = await openProfile(browser, { width: 360, scheme: 'light' })
    const { page } = await visit(profile, `${url}/docs/${slug}`)
    const outside = `[...document.querySelectorAll('.scroll')].map((each) => each.scrollWidth - each.clientWidth)`
    const widths = await page.evaluate<number[]>(outside)
    expect(widths.length).toBeGreaterThan(1)
    expect(widths.filter((width) => width > 0)).toEqual([])
    await page.locator('table tr').nth(7).scrollIntoViewIfNeeded()
    await keepScreenshot(page, `manual-${slug}-light-360`)
    await profile.close()
  })

  test('a block of code is copied by its button, reached by keyboard', async () => {
    const profile = await openProfile(browser, { width: 1280, scheme: 'light' })
    await profile.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { page } = await visit(profile, `${url}/docs/quick-start`)
    await page.getByRole('button', { name: 'Copy' }).first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npm start\n')
    await profile.close()
  })
})
