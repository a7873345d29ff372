import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type World } from '../../server/test/support/fixture.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { accessibilityProblems, keepScreenshot, openBrowser, openProfile } from './browser.ts'
import { findChromium } from './chromium.ts'

let world: World
let browser: Browser
let site: Server
let origin: string

describe.skipIf(findChromium() === undefined)('a page of another site', () => {
  beforeAll(async () => {
    const port = await freePort()
    const issuer = `http://localhost:${port}`
    const [started, opened] = await Promise.all([
      startWorld({ port, settings: { QUESTBOARD_PUBLIC_URL: issuer } }),
      openBrowser(),
    ])
    world = started
    browser = opened
    await world.database.query(`INSERT INTO space_pages VALUES (40, 'forty', now())`)
    const manual = readFileSync(join(import.meta.dirname, '../../docs/pages.md'), 'utf8')
    const example = (/```html\n([^`]+)```/.exec(manual)?.[1] ?? '').replace('http://localhost:4000', issuer)
    site = createServer((_request, response) =>
      response
        .setHeader('content-type', 'text/html')
        .end(`<!doctype html><html lang="en"><title>Guild</title><main><h1>Guild</h1>${example}</main>`),
    ).listen(0, '127.0.0.1')
    await once(site, 'listening')
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    await browser.close()
    site.close()
    await world.stop()
  })

  async function opened<T>(width: number, read: (page: Page) => Promise<T>): Promise<T> {
    const profile = await openProfile(browser, { width, scheme: 'light' })
    const page = await profile.newPage()
    await page.goto(origin)
    await page.locator('iframe').waitFor()
    const result = await read(page)
    await profile.close()
    return result
  }

  test.each([1440, 360])('shows the whole board in a frame of its size (%i pixels)', async (width) => {
    await opened(width, async (page) => {
      const frame = page.frames()[1]
      await frame?.getByRole('row').nth(4).waitFor()
      expect(await frame?.evaluate('document.documentElement.scrollHeight - window.innerHeight')).toBe(0)
      expect(await frame?.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
      expect(await accessibilityProblems(page)).toEqual([])
      await keepScreenshot(page, `embed-${width}`)
    })
  })

  test('shows the board in the language of the element', async () => {
    await opened(1440, async (page) => {
      await page.evaluate(`
        document.querySelector('[data-questboard]').replaceChildren()
        document.querySelector('[data-questboard]').dataset.lang = 'de'
        document.body.append(Object.assign(document.createElement('script'), { src: document.scripts[0].src }))`)
      const frame = page.locator('iframe[title=Rangliste]')
      await frame.waitFor()
      expect(await frame.contentFrame().locator('html').getAttribute('lang')).toBe('de')
    })
  })

  test('shows nothing if the owner names other sites', async () => {
    await world.database.query(`UPDATE space_pages SET embed_origins = '{https://guild.example}'`)
    await opened(1440, async (page) => {
      await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/)
    })
    await world.database.query(`UPDATE space_pages SET embed_origins = ARRAY[$1]`, [origin])
    await opened(1440, async (page) => {
      await page.frames()[1]?.getByRole('row').nth(4).waitFor()
    })
  })
})
