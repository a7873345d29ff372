import type { Server } from 'node:http'
import type { Browser } from 'playwright-core'
import { createQuestboard } from '@questboard/client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createSite } from '../../../examples/leaderboard-widget/server.ts'
import { findChromium } from '../../../web/test/chromium.ts'
import { shareBrowser } from '../../../web/test/shared-browser.ts'
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
    browser = await shareBrowser()
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
})
