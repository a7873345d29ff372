import { readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyBuiltClient } from '../packed.ts'
import { giveAwards } from '../../../server/test/support/awards.ts'
import { publishableToken } from '../../../server/test/support/pages.ts'
import { findChromium } from '../../../web/test/chromium.ts'
import { shareBrowser } from '../../../web/test/shared-browser.ts'
import { type ClientService, startCommunity } from '../arrange.ts'
import { close, urlOf } from './listening.ts'

const executablePath = findChromium()
describe.skipIf(executablePath === undefined)('in a browser (skipped where there is no Chromium)', () => {
  let service: ClientService
  let browser: Browser

  let pages: Server
  let token = ''
  let built: string
  /** The files of the example, and the built client. */
  function fileOf(url: string): string {
    if (url.startsWith('/client/')) return join(built, url.replace('/client/', ''))
    return join(
      import.meta.dirname,
      '../../../examples/leaderboard-live',
      url === '/leaderboard.js' ? url : 'page.html',
    )
  }

  beforeAll(async () => {
    service = await startCommunity()
    built = await copyBuiltClient()
    browser = await shareBrowser()
    pages = createServer((request, response) => {
      const { url = '' } = request
      void readFile(fileOf(url), 'utf8').then(
        (text) =>
          response
            .setHeader('content-type', url.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8')
            .end(text.replace('http://localhost:4000', service.url).replace('qbp_…', token)),
        () => response.writeHead(404).end(),
      )
    }).listen(0, '127.0.0.1')
    const origins = [await urlOf(pages)]
    ;({ token } = await publishableToken(service.deps, { origins }))
  })
  afterAll(async () => {
    await browser.close()
    await close(pages)
    await rm(built, { recursive: true })
    await service.stop()
  })

  test('shows the places, and each change of them without a request', async () => {
    const page = await browser.newPage()
    const requests: string[] = []
    page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await page.goto(await urlOf(pages))
    await page.getByRole('table').waitFor()
    expect(await page.locator('caption').textContent()).toBe('The first 10 of 130')
    expect((await page.getByRole('row').allTextContents())[1]).toBe('1member19,990')
    const before = requests.filter((each) => each.includes('/live/spaces/'))
    expect(before).toEqual(['GET /live/spaces/40'])

    const address = '0x00000000000000000000000000000000000000aa'
    await service.database.kysely
      .transaction()
      .execute((trx) => giveAwards(trx, [{ spaceId: 40, address, points: 50_000 }], service.clock))
    await expect.poll(async () => (await page.getByRole('row').allTextContents())[1]).toMatch(/50,000$/)
    expect(await page.locator('caption').textContent()).toBe('The first 10 of 131')
    expect(requests.filter((each) => each.includes('/live/spaces/'))).toEqual(before)
  })

  test('sends POST after a preflight, and reads the headers of the quota', async () => {
    const page = await browser.newPage()
    await page.goto(await urlOf(pages))
    const read = await page.evaluate(
      async ([url, value]) => {
        const response = await fetch(`${url}/query`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'access-token': value as string },
          body: '{"query":"{ space(id: 40) { name } }"}',
        })
        return [response.headers.get('ratelimit-policy'), await response.json()] as const
      },
      [service.url, token],
    )
    expect(read).toEqual([expect.stringContaining('network_per_second'), { data: { space: { name: 'Forty' } } }])
  })

  test('lets a page of another origin read nothing', async () => {
    const page = await browser.newPage()
    await page.goto((await urlOf(pages)).replace('127.0.0.1', 'localhost'))
    await page.getByText('The leaderboard is not available right now.').waitFor()
    const outcome = await page.evaluate(
      ([url, value]) =>
        fetch(`${url}/query?access_token=${value}&query={__typename}`).then(
          () => 'readable',
          () => 'refused by the browser',
        ),
      [service.url, token],
    )
    expect(outcome).toBe('refused by the browser')
  })
})
