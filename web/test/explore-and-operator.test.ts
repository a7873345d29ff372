import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DAY } from '../../server/src/clock.ts'
import { setOperator } from '../../server/src/accounts/account.queries.ts'
import { writeRankDays } from '../../server/src/ranking/rank-days.ts'
import { setSource } from '../../server/src/sync/set-source.ts'
import {
  HOLDER_OF_BOTH,
  HOLDER_OF_ONE,
  MAIN_QUEST,
  members,
  NOW,
  startWorld,
  type World,
} from '../../server/test/support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { startUpstream, type Upstream } from '../../server/test/support/upstream.ts'
import { openBrowser, openProfile, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'

const settings = {
  QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
  QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
  QUESTBOARD_OUTGOING_HOSTS: '127.0.0.1',
  QUESTBOARD_FREE_PER_SECOND: '1000',
}

let world: World
let issuer: string
let browser: Browser
let profile: BrowserContext
let user: SignedIn
let here: Visit

describe.skipIf(findChromium() === undefined)('Explore and Operator in a browser', () => {
  beforeAll(async () => {
    const port = await freePort()
    issuer = `http://localhost:${port}`
    const [started, opened] = await Promise.all([
      startWorld({ port, settings: { ...settings, QUESTBOARD_PUBLIC_URL: issuer } }),
      openBrowser(),
    ])
    world = started
    browser = opened
    profile = await openProfile(browser, { width: 1280, scheme: 'light' })
    await profile.clock.setFixedTime(NOW)
    user = await signedInBrowser(world.app)
    await world.database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = 40', [user.account.id])
    for (const days of [3, 2, 1]) await writeRankDays(world.database.kysely, NOW - days * DAY)
    await actAs(profile, issuer, user)
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await world.stop()
  })
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const open = async (path: string) => {
    here = await visit(profile, issuer + path)
    return here.page
  }

  test('what the account owns leads to its board, which reads on by itself, by sprint, with histories', async () => {
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
    await page.getByRole('rowheader', { name: 'Nov 18, 2026' }).waitFor()
    // How many pages the screenshots read depends on their height.
    const whole = page.getByText(`${members.length} of ${members.length} members`)
    for (; !(await whole.isVisible()); await page.waitForTimeout(100))
      await page.locator('.next-page').last().scrollIntoViewIfNeeded()
    const [quests, board] = await Promise.all(
      ['Quests of this space', 'Leaderboard'].map((name) => page.getByRole('heading', { name }).boundingBox()),
    )
    expect(quests?.y).toBeLessThan(board?.y ?? 0)
    await page.getByLabel('Sprint', { exact: true }).selectOption('1')
    await page.waitForURL(/\?sprint=1$/)
    await page.getByText(/^\d+ of \d+ members$/).waitFor()
    await page.reload()
    expect(await page.getByLabel('Sprint', { exact: true }).inputValue()).toBe('1')
    await profile.clearCookies()
    await page.reload()
    await page.waitForURL(/\/sign-in\?return=%2Fexplore%2Fspaces%2F40%3Fsprint%3D1$/)
    await actAs(profile, issuer, user)
  })

  test('a long board keeps only the rows near the window', async () => {
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
    const height = await page.evaluate('document.documentElement.scrollHeight')
    await page.evaluate('window.scrollTo(0, 0)')
    // The rows near the window appear after the scroll event.
    await expect.poll(() => rows.first().innerText()).toBe(first)
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(height)
  })

  test('members have pictures: the one of their profile, or one that is made of the address', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const pictures = await startUpstream((_, response) => void response.end(Buffer.from(png, 'base64')))
    const shown = members.toSorted((a, b) => b.points - a.points).slice(0, 2)
    await world.database.query(`UPDATE board_entries SET avatar = $1 WHERE space_id = 40 AND address = $2`, [
      `${pictures.url}/member.png`,
      shown[0]?.address,
    ])
    await world.database.query(
      `INSERT INTO profiles (address, avatar) VALUES ($2, $1) ON CONFLICT (address) DO UPDATE SET avatar = $1`,
      [`${pictures.url}/member.png`, shown[0]?.address],
    )
    await world.database.query(`INSERT INTO account_profiles (account_id, avatar, is_public) VALUES ($1, $2, false)`, [
      user.account.id,
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
    await pictures.close()
  })

  test('the public spaces, starboards, credentials and quests are listed for everybody', async () => {
    const page = await open('/explore')
    await page.locator('.entry-columns').getByRole('link').nth(3).waitFor()
    await page.goto(`${issuer}/explore/spaces`)
    await page.getByRole('link').filter({ hasText: /./ }).first().waitFor()
    await page.locator('.rows .row').nth(1).waitFor()
    await checkLooks(page, 'explore-spaces')
    await page.getByLabel('Search by name').fill('no space is called so')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('No results.').waitFor()
    for (const kind of ['starboards', 'credentials', 'quests']) {
      await page.goto(`${issuer}/explore/${kind}`)
      await page.locator('.rows .row').first().waitFor()
    }
  })

  test('a query behind a page runs in the playground', async () => {
    const page = await open('/explore/credentials/500')
    await page.getByText('GraphQL query of this page').click()
    await page.getByRole('link', { name: 'Open in playground' }).first().click()
    await page.getByRole('textbox', { name: 'Server access token' }).fill(world.personas.business)
    await page.getByRole('button', { name: 'Use token' }).click()
    await page.getByText('Token accepted').waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('HTTP 200').waitFor()
    expect(await page.getByRole('alert').filter({ hasText: 'error' }).count()).toBe(0)
  })

  test('a starboard shows how it changed, and finds one user', async () => {
    const page = await open('/explore/starboards/1')
    await page.getByRole('columnheader', { name: '7 days' }).waitFor()
    await checkLooks(page, 'explore-starboard')
    await page.setViewportSize({ width: 360, height: 800 })
    const rowHeights = `[...document.querySelectorAll('.ranking tr')].map((row) => row.getBoundingClientRect().height)`
    expect(Math.max(...(await page.evaluate<number[]>(rowHeights)))).toBeLessThan(44)
    await page.getByLabel('Search by X handle').fill('nobody_here')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('Twitter user not found').waitFor()
    await page.getByLabel('Search by X handle').fill('@alice_a')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.locator('.ranking').getByText('@Alice_A').waitFor()
    expect(await page.locator('.ranking tbody tr').count()).toBe(1)
  })

  test('a credential says whether an address holds it, and whether that can be relied on', async () => {
    const page = await open('/explore/credentials/500')
    await page.getByRole('combobox', { name: 'Address or identity' }).fill(HOLDER_OF_BOTH)
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText(`${HOLDER_OF_BOTH} holds this credential.`).waitFor()
    await checkLooks(page, 'explore-credential')
    await page.getByRole('combobox', { name: 'Address or identity' }).fill('0xnonsense')
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('Enter a wallet address, an email address or a handle.').waitFor()
    await page.goto(`${issuer}/explore/credentials/502`)
    await page.getByText('Results may be out of date').waitFor()
  })

  test('a quest says which rule an address fails', async () => {
    const page = await open(`/explore/quests/${MAIN_QUEST}`)
    await page.getByRole('combobox', { name: 'Address or identity' }).fill(HOLDER_OF_BOTH)
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText(`${HOLDER_OF_BOTH} is eligible.`).waitFor()
    await page.route('**/api/query', (route) => route.fulfill({ status: 500, body: '' }), { times: 1 })
    await page.getByRole('combobox', { name: 'Address or identity' }).fill(HOLDER_OF_ONE)
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('The service responded with HTTP status 500.').waitFor()
    expect(await page.getByRole('combobox', { name: 'Address or identity' }).inputValue()).toBe(HOLDER_OF_ONE)
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText(`${HOLDER_OF_ONE} is eligible for 1 of 2 groups.`).waitFor()
    const failing = page.locator('.inset').filter({ hasText: 'Failed' })
    expect(await failing.locator('.conditions li').filter({ hasText: 'not met' }).count()).toBe(1)
    expect(await page.getByText(/Not met: /).count()).toBe(0)
    await page.getByRole('combobox', { name: 'Address or identity' }).fill('no address!')
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('Enter a wallet address, an email address or a handle.').waitFor()
    await page.getByText(`${HOLDER_OF_ONE} is eligible for 1 of 2 groups.`).waitFor()
    await checkLooks(page, 'explore-quest')
    await page.goto(`${issuer}/explore/quests/GCfull0001`)
    await page.getByText('The quest is not active. Status: Full').waitFor()
    await page.getByText('All 5 places are taken.').waitFor()
    await page.goto(`${issuer}/explore/quests/GCdraft001`)
    await page.getByText('Quest not found').waitFor()
  })

  test('a check begins with the linked address of the account, and suggests the others', async () => {
    const session = (await user.browser.get('/api/session')).json<{ account: { identities: { subject: string }[] } }>()
    const [own] = session.account.identities
    const page = await open(`/explore/quests/${MAIN_QUEST}`)
    const field = page.getByRole('combobox', { name: 'Address or identity' })
    await field.waitFor()
    expect(await field.inputValue()).toBe(own?.subject)
    await field.fill('')
    await page.getByRole('option', { name: own?.subject ?? '' }).click()
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText(`${own?.subject ?? ''} is not eligible`).waitFor()
  })

  test('an unknown id leads back to a list', async () => {
    const page = await open('/explore/spaces/999999')
    for (const [kind, id] of [
      ['spaces', '999999'],
      ['spaces', 'abc'],
      ['spaces', '2147483648'],
      ['starboards', 'nothing'],
      ['credentials', '999999'],
      ['quests', 'GCnothing'],
    ] as const) {
      await page.goto(`${issuer}/explore/${kind}/${id}`)
      await page.getByRole('heading', { name: / not found$/ }).waitFor()
      await page.getByRole('link', { name: `All ${kind}` }).click()
      await page.waitForURL(`${issuer}/explore/${kind}`)
    }
  })

  test('a session that ended meanwhile leads to sign-in, and back to the page', async () => {
    const page = await open('/explore/spaces/40?sprint=1')
    await page.getByText(/of \d+ members$/).waitFor()
    await page.waitForLoadState('networkidle')
    await profile.clearCookies()
    await page.getByLabel('Status').selectOption('Active')
    await page.waitForURL(/\/sign-in\?return=%2Fexplore%2Fspaces%2F40%3Fsprint%3D1$/)
    await actAs(profile, issuer, user)
    await page.reload()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(`${issuer}/explore/spaces/40?sprint=1`)
    await page.goto(`${issuer}/settings/server-api`)
    await page.waitForLoadState('networkidle')
    await profile.clearCookies()
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.waitForURL(/\/sign-in\?return=%2Fsettings%2Fserver-api%2Fusage$/)
    await actAs(profile, issuer, user)
  })

  describe('an operator', () => {
    let operator: SignedIn
    let source: Upstream
    beforeAll(async () => {
      operator = await signedInBrowser(world.app)
      await setOperator(world.database.kysely, operator.account.id, new Date(NOW))
      source = await startUpstream((_, response) => void response.writeHead(500).end())
      await setSource(world.deps, '501', { kind: 'CSV', url: `${source.url}/list`, format: 'text' })
    })
    afterAll(() => source.close())

    test('is the only one to see the pages', async () => {
      const page = await open('/operator')
      await page.getByText('These pages are for operators.').waitFor()
      expect(await page.getByRole('link', { name: 'Operator' }).count()).toBe(0)
      await actAs(profile, issuer, operator)
      await page.reload()
      await page.getByRole('link', { name: 'Operator' }).waitFor()
    })

    test('approves the revision of an app that was read, and no other', async () => {
      const form = {
        name: 'Board Games',
        purpose: 'Showing who leads',
        redirectUris: ['https://app.example.com/'],
        scopes: [],
      }
      const applied = await user.browser.call('POST', '/api/apps', form)
      const { clientId } = applied.json<{ clientId: string }>()
      const page = await open('/operator')
      await page.getByText('Showing who leads').waitFor()
      await checkLooks(page, 'operator-apps')
      await user.browser.call('PATCH', `/api/apps/${clientId}`, { purpose: 'Something else' })
      await page.getByRole('button', { name: 'Approve: Board Games' }).click()
      await page.getByText('The owner has changed this app.').waitFor()
      await page.getByText('Something else').waitFor()
      await page.getByRole('button', { name: 'Approve: Board Games' }).click()
      await page.getByText('No apps.', { exact: true }).waitFor()
      await page.getByLabel('Status').selectOption('approved')
      await page.getByLabel('Reason (visible to the owner)').fill('Asks too much')
      await page.getByRole('button', { name: 'Suspend: Board Games' }).click()
      await page.getByText('No apps.', { exact: true }).waitFor()
      const { apps } = (await user.browser.get('/api/apps')).json<{ apps: object[] }>()
      expect(apps).toMatchObject([{ status: 'suspended', statusReason: 'Asks too much' }])
    })

    test('makes a plan and puts a token on it', async () => {
      await user.browser.call('POST', '/api/tokens', { name: 'backend' })
      const page = await open('/operator/plans')
      await page.getByRole('button', { name: 'New plan' }).click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('free')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('The plan free exists; change it instead').waitFor()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('business')
      await page.getByLabel('Requests per day (UTC)').fill('many')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').waitFor()
      await page.getByRole('textbox', { name: 'Requests per day (UTC)' }).fill('50000')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Requests per day (UTC): 50,000').waitFor()
      await page.getByLabel('Username or ID').fill(user.account.username)
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByLabel('Plan of backend', { exact: true }).selectOption('business')
      await page.getByRole('button', { name: 'Change plan of backend' }).click()
      await page.getByText('Requests per day (UTC): 50,000 · Tokens: 1').waitFor()
      await checkLooks(page, 'operator-plans')
    })

    test('runs a synchronization, and reads why it failed', async () => {
      const page = await open('/operator/syncs')
      await page.getByRole('button', { name: 'Sync now: Early swapper' }).click()
      await page.getByText(/^Failed once: /).waitFor()
      await checkLooks(page, 'operator-syncs')
    })

    test('imports a file, whose bad lines are told', async () => {
      const page = await open('/operator/import')
      const choose = (text: string) =>
        page
          .locator('input[type=file]')
          .setInputFiles({ name: 'spaces.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
      const start = page.getByRole('button', { name: 'Import', exact: true })
      await choose('spaceId,name\n900,Good\nx,Bad\n')
      await start.click()
      await page.getByText('Nothing was imported').waitFor()
      await page.getByRole('cell', { name: 'spaceId' }).waitFor()
      await checkLooks(page, 'operator-import')
      await choose('spaceId,name\n900,Good\n901,Good too\n')
      await start.click()
      await page.getByText('Spaces: 2 lines imported').waitFor()
    })

    test('reads the log by event, and the health of the installation', async () => {
      const page = await open('/operator/log')
      await page.getByText('File imported').nth(1).waitFor()
      await page.getByLabel('Event', { exact: true }).selectOption('app.suspended')
      await page.locator('.rows .row').getByText('Asks too much').waitFor()
      expect(await page.locator('.rows .row').count()).toBe(1)
      await checkLooks(page, 'operator-log')
      await page.getByRole('link', { name: 'Health' }).click()
      await page.getByRole('heading', { name: 'Pending work' }).waitFor()
      await page.getByText('Database', { exact: true }).waitFor()
      await checkLooks(page, 'operator-health')
    })
  })
})
