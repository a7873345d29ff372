import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { createQuestboard } from '@questboard/client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createSite } from '../../../examples/leaderboard-widget/server.ts'
import { publishableToken } from '../../../server/test/support/pages.ts'
import { CHROMIUM_FLAGS, findChromium } from '../../../web/test/chromium.ts'
import { type ClientService, MEMBERS, startCommunity } from '../arrange.ts'
import { close, urlOf } from './listening.ts'

let service: ClientService
let site: Server
let url: string
beforeAll(async () => {
  service = await startCommunity()
  await service.database.query(`UPDATE board_entries SET username = '<img src=x onerror=alert(1)>' WHERE points = 9980`)
  const questboard = createQuestboard({ baseUrl: service.url, accessToken: service.personas.business })
  site = createSite(questboard, 40).listen(0, '127.0.0.1')
  url = await urlOf(site)
})
afterAll(async () => {
  await close(site)
  await service.stop()
})

test('sends ten places and no token to pages', async () => {
  const response = await fetch(`${url}/leaderboard.json`)
  const text = await response.text()
  expect(JSON.parse(text)).toMatchObject({ name: 'Forty', totalCount: MEMBERS, places: { length: 10 } })
  for (const path of ['/', '/widget.js', '/leaderboard.json'])
    expect(await (await fetch(url + path)).text()).not.toContain('qbs_')
  expect((await fetch(`${url}/other`)).status).toBe(404)
})

test('responds with 503 without details if the space cannot be read, and logs the request id', async () => {
  const complaint = vi.spyOn(console, 'error').mockImplementation(() => {})
  const questboard = createQuestboard({ baseUrl: service.url, accessToken: service.personas.revoked })
  const broken = createSite(questboard, 40).listen(0, '127.0.0.1')
  const response = await fetch(`${await urlOf(broken)}/leaderboard.json`)
  expect([response.status, await response.text()]).toEqual([503, '{"error":"unavailable"}'])
  expect(complaint.mock.calls[0]?.[1]).toMatch(/^[0-9a-f]{32}$/)
  await close(broken)
})

const executablePath = findChromium()
describe.skipIf(executablePath === undefined)('in a browser (skipped where there is no Chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath as string, args: CHROMIUM_FLAGS })
  })
  afterAll(() => browser.close())

  test('shows the places as a table, and names as text', async () => {
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByRole('table').waitFor()
    expect(await page.locator('caption').textContent()).toBe('Forty: the first 10 of 130')
    expect(await page.getByRole('columnheader').allTextContents()).toEqual(['Place', 'Member', 'Points'])
    const rows = await page.getByRole('row').allTextContents()
    expect(rows).toHaveLength(11)
    expect(rows[1]).toBe('1member19,990')
    expect(rows[2]).toBe('2<img src=x onerror=alert(1)>9,980')
    expect(await page.locator('img').count()).toBe(0)
  })

  describe('without a server', () => {
    let pages: Server
    let token = ''
    beforeAll(async () => {
      pages = createServer((request, response) => {
        const name = request.url === '/widget.js' ? 'widget.js' : 'page-without-server.html'
        void readFile(join(import.meta.dirname, '../../../examples/leaderboard-widget', name), 'utf8').then((text) =>
          response
            .setHeader('content-type', name === 'widget.js' ? 'text/javascript' : 'text/html; charset=utf-8')
            .end(text.replace('http://localhost:4000', service.url).replace('qbp_…', token)),
        )
      }).listen(0, '127.0.0.1')
      const origins = [await urlOf(pages)]
      ;({ token } = await publishableToken(service.deps, { origins }))
    })
    afterAll(() => close(pages))

    test('reads the places from the service with a publishable token', async () => {
      const page = await browser.newPage()
      const preflights: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'OPTIONS') preflights.push(request.url())
      })
      await page.goto(await urlOf(pages))
      await page.getByRole('table').waitFor()
      expect(await page.locator('caption').textContent()).toBe('Forty: the first 10 of 130')
      expect((await page.getByRole('row').allTextContents())[1]).toBe('1member19,990')
      expect(preflights).toEqual([])
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
})
