import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAIN_QUEST } from '../../server/test/support/fixture.ts'
import { settle, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { type OperatorInBrowser, operatorInBrowser } from './operator-in-browser.ts'

/** The paths of the requests that hold the content of each page. */
const PAGES = [
  ['/operator', /\/api\/(operator\/|spaces\?)/],
  ['/operator/apps', /\/api\/operator\/apps/],
  ['/operator/people', /\/api\/operator\/people/],
  ['/operator/bans', /\/api\/operator\/bans/],
  ['/operator/plans', /\/api\/operator\/plans/],
  ['/operator/syncs', /\/api\/operator\/syncs/],
  ['/operator/snapshots', /\/api\/operator\/snapshots/],
  ['/operator/log', /\/api\/operator\/audit/],
  ['/operator/health', /\/api\/operator\/health/],
  ['/settings/server-api/apps', /\/api\/apps/],
  ['/settings/server-api/webhooks', /\/api\/webhooks/],
  ['/account/security', /\/api\/(sessions|audit)/],
  ['/explore/starboards', /\/api\/explore\/starboards/],
  ['/content/spaces/40', /\/api\/(spaces\/40|quests|credentials)/],
  ['/content/spaces/40/settings', /\/api\/(spaces\/40|explore\/spaces)/],
] as const

/** A fifth of Google's limit of a good page. */
const MAX_SHIFT = 0.02
const SLOW_MS = 900

const SHIFTS = `(() => {
  let sum = 0
  for (const { value, hadRecentInput } of observed) if (!hadRecentInput) sum += value
  return sum
})()`
const OBSERVE = `globalThis.observed = []
new PerformanceObserver((list) => observed.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true })`

describe.skipIf(findChromium() === undefined)('pages in a browser', () => {
  let started: OperatorInBrowser
  let issuer: string
  let profile: BrowserContext
  beforeAll(async () => {
    started = await operatorInBrowser()
    ;({ issuer, profile } = started)
    await profile.addInitScript(OBSERVE)
  })
  afterAll(() => started.close())

  async function delay(page: Page, requests: RegExp): Promise<void> {
    await page.route(requests, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
      await route.continue()
    })
  }

  test.each(PAGES)(
    'shows a skeleton while %s loads, and nothing moves when the content arrives',
    async (path, requests) => {
      const { page, complaints } = await visit(profile, `${issuer}/robots.txt`)
      await delay(page, requests)
      await page.goto(issuer + path)
      const loading = page.locator('main .loading').first()
      await loading.waitFor()
      // On a busy machine, no request is open for a moment between two reads.
      await loading.waitFor({ state: 'detached' })
      await settle(page)
      expect(await page.evaluate<number>(SHIFTS)).toBeLessThan(MAX_SHIFT)
      expect(complaints).toEqual([])
      await page.close()
    },
  )

  test.each([
    ['spaces/40', '/settings'],
    ['credentials/500', ''],
    [`quests/${MAIN_QUEST}`, ''],
  ])('keep the input if %s cannot be read again in the background', async (path, part) => {
    const { page } = await visit(profile, `${issuer}/content/${path}${part}`)
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.fill('Quay')
    await settle(page)
    await page.route(`**/api/${path}`, (route) => route.fulfill({ status: 500, json: {} }))
    const reading = page.waitForResponse(`**/api/${path}`)
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
    await reading
    await settle(page)
    expect(await name.count()).toBe(1)
    expect(await name.inputValue()).toBe('Quay')
    await page.close()
  })

  test.each([
    ['syncs', '/operator/syncs', 'No credential has a source', 'Manage spaces'],
    ['log', '/operator/log?account=00000000-0000-4000-8000-000000000000', 'No events', 'Show all events'],
    ['operator-apps', '/operator/apps', 'No apps', 'Show all apps'],
    ['webhooks-empty', '/settings/server-api/webhooks', 'No webhooks', 'Add webhook'],
    ['apps-empty', '/settings/server-api/apps', 'No apps', 'Register app'],
    [
      'tokens-empty',
      '/settings/server-api',
      'Generate a token to send queries from your server or your pages.',
      'Generate token',
    ],
    [
      'ingest-tokens-empty',
      '/settings/server-api/ingest-tokens',
      'Generate a token to write points, samples and holders from your systems.',
      'Generate ingest token',
    ],
    ['snapshots-empty', '/operator/snapshots', 'No snapshots', 'Preview'],
  ])('offers the next action in place of an empty list: %s', async (name, path, title, action) => {
    const { page, complaints } = await visit(profile, issuer + path)
    await page.getByText(title, { exact: true }).waitFor()
    await page
      .locator('main')
      .getByRole('button', { name: action })
      .or(page.locator('main').getByRole('link', { name: action }))
      .first()
      .waitFor()
    await checkLooks(page, `empty-${name}`)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('shows the running and most used quests of a space, and all on a click', async () => {
    const { page, complaints } = await visit(profile, `${issuer}/robots.txt`)
    const quest = (name: string, status: string, participantsCount: number) => ({
      id: `GC${name}`,
      name: `Quest ${name}`,
      status,
      participantsCount,
      isPrivate: false,
    })
    const items = [
      quest('a', 'Expired', 900),
      ...['b', 'c', 'd', 'e', 'f'].map((name, place) => quest(name, 'Active', place)),
      quest('g', 'Draft', 0),
    ]
    await page.route(/\/api\/quests\?spaceId=40/, (route) => route.fulfill({ json: { items, next: null } }))
    await page.goto(`${issuer}/content/spaces/40`)
    const names = page.getByRole('link', { name: /^Quest [a-g]$/ })
    await names.first().waitFor()
    const running = ['Quest f', 'Quest e', 'Quest d', 'Quest c', 'Quest b']
    expect(await names.allInnerTexts()).toEqual(running)
    await checkLooks(page, 'content-space-first-entries')
    await page.getByRole('button', { name: 'All 7 quests' }).click()
    await expect.poll(() => names.allInnerTexts()).toEqual([...running, 'Quest g', 'Quest a'])
    await page.getByRole('button', { name: 'Show fewer' }).click()
    await expect.poll(() => names.allInnerTexts()).toEqual(running)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('says that a list of quests has only the first ones', async () => {
    const { page } = await visit(profile, `${issuer}/robots.txt`)
    const quest = (n: number) => ({ id: `GC${n}`, name: `Quest ${n}`, status: 'Active', participantsCount: n })
    const items = Array.from({ length: 200 }, (_, n) => quest(n))
    await page.route(/\/api\/quests\?spaceId=40/, (route) => route.fulfill({ json: { items, next: 'GC199' } }))
    await page.goto(`${issuer}/content/spaces/40`)
    await page.getByText('Search at the top of the page finds the others.').waitFor()
    await page.getByRole('button', { name: 'First 200' }).click()
    await expect.poll(() => page.getByRole('link', { name: /^Quest \d+$/ }).count()).toBe(200)
    await page.close()
  })

  test('asks before “Show fewer” discards the changes of a sprint', async () => {
    const { page, complaints } = await visit(profile, `${issuer}/robots.txt`)
    const sprints = Array.from({ length: 7 }, (_, n) => ({
      sprintId: n + 1,
      name: `Round ${n + 1}`,
      startTime: null,
      endTime: null,
      version: String(n),
    }))
    await page.route(/\/api\/spaces\/40\/sprints/, (route) => route.fulfill({ json: { sprints, running: null } }))
    await page.goto(`${issuer}/content/spaces/40`)
    await page.getByRole('button', { name: 'All 7 sprints' }).click()
    await page.getByRole('button', { name: 'Edit Round 1' }).click()
    const name = page.getByRole('region', { name: 'Sprints' }).getByRole('textbox', { name: 'Name' })
    await name.fill('Round one')
    const fewer = page.getByRole('button', { name: 'Show fewer' })
    page.once('dialog', (dialog) => void dialog.dismiss())
    await fewer.click()
    expect(await name.inputValue()).toBe('Round one')
    page.once('dialog', (dialog) => void dialog.accept())
    await fewer.click()
    await expect.poll(() => name.count()).toBe(0)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('leads an operator to the tokens that commands created', async () => {
    const { page, complaints } = await visit(profile, `${issuer}/settings/server-api`)
    const hint = page.getByText(/belong to the account “default”.*questboard token list lists them/)
    await hint.getByRole('link', { name: 'Plans and quotas' }).click()
    await page.getByRole('heading', { name: 'Plans and quotas', level: 1 }).waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })
})
