import Fastify from 'fastify'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessibilityProblems, openBrowser, openProfile, settle, visit } from './browser.ts'
import { findChromium } from './chromium.ts'

/** The text is too faint while it fades in, and a request of the page adds more of it later. */
const PAGE = `<!doctype html>
<html lang="en">
<title>Moving</title>
<style>
  @keyframes appear { from { color: #fff } }
  @keyframes turn { from { rotate: 0deg } to { rotate: 360deg } }
  p { animation: appear 0.6s }
  i { display: block; width: 1rem; height: 1rem; animation: turn 1s infinite }
</style>
<main><h1>Moving</h1><p>First</p><i></i></main>
<script>
  fetch('/slow').then((response) => response.text()).then((text) => {
    const added = document.createElement('p')
    added.textContent = text
    document.querySelector('main').append(added)
  })
</script>
</html>`

describe.skipIf(findChromium() === undefined)('a check of a page in a browser', () => {
  const fastify = Fastify()
  let browser: Browser
  let url: string
  beforeAll(async () => {
    fastify.get('/', (_request, reply) => reply.type('text/html').send(PAGE))
    fastify.get('/slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      return 'Second'
    })
    url = await fastify.listen({ port: 0 })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await fastify.close()
  })

  it('waits for requests and for animations that end, not for those that never end', async () => {
    const profile = await openProfile(browser, { width: 360, scheme: 'light' })
    const { page } = await visit(profile, url)
    await settle(page)
    expect(await page.locator('p').allInnerTexts()).toEqual(['First', 'Second'])
    const colours = `[...document.querySelectorAll('p')].map((text) => getComputedStyle(text).color)`
    expect(await page.evaluate(colours)).toEqual(['rgb(0, 0, 0)', 'rgb(0, 0, 0)'])
    await profile.close()
  })

  it('finds no contrast error in text that is still fading in', async () => {
    const profile = await openProfile(browser, { width: 360, scheme: 'light' })
    const { page } = await visit(profile, url)
    expect(await accessibilityProblems(page)).toEqual([])
    await profile.close()
  })
})
