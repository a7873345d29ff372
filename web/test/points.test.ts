import { createHash } from 'node:crypto'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOUR } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { applyEvents } from '../../server/src/ranking/awards.ts'
import { awardKey } from '../../server/src/ranking/quest-award-keys.ts'
import { settleSpace } from '../../server/src/ranking/timed-awards.ts'
import { giftKey } from '../../server/src/rules/gift-keys.ts'
import { MAIN_QUEST, NOW } from '../../server/test/support/fixture.ts'
import { signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { keepScreenshot, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { operatorInBrowser, type OperatorInBrowser } from './operator-in-browser.ts'
import { spaceTab } from './space-tab.ts'

let issuer: string
let world: OperatorInBrowser['world']
let close: OperatorInBrowser['close']
let operator: OperatorInBrowser['operator']
let profile: BrowserContext

const [SPACE, FILTERED, TIMED, NAMED, AVAILABLE, UNNAMED, BANNED, QUEST, SOUGHT] = [
  7300, 7301, 7302, 7303, 7304, 7305, 7306, 7307, 7308,
]
const in1Hour = new Date(NOW + HOUR).toISOString()

describe.skipIf(findChromium() === undefined)('the points of a space in a browser', () => {
  beforeAll(async () => {
    ;({ issuer, world, profile, operator, close } = await operatorInBrowser())
  })
  afterAll(() => close())

  test('awards points, shows them to the member, and undoes them', async () => {
    const { page, complaints } = await visit(profile, `${issuer}/content/spaces/40`)
    await spaceTab(page, 'Points').click()
    await page.getByRole('heading', { name: /– Points$/ }).waitFor()
    const tabs = page.getByRole('navigation', { name: 'Parts of the space' })
    const sidebar = page.getByRole('navigation', { name: 'Pages', exact: true })
    expect(await tabs.getByRole('link').allInnerTexts()).toEqual([
      'Overview',
      'Leaderboard',
      'Points',
      'Rules',
      'Snapshots',
      'Settings',
    ])
    for (const name of ['Overview', 'Leaderboard', 'Rules', 'Snapshots', 'Settings', 'Points']) {
      await spaceTab(page, name).click()
      await tabs.locator('[aria-current=page]', { hasText: name }).waitFor()
      // The tabs stay in the part of the sidebar for editors.
      await sidebar.locator('[aria-current]', { hasText: 'Manage spaces' }).waitFor()
      if (name === 'Leaderboard') await checkLooks(page, 'content-leaderboard')
    }
    const breadcrumb = page.getByRole('navigation', { name: 'Breadcrumb' })
    expect(await breadcrumb.getByRole('link').allInnerTexts()).toEqual(['Manage spaces'])
    const address = page.getByRole('textbox', { name: 'Member' }).first()
    await address.fill('newcomer')
    await page.getByRole('textbox', { name: 'Points' }).fill('many')
    await page.getByRole('textbox', { name: 'Reason' }).fill('Helped at the meetup')
    await page.getByRole('button', { name: 'Award points' }).click()
    const notAllowed = page.getByText('Enter a whole number other than 0, for example 50 or -50.')
    await notAllowed.waitFor()
    await page.getByRole('textbox', { name: 'Points' }).fill('0')
    await notAllowed.waitFor()
    await page.getByRole('textbox', { name: 'Points' }).fill('-3')
    await address.fill('0x123')
    await page.getByRole('button', { name: 'Award points' }).click()
    await page.getByText('This looks like an incomplete or mistyped address. Enter the whole address.').waitFor()
    expect(await page.getByRole('button', { name: /^Award to a new member/ }).count()).toBe(0)
    await address.fill('newcomer')
    await page.getByRole('textbox', { name: 'Points' }).fill('12')
    await page.getByRole('button', { name: 'Award points' }).click()
    await page.getByText('The leaderboard has no member “newcomer”.').waitFor()
    expect(await page.getByRole('button', { name: 'Award points' }).isDisabled()).toBe(true)
    await checkLooks(page, 'content-points-unknown')
    const reason = page.getByRole('textbox', { name: 'Reason' })
    await page.route('**/api/spaces/40/awards', async (route) => {
      await reason.fill('Typed during the request')
      await route.continue()
    })
    await page.getByRole('button', { name: 'Award to a new member “newcomer”' }).click()
    await page.getByText('12 points were awarded to newcomer').waitFor()
    expect(await reason.inputValue()).toBe('Typed during the request')
    await reason.fill('')
    const entry = page.locator('.row').filter({ hasText: 'Helped at the meetup' })
    await entry.getByText('+12').waitFor()
    await entry.getByText(/Balance 0 → 12/).waitFor()
    await checkLooks(page, 'content-points')
    await awardBelowZero(page)
    await entry.getByRole('button', { name: /^Undo entry / }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('Wrong member')
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
    await page.locator('.row').filter({ hasText: 'Wrong member' }).getByText('-12').waitFor()
    expect(await entry.getByRole('button').count()).toBe(0)
    await entry.getByText('Undone').waitFor()
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('award')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.locator('.row').filter({ hasText: 'Wrong member' }).waitFor({ state: 'detached' })
    await entry.getByText('Undone').waitFor()
    expect(await entry.getByRole('button').count()).toBe(0)
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('reversal')
    await page.getByRole('button', { name: 'Filter' }).click()
    await expect.poll(() => page.locator('.row').count()).toBe(1)
    await filterByName(page)
    expect(complaints).toEqual([])
  })

  test('undoes points of rules, and awards that are not available yet', async () => {
    const key = giftKey({ ruleId: 'welcome', version: 1, ref: 'ruth' })
    await importRecords(world, 'spaces', [{ spaceId: SPACE, name: 'Undo' }])
    await importRecords(world, 'awards', [
      { spaceId: SPACE, key: 'first', address: 'ruth', points: 4, reason: 'Welcome' },
    ])
    await world.database.query(`UPDATE ledger_entries SET source = 'rule', key = $2 WHERE space_id = $1`, [SPACE, key])
    await importRecords(world, 'awards', [
      { spaceId: SPACE, key: 'later', address: 'paul', points: 30, reason: 'Season', availableAt: in1Hour },
    ])
    const { page, complaints } = await visit(profile, `${issuer}/content/spaces/${SPACE}/points`)
    await page.locator('.row').filter({ hasText: 'Season' }).waitFor()
    await checkLooks(page, 'content-points-undo')
    for (const [reason, explanation] of [
      ['Welcome', 'A new entry takes the points back. The original entry stays.'],
      ['Season', 'A new entry cancels the points before they count. The original entry stays.'],
    ] as const) {
      const entry = page.locator('.row').filter({ hasText: reason })
      await entry.getByRole('button', { name: /^Undo entry / }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(explanation).waitFor()
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('Sent twice')
      await dialog.getByRole('button', { name: 'Undo' }).click()
      await entry.getByText('Undone').waitFor()
      expect(await entry.getByRole('button').count()).toBe(0)
    }
    await page.locator('.row').filter({ hasText: 'Sent twice' }).getByText('-30 points pending').waitFor()
    expect(complaints).toEqual([])
  })

  test('confirms an award with the whole address', async () => {
    const address = `0x${'6f'.repeat(20)}`
    await importRecords(world, 'spaces', [{ spaceId: NAMED, name: 'Named' }])
    const { page } = await visit(profile, `${issuer}/content/spaces/${NAMED}/points`)
    const award = page.getByRole('region', { name: 'Award points' })
    await award.getByRole('textbox', { name: 'Member' }).fill(address)
    await award.getByRole('textbox', { name: 'Points' }).fill('12')
    await award.getByRole('textbox', { name: 'Reason' }).fill('Joined')
    await award.getByRole('button', { name: 'Award points' }).click()
    const done = page.getByText(`12 points were awarded to ${address}`)
    await done.waitFor()
    const isCut = (element: { scrollWidth: number; clientWidth: number }) => element.scrollWidth > element.clientWidth
    expect(await done.evaluate(isCut)).toBe(false)
  })

  test('shows and copies the whole address of a named member by keyboard, and moves no button', async () => {
    const address = `0x${'5e'.repeat(20)}`
    await importRecords(world, 'spaces', [{ spaceId: NAMED, name: 'Named' }])
    await importRecords(world, 'points', [{ spaceId: NAMED, address, points: 1, username: 'petra' }])
    await importRecords(world, 'awards', [{ spaceId: NAMED, key: 'one', address, points: 4, reason: 'Welcome' }])
    await profile.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { page } = await visit(profile, `${issuer}/content/spaces/${NAMED}/points`)
    const entry = page.locator('.row').filter({ hasText: 'Welcome' })
    const undo = entry.getByRole('button', { name: /^Undo entry / })
    const whole = entry.getByRole('button', { name: 'Show the whole address 0x5e5e…5e5e' })
    const distance = async () => ((await undo.boundingBox())?.y ?? NaN) - ((await whole.boundingBox())?.y ?? NaN)
    const before = await distance()
    await whole.press('Enter')
    await entry.getByText(address, { exact: true }).waitFor()
    expect(await distance()).toBe(before)
    const copy = entry.getByRole('button', { name: 'Copy Address of petra' })
    const part = page.locator(`[id="${await whole.getAttribute('aria-controls')}"]`)
    for (const width of [1440, 768, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await whole.press('Tab')
      await copy.and(page.locator(':focus')).waitFor()
      const [toggle, shown] = [await edgesOf(whole), await edgesOf(part)]
      const next = await edgesOf(entry.getByText('Welcome'))
      expect(shown.top, `${width}`).toBeGreaterThanOrEqual(toggle.bottom)
      expect(next.top, `${width}`).toBeGreaterThanOrEqual(shown.bottom)
    }
    await copy.press('Enter')
    await entry.getByRole('button', { name: 'Copied Address of petra' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address)
    await checkLooks(page, 'content-points-address')
  })

  test('on a phone, shows a short address without a name, and the whole one between its button and Undo', async () => {
    const address = `0x${'6f'.repeat(20)}`
    const availableAt = in1Hour
    await importRecords(world, 'spaces', [{ spaceId: UNNAMED, name: 'Unnamed' }])
    await importRecords(world, 'awards', [{ spaceId: UNNAMED, key: 'one', address, points: 4, availableAt }])
    const { page } = await visit(profile, `${issuer}/content/spaces/${UNNAMED}/points`)
    await page.setViewportSize({ width: 360, height: 800 })
    const entry = page.locator('.row').filter({ hasText: '0x6f6f…6f6f' })
    const button = entry.getByRole('button', { name: /0x6f6f…6f6f$/ }).first()
    await button.click()
    const top = async (place: Locator) => (await place.boundingBox())?.y ?? NaN
    const shown = await top(entry.getByText(address, { exact: true }))
    expect(shown).toBeGreaterThan(await top(button))
    expect(await top(entry.getByRole('button', { name: /^Undo entry / }))).toBeGreaterThan(shown)
    await keepScreenshot(page, 'content-points-unnamed-360')
  })

  test('undoes an award that became available, and says that its points are taken back', async () => {
    await importRecords(world, 'spaces', [{ spaceId: AVAILABLE, name: 'Available' }])
    await importRecords(world, 'awards', [
      { spaceId: AVAILABLE, key: 'later', address: 'paul', points: 30, reason: 'Season', availableAt: in1Hour },
    ])
    const now = NOW + 2 * HOUR
    await world.database.kysely
      .transaction()
      .execute((trx) => settleSpace(trx, AVAILABLE, { clock: { now: () => now }, lockWait: 1_000 }))
    await profile.clock.setFixedTime(now)
    try {
      const { page, complaints } = await visit(profile, `${issuer}/content/spaces/${AVAILABLE}/points`)
      const rows = page.locator('.row').filter({ hasText: 'Season' })
      const dialog = page.getByRole('dialog')
      await expect.poll(() => rows.count()).toBe(2)
      const [available, award] = [rows.first(), rows.last()]
      await award.getByText('30 points pending').waitFor()
      for (const entry of [available, award]) {
        await entry.getByRole('button', { name: /^Undo entry / }).click()
        await dialog.getByText('A new entry takes the points back. The original entry stays.').waitFor()
        await dialog.getByRole('button', { name: 'Cancel' }).click()
      }
      await award.getByRole('button', { name: /^Undo entry / }).click()
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('Sent twice')
      await dialog.getByRole('button', { name: 'Undo' }).click()
      await page.locator('.row').filter({ hasText: 'Sent twice' }).getByText('-30', { exact: true }).waitFor()
      for (const entry of [available, award]) await entry.getByText('Undone').waitFor()
      expect(await rows.getByRole('button', { name: /^Undo/ }).count()).toBe(0)
      expect(complaints).toEqual([])
    } finally {
      await profile.clock.setFixedTime(NOW)
    }
  })

  test('awards points that become available and expire, and shows refused times at their fields', async () => {
    await importRecords(world, 'spaces', [{ spaceId: TIMED, name: 'Timed' }])
    const { page } = await visit(profile, `${issuer}/content/spaces/${TIMED}/points`)
    const award = page.getByRole('button', { name: 'Award points' })
    const [from, until] = [page.getByLabel('Available from'), page.getByLabel('Expires at')]
    await page.getByRole('textbox', { name: 'Member' }).first().fill('ruth')
    await page.getByRole('textbox', { name: 'Points' }).fill('12')
    await page.getByRole('textbox', { name: 'Reason' }).fill('Season')
    await from.fill('2030-01-02T00:00')
    await until.fill('2030-01-01T00:00')
    await award.click()
    await page.getByRole('button', { name: 'Award to a new member “ruth”' }).click()
    await page.getByText('The end must be after the start.').waitFor()
    await checkLooks(page, 'content-points-times')
    await until.fill('2030-02-01T00:00')
    await page.getByRole('button', { name: 'Award to a new member “ruth”' }).click()
    const entry = page.locator('.row').filter({ hasText: 'Season' })
    await entry.getByText(/12 points pending · Available from 2 Jan 2030.* · Expires at 1 Feb 2030/).waitFor()
    expect([await from.inputValue(), await until.inputValue()]).toEqual(['', ''])
  })

  test('says that the points of a banned member count when the ban ends', async () => {
    await importRecords(world, 'spaces', [{ spaceId: BANNED, name: 'Banned' }])
    await importRecords(
      world,
      'points',
      ['ruth', 'paul'].map((address) => ({ spaceId: BANNED, address, points: 1 })),
    )
    const ban = { address: 'ruth', spaceId: BANNED, reason: 'Bots' }
    expect((await operator.browser.call('POST', '/api/operator/bans', ban)).statusCode).toBe(201)
    const { page, complaints } = await visit(profile, `${issuer}/content/spaces/${BANNED}/points`)
    const award = async (address: string) => {
      await page.getByRole('textbox', { name: 'Member' }).first().fill(address)
      await page.getByRole('textbox', { name: 'Points' }).fill('12')
      await page.getByRole('textbox', { name: 'Reason' }).fill('Meetup')
      await page.getByRole('button', { name: 'Award points' }).click()
    }
    await award('paul')
    await page.getByText(/^12 points were awarded to [^.]*paul\)$/).waitFor()
    await award('ruth')
    const done = '12 points were awarded to ruth. The member is banned: the points count when the ban ends.'
    await page.getByText(done, { exact: true }).waitFor()
    await checkLooks(page, 'content-points-banned')
    expect(complaints).toEqual([])
  })

  test('shows the quest of an award in place of its key, and an account without a wallet by its name', async () => {
    await importRecords(world, 'spaces', [{ spaceId: QUEST, name: 'Quests' }])
    const { id } = (await signedInBrowser(world.app)).account
    const award = {
      key: awardKey(MAIN_QUEST, 'one'),
      address: id,
      points: 50,
      reason: 'Plant',
      source: 'quest',
      sprintId: 0,
    } as const
    const unnamed = { ...award, key: awardKey(MAIN_QUEST, 'two'), points: 51, reason: '' }
    await world.database.kysely.transaction().execute((trx) => applyEvents(trx, QUEST, [award, unnamed], world.clock))
    const { page } = await visit(profile, `${issuer}/content/spaces/${QUEST}/points`)
    const entry = page.getByRole('listitem').filter({ hasText: 'Plant' })
    const quest = entry.getByRole('link', { name: 'Plant', exact: true })
    expect(await quest.getAttribute('href')).toBe(`/content/quests/${MAIN_QUEST}`)
    expect(await entry.innerText()).not.toMatch(/Key|Quest GC/)
    await page.getByRole('link', { name: `Quest ${MAIN_QUEST}`, exact: true }).waitFor()
    const name = (await entry.innerText()).split('\n').find((line) => /^[\da-f]{10}$/.test(line)) ?? ''
    await page.getByRole('textbox', { name: 'Member' }).first().fill(name)
    await page.getByRole('textbox', { name: 'Points' }).fill('12')
    await page.getByRole('textbox', { name: 'Reason' }).fill('Meetup')
    await page.getByRole('button', { name: 'Award points' }).click()
    await page.getByText(`12 points were awarded to ${name}`, { exact: true }).waitFor()
  })

  test('finds a member of the leaderboard by name, and shows its rank in the chosen sprint', async () => {
    await importRecords(world, 'spaces', [{ spaceId: SOUGHT, name: 'Sought' }])
    await importRecords(world, 'sprints', [{ spaceId: SOUGHT, sprintId: 1 }])
    const member = (n: number, username: string) => ({ spaceId: SOUGHT, address: `0x${`${n}e`.repeat(20)}`, username })
    const [first, second, other] = [member(1, 'jo'), member(2, 'Jo'), member(3, 'kim')]
    await importRecords(
      world,
      'points',
      [first, second, other].map((one, n) => ({ ...one, points: 5 - n })),
    )
    await importRecords(world, 'points', [{ ...second, sprintId: 1, points: 2 }])
    const { page, complaints } = await visit(profile, `${issuer}/content/spaces/${SOUGHT}/leaderboard?sprint=1`)
    const find = page.getByRole('search', { name: 'Find a member' })
    const field = find.getByRole('searchbox', { name: 'Name, address or short ID' })
    await field.fill(' JO ')
    await field.press('Enter')
    await page.waitForURL(/\?sprint=1&q=JO$/)
    const found = page.getByRole('region', { name: 'Find a member' }).getByRole('listitem')
    await expect.poll(() => found.count()).toBe(2)
    expect((await found.allInnerTexts()).map((text) => text.split('\n').at(-1))).toEqual(['5 points', '4 points'])
    await checkLooks(page, 'content-find-member')
    await found.filter({ hasText: second.address }).getByRole('link', { name: 'Jo' }).click()
    await page.waitForURL(/\?sprint=1&member=0x2e/)
    await page.getByText('1 of 1', { exact: true }).waitFor()
    expect(await found.count()).toBe(0)
    await page.goBack()
    await field.fill('nobody')
    await field.press('Enter')
    await page.getByText('No results').waitFor()
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await page.waitForURL(/\?sprint=1$/)
    expect(complaints).toEqual([])
  })

  test('filters entries by sprint and by time', async () => {
    await importRecords(world, 'spaces', [{ spaceId: FILTERED, name: 'Filtered' }])
    await importRecords(world, 'sprints', [{ spaceId: FILTERED, sprintId: 1 }])
    await importRecords(world, 'awards', [{ spaceId: FILTERED, key: 'one', address: 'ruth', points: 4 }])
    const { page } = await visit(profile, `${issuer}/content/spaces/${FILTERED}/points`)
    const apply = page.getByRole('button', { name: 'Filter' })
    const sprint = page.getByRole('combobox', { name: 'Sprint' }).last()
    const rows = page.locator('.row')
    await sprint.selectOption({ label: 'Without a sprint' })
    await apply.click()
    await expect.poll(() => rows.count()).toBe(1)
    await sprint.selectOption({ label: 'Sprint 1' })
    await apply.click()
    await page.getByText('No entry matches the filter.').waitFor()
    // The same filter again reads new entries.
    await importRecords(world, 'awards', [{ spaceId: FILTERED, sprintId: 1, key: 'two', address: 'ruth', points: 3 }])
    await apply.click()
    await expect.poll(() => rows.count()).toBe(1)
    await sprint.selectOption({ label: 'All' })
    const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('Before')]
    await from.fill('2026-11-21T00:00')
    await to.fill('2026-11-20T00:00')
    await apply.click()
    await page.getByText('The end must be after the start.').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await checkLooks(page, 'content-points-filter')
    await to.fill('2026-11-23T00:00')
    await apply.click()
    await expect.poll(() => rows.count()).toBe(2)
    await from.fill('2026-11-22T13:00')
    await apply.click()
    await page.getByText('No entry matches the filter.').waitFor()
    // A page can be empty before the end of a long ledger.
    await page.route(
      ({ searchParams }) => searchParams.get('source') === 'import',
      (route) => {
        const after = new URL(route.request().url()).searchParams.get('after')
        const next = after === null ? '1000-2' : after === '1000-2' ? '1000-1' : undefined
        return next === undefined ? route.continue() : route.fulfill({ json: { list: [], next } })
      },
    )
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('import')
    for (const field of [from, to]) await field.fill('')
    await apply.click()
    await expect.poll(() => rows.count()).toBe(2)
  })
})

/** The upper and the lower edge of an element in the window. */
async function edgesOf(place: Locator): Promise<{ top: number; bottom: number }> {
  const { y, height } = (await place.boundingBox()) ?? { y: NaN, height: NaN }
  return { top: y, bottom: y + height }
}

/** The filter accepts the text that the form for awards accepts. */
async function filterByName(page: Page): Promise<void> {
  const shortId = createHash('md5').update('newcomer').digest('hex').slice(0, 10)
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('')
  await page.getByRole('textbox', { name: 'Member' }).last().fill(shortId)
  await page.getByRole('button', { name: 'Filter' }).click()
  await expect.poll(() => page.locator('.row').count()).toBe(3)
  for (const row of await page.locator('.row').all()) {
    await row.getByText(shortId).waitFor()
    await row.getByText('newcomer', { exact: true }).waitFor()
    await row.getByText(/· By \S+/).waitFor()
  }
  await checkLooks(page, 'content-points-of-member')
}

/** To a member that is named by its short ID. */
async function awardBelowZero(page: Page): Promise<void> {
  const shortId = createHash('md5').update('newcomer').digest('hex').slice(0, 10)
  await page.getByRole('textbox', { name: 'Member' }).first().fill(shortId)
  await page.getByRole('textbox', { name: 'Points' }).fill('-20')
  await page.getByRole('textbox', { name: 'Reason' }).fill('Correction of the meetup')
  await page.getByRole('button', { name: 'Award points' }).click()
  await page.getByText(`${shortId} would then have -8 points.`).waitFor()
  await page.getByRole('button', { name: 'Subtract 20 points' }).waitFor()
  expect(await page.getByRole('button', { name: /^Award to a new member/ }).count()).toBe(0)
  await checkLooks(page, 'content-points-below-zero')
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(await page.getByText('would then have').count()).toBe(0)
  await page.getByRole('textbox', { name: 'Points' }).fill('-2')
  await page.getByRole('button', { name: 'Award points' }).click()
  await page.getByText(`2 points were subtracted from ${shortId} (newcomer)`).waitFor()
}
