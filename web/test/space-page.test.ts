import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { DAY } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { writeRankDays } from '../../server/src/ranking/rank-days.ts'
import { members, NOW } from '../../server/test/support/fixture.ts'
import { signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { startUpstream } from '../../server/test/support/upstream.ts'
import { type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { type PersonInBrowser, personInBrowser } from './person-in-browser.ts'
import { actAs } from './signed-in.ts'
import { spaceTab } from './space-tab.ts'

let { world, issuer, profile, person, close } = {} as PersonInBrowser
let here: Visit

describe.skipIf(findChromium() === undefined)('the page of a space in a browser', () => {
  beforeAll(async () => {
    ;({ world, issuer, profile, person, close } = await personInBrowser({ QUESTBOARD_OUTGOING_HOSTS: '127.0.0.1' }))
    await world.database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = 40', [person.account.id])
    for (const days of [3, 2, 1]) await writeRankDays(world.database.kysely, NOW - days * DAY)
  })
  afterAll(() => close())
  beforeEach(() => actAs(profile, issuer, person))
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const open = async (path: string) => {
    here = await visit(profile, issuer + path)
    return here.page
  }

  test('leads from the objects of the account to a board that loads further pages, by sprint, with histories', async () => {
    const page = await open('/explore')
    await page.getByText('Public quests').waitFor()
    await checkLooks(page, 'explore')
    await page.locator('.entries').getByRole('link').click()
    await page.getByText(`50 of ${members.length} members`).waitFor()
    await page.locator('.member').first().click()
    const chart = page.getByRole('img', { name: /^Rank of .* over 3 days: best 1, worst 1, now 1\./ })
    await chart.waitFor()
    await checkLooks(page, 'explore-space')
    await page.getByText('Table', { exact: true }).click()
    await page.getByRole('rowheader', { name: '18 Nov 2026' }).waitFor()
    // The number of loaded pages in screenshots depends on their height.
    const whole = page.getByText(`${members.length} of ${members.length} members`)
    for (; !(await whole.isVisible()); await page.waitForTimeout(100))
      await page.locator('.next-page').last().scrollIntoViewIfNeeded()
    const [quests, board] = await Promise.all(
      ['Quests of this space', 'Leaderboard'].map((name) => page.getByRole('heading', { name }).boundingBox()),
    )
    expect(quests?.y).toBeLessThan(board?.y ?? 0)
    await page.getByLabel('Status').selectOption('Active')
    await page.getByLabel('Sprint', { exact: true }).selectOption('1')
    await page.waitForURL(/\?status=Active&sprint=1$/)
    await page.getByText(/^\d+ of \d+ members$/).waitFor()
    expect(await page.getByLabel('Status').inputValue()).toBe('Active')
    await page.reload()
    expect(await page.getByLabel('Sprint', { exact: true }).inputValue()).toBe('1')
    await profile.clearCookies()
    await page.reload()
    await page.waitForURL(/\/sign-in\?return=%2Fexplore%2Fspaces%2F40%3Fstatus%3DActive%26sprint%3D1$/)
    await actAs(profile, issuer, person)
  })

  test('keeps the spelling of the address and its other parameters if a filter changes', async () => {
    const page = await open('/explore/spaces/4%30?q=boats')
    await page.getByLabel('Status').selectOption('Active')
    await page.waitForURL(/\?q=boats&status=Active$/)
    expect(new URL(page.url()).pathname).toBe('/explore/spaces/4%30')
  })

  test('an owner publishes the page of a space, which everyone can read', async () => {
    const page = await open('/explore/spaces/40')
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await spaceTab(page, 'Settings').click()
    const slug = page.getByRole('textbox', { name: 'Address of the page' })
    expect(await slug.inputValue()).toBe('aurora-guild')
    await slug.fill('Forty')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText(/^Use 1 to 40 characters/).waitFor()
    await slug.fill('forty')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('The public page is online').waitFor()
    await slug.fill('fifty')
    const questions: string[] = []
    page.once('dialog', (dialog) => {
      questions.push(dialog.message())
      void dialog.dismiss()
    })
    await page.getByRole('button', { name: 'Change address' }).click()
    expect(questions).toEqual([
      'Change the address of the page? Links and embed codes with the old address stop working.',
    ])
    await slug.fill('forty')
    await page.getByText('Show the code', { exact: true }).click()
    await page.frameLocator('iframe').getByRole('link', { name: 'Full leaderboard' }).waitFor()
    const code = page.locator('.embeds pre')
    expect(await code.innerText()).toContain(' title="Leaderboard" ')
    await page.locator('.embeds').getByRole('combobox', { name: 'Language' }).selectOption('de')
    expect(await code.innerText()).toMatch(/&lang=de" title="Rangliste" /)
    await page.locator('.embeds').getByRole('combobox', { name: 'Sprint' }).selectOption('1')
    expect(await code.innerText()).toContain('&sprint=1&lang=de" ')
    await page.getByRole('combobox', { name: 'Kind', exact: true }).selectOption('badge')
    await page.getByText('Enter the address of a member to see the code').waitFor()
    expect(await code.count()).toBe(0)
    await page
      .locator('.embeds')
      .getByRole('textbox', { name: 'Address of the member' })
      .fill(members[0]?.address ?? '')
    expect(await code.innerText()).toContain('.svg?sprint=1&lang=de" alt="Rang" ')
    await page.getByRole('combobox', { name: 'Kind', exact: true }).selectOption('script')
    expect(await code.innerText()).toContain(' data-sprint="1" data-lang="de"></div>')
    await page.getByRole('combobox', { name: 'Kind', exact: true }).selectOption('frame')
    await page.locator('.embeds').getByRole('combobox', { name: 'Language' }).selectOption('')
    await page.getByRole('combobox', { name: 'Sites that may show the frame' }).selectOption('some')
    await page.getByRole('button', { name: 'Save sites' }).click()
    await page.getByText('Enter at least one site, or choose “No site”.').waitFor()
    await page.getByRole('textbox', { name: 'Sites', exact: true }).fill('guild')
    await page.getByRole('button', { name: 'Save sites' }).click()
    await page.getByText('Enter an origin such as https://app.example.com, without a path.').waitFor()
    await checkLooks(page, 'content-embed')
    await profile.clearCookies()
    await page.getByRole('link', { name: `${issuer}/s/forty` }).click()
    await page.getByRole('heading', { name: 'Leaderboard' }).waitFor()
    await checkLooks(page, 'community-space')
    await page.getByRole('table').getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Around this rank' }).waitFor()
    await checkLooks(page, 'community-member')
    await page.goBack()
    const beginning = members[0]?.address.slice(0, 4) ?? ''
    await page.getByRole('searchbox', { name: 'Find a member' }).fill(beginning)
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('table').getByRole('link').first().click()
    await page.locator('#found').waitFor()
    await checkLooks(page, 'community-found-member')
    await page.getByRole('link', { name: 'Find me' }).click()
    await page.getByRole('heading', { name: 'Sign in to Questboard' }).waitFor()
    await page.goto(`${issuer}/s/forty`)
    await page.getByRole('link', { name: /^See all \d+ quests$/ }).click()
    await page.getByRole('link', { name: /^All \d+$/ }).waitFor()
    await checkLooks(page, 'community-quests')
    await page.getByRole('link', { name: /^Active \d+$/ }).click()
    await page.locator('.cards').getByRole('link').first().click()
    await page.getByRole('heading', { name: 'What you need' }).waitFor()
    await checkLooks(page, 'community-quest')
    await actAs(profile, issuer, person)
  })

  test('renders only the rows of a long board near the window', async () => {
    const page = await open('/explore/spaces/40')
    const rows = page.locator('.board .member')
    await page.getByText(`50 of ${members.length} members`).waitFor()
    const first = await rows.first().innerText()
    for (let pages = 2; 50 * (pages - 1) < members.length; pages++) {
      await page.locator('.next-page').last().scrollIntoViewIfNeeded()
      await page.getByText(`${Math.min(50 * pages, members.length)} of ${members.length} members`).waitFor()
    }
    await page.setViewportSize({ width: 1280, height: 300 })
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)')
    await page.locator('.windowed').first().waitFor({ state: 'attached' })
    expect(await rows.count()).toBeLessThan(members.length)
    const heightOfPage = () => page.evaluate<number>('document.documentElement.scrollHeight')
    const height = await heightOfPage()
    await page.evaluate('window.scrollTo(0, 0)')
    // The rows near the window appear after the scroll event.
    await expect.poll(() => rows.first().innerText()).toBe(first)
    // Borders of rows are fractions of a pixel high, which the browser rounds.
    expect(Math.abs((await heightOfPage()) - height)).toBeLessThanOrEqual(1)
  })

  test("shows the picture of a member's profile, or one generated from the address", async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const pictures = await startUpstream((_, response) => void response.end(Buffer.from(png, 'base64')))
    onTestFinished(() => pictures.close())
    // An import changes the version of the board. Without it, the page of an earlier test could come from a cache.
    const { address, points } = members[0]!
    await importRecords(world.deps, 'points', [{ spaceId: 40, address, points, avatar: `${pictures.url}/member.png` }])
    const pictured = await signedInBrowser(world.app)
    await actAs(profile, issuer, pictured)
    await world.database.query(`INSERT INTO account_profiles (account_id, avatar, is_public) VALUES ($1, $2, false)`, [
      pictured.account.id,
      `${pictures.url}/own.png`,
    ])
    const page = await open('/explore/spaces/40')
    const loaded = (selector: string) =>
      page.waitForFunction(
        (wanted) =>
          (
            globalThis as unknown as { document: { querySelector(s: string): { naturalWidth: number } | null } }
          ).document.querySelector(wanted)?.naturalWidth === 1,
        selector,
      )
    await loaded('.board tbody tr:first-child img.avatar')
    await loaded('.workspace-header img.avatar')
    expect(await page.locator('.board svg.avatar').count()).toBeGreaterThan(40)
    await page.goto(`${issuer}/account`)
    await loaded('form img.avatar')
    await checkLooks(page, 'account-with-avatar')
  })
})
