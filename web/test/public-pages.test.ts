import type { Page, Request } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { addAccountAddress } from '../../server/src/accounts/account.queries.ts'
import { DAY } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { writeRankDays } from '../../server/src/ranking/rank-days.ts'
import { MAIN_QUEST, members, NOW } from '../../server/test/support/fixture.ts'
import { signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { openProfile, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { type PersonInBrowser, personInBrowser } from './person-in-browser.ts'
import { actAs } from './signed-in.ts'

const PAGES = ['/', '/s/forty', '/s/forty?movement=24h', '/nothing', '/oauth?client_id=unknown']

const BEST = members.toSorted((a, b) => b.points - a.points)[0]?.address ?? ''
/** By the name of the screenshot. */
const IN_GERMAN: [name: string, path: string][] = [
  ['home', '/'],
  ['space', '/s/forty'],
  ['found', '/s/forty?find=0x'],
  ['quests', '/s/forty/quests'],
  ['member', `/m/forty/${BEST}`],
  ['quest', `/q/${MAIN_QUEST}`],
  ['starboard', '/b/1'],
  ['missing', '/nothing'],
  ['sign-in-failed', '/oauth?client_id=https://127.0.0.1/client.json'],
  ['visit', '/visit?link=forged'],
  ['embed', '/embed/forty'],
]
/** The header on a phone: two lines of text with their padding. */
const MAX_HEADER_HEIGHT = 80

const SHIFTS = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().map(({ value }) => value)))
    .observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve([]), 300)
})`

/** On a busy machine, a browser can paint a part of a document that has not arrived whole. Then it moves in one load only. */
async function expectNoShift(page: Page): Promise<void> {
  await expect
    .poll(async () => {
      const shifts = await page.evaluate(SHIFTS)
      await page.reload()
      return shifts
    })
    .toEqual([])
}

let { world, issuer, browser, profile, person, close } = {} as PersonInBrowser
let here: Visit

describe.skipIf(findChromium() === undefined)('a public page in a browser', () => {
  beforeAll(async () => {
    ;({ world, issuer, browser, profile, person, close } = await personInBrowser())
    await world.database.query(`INSERT INTO space_pages VALUES (40, 'forty', now())`)
    await world.database.query(`INSERT INTO starboard_pages VALUES ('1', now())`)
    for (const days of [3, 1]) await writeRankDays(world.database.kysely, NOW - days * DAY)
  })
  afterAll(() => close())
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const isBoard = (request: Request) => new URL(request.url()).pathname === '/s/forty'
  const accountLink = () => here.page.getByRole('banner').locator('a.account:visible')

  test.each(PAGES)('offers members their account, and guests the sign-in, without layout shift: %s', async (path) => {
    for (const [isMember, label] of [
      [true, 'Your account'],
      [false, 'Sign in'],
    ] as const) {
      await (isMember ? actAs(profile, issuer, person) : profile.clearCookies())
      here = await visit(profile, issuer + path)
      expect(await accountLink().innerText()).toBe(label)
      expect(await here.page.getByRole('banner').getByRole('link', { name: 'Explore' }).isVisible()).toBe(isMember)
      await expectNoShift(here.page)
      if (isMember) await here.page.close()
    }
  })

  test('marks the rows of each linked address of a member without a click and without layout shift', async () => {
    const second = members.find(({ address }) => address !== BEST && address.startsWith('0x'))?.address ?? ''
    const { kysely } = world.database
    for (const subject of [BEST, second])
      await kysely
        .insertInto('identities')
        .values({ kind: 'EVMAddress', subject, account_id: person.account.id, linked_at: new Date(NOW) })
        .execute()
    await actAs(profile, issuer, person)
    here = await visit(profile, `${issuer}/s/forty`)
    const { page } = here
    const row = (address: string) => page.getByRole('row').filter({ has: page.locator(`.name[title="${address}"]`) })
    await row(BEST).filter({ hasText: 'You' }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Rank 1' }).getByText('You', { exact: true }).waitFor()
    expect(await page.locator('tr .you').count()).toBe((await row(second).count()) + 1)
    await expectNoShift(page)
    await page.locator('tr .you').first().waitFor()
    await checkLooks(page, 'community-own-rows')
    await page.goto(`${issuer}/s/forty?find=${second}`)
    await row(second).filter({ hasText: 'You' }).waitFor()
    await page.goto(`${issuer}/m/forty/${BEST}`)
    await page.getByRole('heading', { level: 1 }).getByText('You', { exact: true }).waitFor()
    await kysely.deleteFrom('identities').where('subject', 'in', [BEST, second]).execute()
  })

  test('marks the row of a member without a wallet', async () => {
    const own = '5a0c8f2e-0d6b-4c3a-9a57-1f6f0d1c2b3e'
    await importRecords(world.deps, 'spaces', [{ spaceId: 4100, name: 'Harbour' }])
    await importRecords(world.deps, 'points', [
      { spaceId: 4100, address: own, points: 9 },
      { spaceId: 4100, address: BEST, points: 8 },
    ])
    const { kysely } = world.database
    await world.database.query(`INSERT INTO space_pages VALUES (4100, 'harbour', now())`)
    await kysely.transaction().execute((trx) => addAccountAddress(trx, person.account.id, own))
    await actAs(profile, issuer, person)
    here = await visit(profile, `${issuer}/s/harbour`)
    await here.page.locator('tr.mine').filter({ hasText: 'You' }).waitFor()
    expect(await here.page.locator('tr.mine').count()).toBe(1)
    expect(await here.page.locator('tr.mine .number').first().innerText()).toBe('9')
    await kysely.deleteFrom('identity_aliases').where('alias', '=', own).execute()
  })

  test('shows the points of each place on the podium in one line of a phone, with the unit below', async () => {
    here = await visit(profile, `${issuer}/s/forty`)
    await here.page.setViewportSize({ width: 360, height: 800 })
    const lines = await here.page.evaluate(`[...document.querySelectorAll('.podium strong')].map((points) => {
      const range = document.createRange()
      range.selectNodeContents(points.firstChild)
      return range.getClientRects().length
    })`)
    expect(lines).toEqual([1, 1, 1])
    expect(await here.page.locator('.podium strong').first().innerText()).toBe('100,000\npoints')
  })

  test('sends no request for visitors who are not signed in', async () => {
    await profile.clearCookies()
    const requests: string[] = []
    here = await visit(profile, `${issuer}/robots.txt`)
    here.page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    await here.page.goto(`${issuer}/s/forty`, { waitUntil: 'networkidle' })
    expect(requests.filter((path) => path.startsWith('/api'))).toEqual([])
    expect(await here.page.locator('.you').count()).toBe(0)
  })

  test('moves the places of an open board without a reload, and only while it is visible', async () => {
    await profile.clearCookies()
    here = await visit(profile, `${issuer}/robots.txt`)
    const { page } = here
    await page.clock.install()
    const reads: Record<string, string>[] = []
    await page.goto(`${issuer}/s/forty`)
    page.on('request', (request) => {
      if (isBoard(request)) void request.allHeaders().then((headers) => reads.push(headers))
    })
    await page.evaluate('window.kept = true')
    const names = page.locator('main tbody .name')
    const last = (await names.last().getAttribute('title')) ?? ''
    const link = page.locator('main tbody a').first()
    const focused = await link.getAttribute('href')
    await link.focus()
    await page.clock.fastForward('00:40')
    await expect.poll(() => reads.length).toBe(1)
    await importRecords(world.deps, 'points', [{ spaceId: 40, address: last, points: 99_999_999 }])
    await page.clock.fastForward('00:40')
    await expect.poll(() => names.first().getAttribute('title')).toBe(last)
    expect(await page.locator('.podium .name').first().getAttribute('title')).toBe(last)
    expect(reads.every((headers) => headers['if-none-match'] !== undefined)).toBe(true)
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(focused)
    expect(await page.evaluate('window.kept')).toBe(true)
    expect(await page.evaluate(SHIFTS)).toEqual([])
    await checkLooks(page, 'community-live')

    const seen = (state: string) =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await seen('hidden')
    const before = reads.length
    await page.clock.fastForward('10:00')
    expect(reads.length).toBe(before)
    await seen('visible')
    await page.clock.fastForward(1_000)
    await expect.poll(() => reads.length).toBe(before + 1)
  })

  test('shows the first member of an empty board without a reload', async () => {
    await importRecords(world.deps, 'spaces', [{ spaceId: 7411, name: 'Cove' }])
    await world.database.query(`INSERT INTO space_pages VALUES (7411, 'cove', now())`)
    here = await visit(profile, `${issuer}/robots.txt`)
    const { page } = here
    await page.clock.install()
    await page.goto(`${issuer}/s/cove`)
    await page.getByText('No members yet.').waitFor()
    await importRecords(world.deps, 'points', [{ spaceId: 7411, address: BEST, points: 5 }])
    await page.clock.fastForward('00:40')
    await page.locator(`main tbody .name[title="${BEST}"]`).waitFor()
    expect(await page.getByText('No members yet.').count()).toBe(0)
    for (const count of ['.member-count', '.count']) await page.locator(count).getByText('1 member').waitFor()
    expect(await page.locator('.next').isVisible()).toBe(false)
    const wallets = Array.from({ length: 120 }, (_, n) => `0x${String(n).padStart(40, 'a')}`)
    const points = wallets.map((address) => ({ spaceId: 7411, address, points: 1 }))
    await importRecords(world.deps, 'points', points)
    await page.clock.fastForward('00:40')
    await page.getByRole('link', { name: 'Next members' }).waitFor()
    await page.locator('.member-count').getByText('121 members').waitFor()
  })

  test('does not read a page of a search again', async () => {
    here = await visit(profile, `${issuer}/robots.txt`)
    const { page } = here
    await page.clock.install()
    await page.goto(`${issuer}/s/forty?find=0x`)
    let reads = 0
    page.on('request', (request) => {
      if (isBoard(request)) reads++
    })
    await page.clock.fastForward('10:00')
    expect(reads).toBe(0)
  })

  test('offers the sign-in after the session has ended in this browser', async () => {
    await actAs(profile, issuer, person)
    here = await visit(profile, `${issuer}/account`)
    await here.page.getByRole('button', { name: /^Account menu of/ }).click()
    await here.page.getByRole('menuitem', { name: 'Sign out' }).click()
    await here.page.getByRole('heading', { name: 'Sign in to Questboard' }).waitFor()
    await here.page.goto(`${issuer}/s/forty`)
    expect(await accountLink().innerText()).toBe('Sign in')
  })

  test.each(IN_GERMAN)(
    'is in German for a German browser, accessible and not wider than a phone: %s',
    async (name, path) => {
      const german = await openProfile(browser, { width: 360, scheme: 'light', locale: 'de-DE' })
      here = await visit(german, issuer + path)
      const { page } = here
      expect(await page.getAttribute('html', 'lang')).toBe('de')
      await expectNoShift(page)
      if (name !== 'embed') {
        const header = await page.getByRole('banner').boundingBox()
        expect(header?.height).toBeLessThan(MAX_HEADER_HEIGHT)
      }
      await checkLooks(page, `german-${name}`)
      await page.close()
      await german.close()
    },
  )

  test('changes the language of a sign-in error without losing the request, and keeps it for other pages', async () => {
    const path = '/oauth?client_id=unknown'
    here = await visit(profile, issuer + path)
    const { page } = here
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'Anmeldung fehlgeschlagen' }).waitFor()
    await page.getByText('Unter dieser client_id ist keine App registriert.').waitFor()
    expect(page.url()).toBe(issuer + path)
    await page.goto(`${issuer}/s/forty?sprint=1`)
    await page.getByRole('heading', { name: 'Rangliste' }).waitFor()
    await page.getByRole('link', { name: 'English' }).click()
    await page.getByRole('heading', { name: 'Leaderboard' }).waitFor()
    expect(new URL(page.url()).searchParams.get('sprint')).toBe('1')
    await page.goto(`${issuer}/s/forty`)
    expect(await page.getAttribute('html', 'lang')).toBe('en')
  })

  test('is in the theme that the reader chose, before the first paint', async () => {
    const reader = await openProfile(browser, { width: 360, scheme: 'light', locale: 'de-DE' })
    here = await visit(reader, `${issuer}/explore`)
    const { page } = here
    await page.evaluate(`localStorage.setItem('mantine-color-scheme-value', 'dark')`)
    for (const path of ['/', '/s/forty', `/q/${MAIN_QUEST}`]) {
      await page.goto(issuer + path)
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(23, 25, 29)')
      await expectNoShift(page)
    }
    await checkLooks(page, 'community-chosen-dark')
    // The system is dark now.
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.evaluate(`localStorage.setItem('mantine-color-scheme-value', 'light')`)
    await page.goto(`${issuer}/s/forty`)
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
  })

  test('leads a guest to the sign-in and back', async () => {
    await profile.clearCookies()
    here = await visit(profile, `${issuer}/s/forty?sprint=1&lang=en`)
    const { page } = here
    await accountLink().click()
    await page.getByRole('heading', { name: 'Sign in to Questboard' }).waitFor()
    await actAs(profile, issuer, await signedInBrowser(world.app))
    await page.reload()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Leaderboard' }).waitFor()
    expect(page.url()).toBe(`${issuer}/s/forty?sprint=1`)
  })

  test('offers the sign-in without scripts', async () => {
    const without = await browser.newContext({ javaScriptEnabled: false })
    here = { page: await without.newPage(), context: without, complaints: [] }
    await here.page.goto(`${issuer}/s/forty`)
    expect(await accountLink().innerText()).toBe('Sign in')
    await here.page.getByRole('link', { name: 'Deutsch' }).click()
    await here.page.getByRole('heading', { name: 'Rangliste' }).waitFor()
    await here.page.goto(`${issuer}/oauth`)
    expect(await here.page.getByRole('button', { name: 'Deutsch' }).isVisible()).toBe(false)
  })
})
