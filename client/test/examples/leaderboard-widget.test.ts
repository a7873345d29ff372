import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { giveAwards } from '../../../server/test/support/awards.ts'
import { publishableToken } from '../../../server/test/support/pages.ts'
import { findChromium } from '../../../web/test/chromium.ts'
import { shareBrowser } from '../../../web/test/shared-browser.ts'
import { type ClientService, startCommunity } from '../arrange.ts'
import { copyBuiltClient } from '../packed.ts'
import { close, freePort, urlOf } from './listening.ts'

const root = join(import.meta.dirname, '../../..')
const example = join(root, 'examples/leaderboard-widget')

const withoutPython = spawnSync('python3', ['--version']).status !== 0
test.skipIf(withoutPython).each(['docs/quick-start.md', 'docs/guides/leaderboard.md'])(
  'the file server of %s serves the page and the element (skipped without Python)',
  async (file) => {
    const [, words = ''] = /^python3 (-m http\.server 3000 .*)$/m.exec(await readFile(join(root, file), 'utf8')) ?? []
    const port = await freePort()
    const server = spawn('python3', words.replace('3000', String(port)).split(' '), { cwd: root, stdio: 'ignore' })
    onTestFinished(async () => {
      server.kill()
      await once(server, 'exit')
    })
    const read = (path: string) => fetch(`http://localhost:${port}${path}`).catch(() => undefined)
    await expect.poll(async () => (await read('/'))?.status).toBe(200)
    expect(await (await read('/'))?.text()).toBe(await readFile(join(example, 'index.html'), 'utf8'))
    expect((await read('/widget.js'))?.headers.get('content-type')).toMatch(/^(text|application)\/javascript/)
  },
)

const executablePath = findChromium()
describe.skipIf(executablePath === undefined)('in a browser (skipped where there is no Chromium)', () => {
  let service: ClientService
  let browser: Browser
  let site: Server
  let url: string
  let token: string
  let built: string

  beforeAll(async () => {
    service = await startCommunity()
    await service.database.query(
      `UPDATE board_entries SET username = '<img src=x onerror=alert(1)>' WHERE points = 9980`,
    )
    built = await copyBuiltClient()
    browser = await shareBrowser()
    site = createServer((request, response) => {
      void serve(request.url ?? '').then(
        ([type, text]) => response.setHeader('content-type', type).end(text),
        () => response.writeHead(404).end(),
      )
    }).listen(0, '127.0.0.1')
    url = await urlOf(site)
    ;({ token } = await publishableToken(service.deps, { origins: [url] }))
  })
  afterAll(async () => {
    await browser.close()
    await close(site)
    await rm(built, { recursive: true })
    await service.stop()
  })

  /** The files of the example with its settings, and the built client. */
  async function serve(path: string): Promise<[type: string, text: string]> {
    if (path === '/') {
      const page = await readFile(join(example, 'index.html'), 'utf8')
      return ['text/html', page.replace('http://localhost:4000', service.url).replace('qbp_…', token)]
    }
    const file = path === '/widget.js' ? join(example, path) : join(built, path.replace('/client/', ''))
    return ['text/javascript', await readFile(file, 'utf8')]
  }

  const rowsOf = (page: Page) => page.getByRole('row').allTextContents()
  const award = (address: string, points: number) =>
    service.database.kysely
      .transaction()
      .execute((trx) => giveAwards(trx, [{ spaceId: 40, address, points }], service.clock))

  test('shows the places as a table, and names as text', async () => {
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByRole('table').waitFor()
    expect(await page.locator('caption').textContent()).toBe('The first 10 of 130')
    expect(await page.getByRole('columnheader').allTextContents()).toEqual(['Rank', 'Member', 'Points'])
    const rows = await rowsOf(page)
    expect(rows).toHaveLength(11)
    expect(rows[1]).toBe('1member19,990')
    expect(rows[2]).toBe('2<img src=x onerror=alert(1)>9,980')
    expect(await page.locator('img').count()).toBe(0)
    await page.close()
  })

  test('shows each change without a request', async () => {
    const page = await browser.newPage()
    const requests: string[] = []
    page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await page.goto(url)
    await page.getByRole('table').waitFor()
    await award('0x00000000000000000000000000000000000000aa', 50_000)
    await expect.poll(async () => (await rowsOf(page))[1]).toMatch(/50,000$/)
    const ranks = await page.locator('td:first-child').allTextContents()
    expect(ranks).toEqual(Array.from({ length: 10 }, (_, n) => String(n + 1)))
    expect(await page.locator('caption').textContent()).toBe('The first 10 of 131')
    expect(requests.filter((each) => !each.endsWith('/favicon.ico'))).toEqual([
      'GET /',
      'GET /widget.js',
      'GET /live/spaces/40',
    ])
    await page.close()
  })

  test('closes the stream with the element, and opens one for a new element', async () => {
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByRole('table').waitFor()
    const states = await page.evaluate(`(() => {
      const board = document.querySelector('questboard-leaderboard')
      const { stream } = board
      board.remove()
      const closed = stream.readyState
      document.querySelector('main').append(board)
      return [closed, board.stream === stream]
    })()`)
    expect(states).toEqual([2, false])
    await award('0x00000000000000000000000000000000000000ab', 60_000)
    await expect.poll(async () => (await rowsOf(page))[1]).toMatch(/60,000$/)
    await page.close()
  })

  test('tries again after an error response, and keeps the message until then', async () => {
    const page = await browser.newPage()
    await page.clock.install()
    let refused = 0
    await page.route('**/live/spaces/40*', async (route) => {
      if (refused++ > 0) return route.fallback()
      return route.fulfill({ status: 503, headers: { 'access-control-allow-origin': url } })
    })
    await page.goto(url)
    await page.getByText('The leaderboard is not available right now.').waitFor()
    await page.clock.runFor(15_000)
    await page.getByRole('table').waitFor()
    expect(refused).toBe(2)
    await page.close()
  })

  test('keeps the table after a lost connection', async () => {
    const page = await browser.newPage()
    const list = [{ position: 1, rank: 1, points: 7, address: { username: 'Zoë' } }]
    const board = `id: 1\nevent: board\ndata: ${JSON.stringify({ totalCount: 1, list })}\n\n`
    await page.route('**/live/spaces/40*', (route) =>
      route.fulfill({
        headers: { 'access-control-allow-origin': url, 'content-type': 'text/event-stream' },
        // The response ends after the event, and the browser waits before it connects again.
        body: `retry: 100000\n\n${board}`,
      }),
    )
    await page.goto(url)
    await page.getByRole('table').waitFor()
    const state = () => page.evaluate<number>(`document.querySelector('questboard-leaderboard').stream.readyState`)
    await expect.poll(state).toBe(0)
    expect((await rowsOf(page))[1]).toBe('1Zoë7')
    await page.close()
  })

  test('a page of another origin reads nothing', async () => {
    const page = await browser.newPage()
    await page.goto(url.replace('127.0.0.1', 'localhost'))
    await page.getByText('The leaderboard is not available right now.').waitFor()
    const outcome = await page.evaluate(
      ([origin, value]) =>
        fetch(`${origin}/query?access_token=${value}&query={__typename}`).then(
          () => 'readable',
          () => 'refused by the browser',
        ),
      [service.url, token],
    )
    expect(outcome).toBe('refused by the browser')
    await page.close()
  })

  test('a page sends POST after a preflight, and reads the headers of the quota', async () => {
    const page = await browser.newPage()
    await page.goto(url)
    const read = await page.evaluate(
      async ([origin, value]) => {
        const response = await fetch(`${origin}/query`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'access-token': value as string },
          body: '{"query":"{ space(id: 40) { name } }"}',
        })
        return [response.headers.get('ratelimit-policy'), await response.json()] as const
      },
      [service.url, token],
    )
    expect(read).toEqual([expect.stringContaining('network_per_second'), { data: { space: { name: 'Forty' } } }])
    await page.close()
  })

  test('the client follows a board in a page', async () => {
    const page = await browser.newPage()
    await page.goto(url)
    await page.evaluate(
      `(async () => {
        const { createQuestboard } = await import('/client/index.js')
        const questboard = createQuestboard({ baseUrl: '${service.url}', accessToken: '${token}' })
        globalThis.boards = []
        for await (const { list } of questboard.space(40).live({ first: 1 })) globalThis.boards.push(list[0].points)
      })().catch((error) => globalThis.boards.push(String(error))), 0`,
    )
    const boards = () => page.evaluate<number[]>('globalThis.boards')
    await expect.poll(async () => (await boards()).length).toBe(1)
    await award('0x00000000000000000000000000000000000000ac', 70_000)
    await expect.poll(async () => (await boards()).at(-1)).toBe(70_000)
    await page.close()
  })
})
