import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { DAY, MINUTE } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { inviteOperator } from '../../server/src/accounts/operator-invitations.ts'
import { setOperator } from '../../server/src/accounts/account.queries.ts'
import { writeRankDays } from '../../server/src/ranking/rank-days.ts'
import { silentLog } from '../../server/src/logging/log.ts'
import { snapshotJob } from '../../server/src/snapshots/job.ts'
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
import { evmNode, NOBODY } from '../../server/test/support/evm-node.ts'
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
  })
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
    await page.getByRole('rowheader', { name: 'Nov 18, 2026' }).waitFor()
    // The number of loaded pages in screenshots depends on their height.
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

  test('a one-time link makes the signed-in account an operator', async () => {
    const { url } = await inviteOperator({ ...world.deps, site: { issuer } }, DAY)
    await profile.clearCookies()
    const page = await open(new URL(url).pathname + new URL(url).hash)
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
    expect(page.url()).toBe(`${issuer}/operator-invitation`)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.waitForURL(/\/sign-in\?return=%2Foperator-invitation$/)
    const invited = await signedInBrowser(world.app)
    await actAs(profile, issuer, invited)
    await page.goto(`${issuer}/operator-invitation`)
    await page.getByText('Operators manage everything').waitFor()
    await checkLooks(page, 'operator-invitation')
    await page.getByRole('button', { name: 'Become an operator' }).click()
    await page.getByRole('link', { name: 'Open the operator pages' }).click()
    await page.getByRole('heading', { name: 'Apps' }).waitFor()
    await actAs(profile, issuer, user)
  })

  test('an owner publishes the page of a space, which everyone can read', async () => {
    const page = await open('/explore/spaces/40')
    await page.getByRole('textbox', { name: 'Address of the page' }).fill('Forty')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText(/^Address of the page: must be 1 to 40 characters/).waitFor()
    await page.getByRole('textbox', { name: 'Address of the page' }).fill('forty')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Embed', { exact: true }).click()
    await page.frameLocator('iframe').getByRole('link', { name: 'Full leaderboard' }).waitFor()
    await page.getByRole('combobox', { name: 'Sites that may show the frame' }).selectOption('some')
    await page.getByRole('textbox', { name: 'Sites', exact: true }).fill('guild')
    await page.getByRole('button', { name: 'Save sites' }).click()
    await page.getByText('must be an origin such as https://example.com').waitFor()
    await checkLooks(page, 'explore-embed')
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
    await page.locator('.cards').getByRole('link').first().click()
    await page.getByRole('heading', { name: 'What you need' }).waitFor()
    await checkLooks(page, 'community-quest')
    await actAs(profile, issuer, user)
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
    const height = await page.evaluate('document.documentElement.scrollHeight')
    await page.evaluate('window.scrollTo(0, 0)')
    // The rows near the window appear after the scroll event.
    await expect.poll(() => rows.first().innerText()).toBe(first)
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(height)
  })

  test("shows the picture of a member's profile, or one generated from the address", async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const pictures = await startUpstream((_, response) => void response.end(Buffer.from(png, 'base64')))
    const shown = members.toSorted((a, b) => b.points - a.points).slice(0, 2)
    // An import changes the version of the board. Without it, the page of an earlier test could come from a cache.
    const { address, points } = shown[0]!
    await importRecords(world.deps, 'points', [{ spaceId: 40, address, points, avatar: `${pictures.url}/member.png` }])
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

  test('lists the public spaces, starboards, credentials and quests for everyone', async () => {
    const page = await open('/explore')
    await page.locator('.entry-columns').getByRole('link').nth(3).waitFor()
    await page.goto(`${issuer}/explore/spaces`)
    await page.getByRole('link').filter({ hasText: /./ }).first().waitFor()
    await page.locator('.rows .row').nth(1).waitFor()
    await checkLooks(page, 'explore-spaces')
    await page.getByLabel('Search by name').fill('no space is called so')
    await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
    await page.getByText('No results.').waitFor()
    for (const kind of ['starboards', 'credentials', 'quests']) {
      await page.goto(`${issuer}/explore/${kind}`)
      await page.locator('.rows .row').first().waitFor()
    }
  })

  test('opens the query of a page in the playground', async () => {
    const page = await open('/explore/credentials/500')
    await page.getByText('GraphQL query of this page').click()
    await page.getByRole('link', { name: 'Open in playground' }).first().click()
    await page.getByRole('textbox', { name: 'Server token' }).fill(world.personas.business)
    await page.getByRole('button', { name: 'Use token' }).click()
    await page.getByText('Token accepted').waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('HTTP 200').waitFor()
    expect(await page.getByRole('alert').filter({ hasText: 'error' }).count()).toBe(0)
  })

  test('shows the change of a starboard, and finds one user', async () => {
    const page = await open('/explore/starboards/1')
    await page.getByRole('columnheader', { name: '7 days' }).waitFor()
    await checkLooks(page, 'explore-starboard')
    await page.setViewportSize({ width: 360, height: 800 })
    const rowHeights = `[...document.querySelectorAll('.ranking tr')].map((row) => row.getBoundingClientRect().height)`
    expect(Math.max(...(await page.evaluate<number[]>(rowHeights)))).toBeLessThan(44)
    await page.getByLabel('Search by X handle').fill('nobody_here')
    await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
    await page.getByText('Twitter user not found').waitFor()
    await page.getByLabel('Search by X handle').fill('@alice_a')
    await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
    await page.locator('.ranking').getByText('@Alice_A').waitFor()
    expect(await page.locator('.ranking tbody tr').count()).toBe(1)
  })

  test('shows whether an address holds a credential, and whether the result is reliable', async () => {
    const page = await open('/explore/credentials/500')
    await page.getByRole('combobox', { name: 'Address or identity' }).fill(HOLDER_OF_BOTH)
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText(`${HOLDER_OF_BOTH} holds this credential.`).waitFor()
    await checkLooks(page, 'explore-credential')
    await page.getByRole('combobox', { name: 'Address or identity' }).fill('0xnonsense')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('Enter a wallet address, an email address or a handle.').waitFor()
    await page.goto(`${issuer}/explore/credentials/502`)
    await page.getByText('Results may be out of date').waitFor()
  })

  test('completes a quest, and shows what is missing', async () => {
    const { deps } = world
    const node = evmNode('ERC20')
    const rpc = await startUpstream((request, response) => node.answer(request, response))
    onTestFinished(() => rpc.close())
    await importRecords(deps, 'credentials', [
      { id: '591', name: 'Coin', credType: 'EVM_ADDRESS', credSource: 'WALLET_BALANCE' },
    ])
    const asset = { erc20: node.contract, startBlock: 1 }
    await setSource(deps, '591', { kind: 'WALLET_BALANCE', rpcUrl: rpc.url, minimum: '1', asset })
    await importRecords(deps, 'quests', [
      {
        id: 'GCclaim001',
        spaceId: 40,
        name: 'Claim me',
        type: 'Points',
        loyaltyPoints: 7,
        credentialGroups: [
          {
            id: 'g1',
            name: 'Passes',
            conditionRelation: 'ALL',
            conditions: [
              { expression: 'Hold pass 501', credentialId: '501' },
              { expression: 'Own a coin', credentialId: '591' },
            ],
            rewards: [],
          },
        ],
      },
    ])
    const page = await open('/explore/quests/GCclaim001')
    await page.getByText('You do not meet all conditions yet.').waitFor()
    await page.getByText('Hold pass 501 · not met').waitFor()
    expect(await page.getByRole('button', { name: 'Complete quest' }).isDisabled()).toBe(true)
    const check = page.getByRole('button', { name: 'Check now: Own a coin' })
    await check.click()
    await page.getByText('Checked now; still not met.').waitFor()
    await checkLooks(page, 'explore-quest-claim')
    node.moves = [{ block: 3, from: NOBODY, to: user.account.wallet.address.toLowerCase(), value: 1n }]
    world.clock.advance(MINUTE)
    await check.click()
    await check.waitFor({ state: 'detached' })
    await importRecords(deps, 'holders', [{ credentialId: '501', address: user.account.wallet.address }])
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByRole('button', { name: 'Complete quest', disabled: false }).click()
    await page.getByText('You received 7 points.').waitFor()
    await page.reload()
    await page.getByText('You have completed this quest').waitFor()
    await checkLooks(page, 'explore-quest-completed')
  })

  test('shows the rule of a quest that an address fails', async () => {
    const page = await open(`/explore/quests/${MAIN_QUEST}`)
    await page.getByRole('combobox', { name: 'Address or identity' }).fill(HOLDER_OF_BOTH)
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText(`${HOLDER_OF_BOTH} is eligible.`).waitFor()
    await page.route('**/api/query', (route) => route.fulfill({ status: 500, body: '' }), { times: 1 })
    await page.getByRole('combobox', { name: 'Address or identity' }).fill(HOLDER_OF_ONE)
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('The service responded with HTTP status 500.').waitFor()
    expect(await page.getByRole('combobox', { name: 'Address or identity' }).inputValue()).toBe(HOLDER_OF_ONE)
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText(`${HOLDER_OF_ONE} is eligible for 1 of 2 groups.`).waitFor()
    const failing = page.locator('.inset').filter({ hasText: 'Failed' })
    expect(await failing.locator('.conditions li').filter({ hasText: 'not met' }).count()).toBe(1)
    expect(await page.getByText(/Not met: /).count()).toBe(0)
    await page.getByRole('combobox', { name: 'Address or identity' }).fill('no address!')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('Enter a wallet address, an email address or a handle.').waitFor()
    await page.getByText(`${HOLDER_OF_ONE} is eligible for 1 of 2 groups.`).waitFor()
    await checkLooks(page, 'explore-quest')
    await page.goto(`${issuer}/explore/quests/GCfull0001`)
    await page.getByText('The quest is not active. Status: Full').waitFor()
    await page.getByText('All 5 places are taken.').waitFor()
    await page.goto(`${issuer}/explore/quests/GCdraft001`)
    await page.getByText('Quest not found').waitFor()
  })

  test('checks the linked address of the account first, and suggests the others', async () => {
    const session = (await user.browser.get('/api/session')).json<{ account: { identities: { subject: string }[] } }>()
    const [own] = session.account.identities
    const page = await open(`/explore/quests/${MAIN_QUEST}`)
    const field = page.getByRole('combobox', { name: 'Address or identity' })
    await field.waitFor()
    // The sections above the field would move it while its suggestions are open.
    await page.waitForLoadState('networkidle')
    expect(await field.inputValue()).toBe(own?.subject)
    await field.fill('')
    await page.getByRole('option', { name: own?.subject ?? '' }).click()
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    // The test of the claim makes the account a holder: the verdict depends on the tests that ran before.
    await page.getByText(new RegExp(`^${own?.subject ?? ''} is (not )?eligible`)).waitFor()
  })

  test('leads from an unknown id back to a list', async () => {
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

  test('sends an expired session to the sign-in, then back to the page', async () => {
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

    test('is the only user with access to the pages', async () => {
      const page = await open('/operator')
      await page.getByText('These pages are for operators.').waitFor()
      expect(await page.getByRole('link', { name: 'Plans and quotas' }).count()).toBe(0)
      await actAs(profile, issuer, operator)
      await page.reload()
      await page.getByRole('link', { name: 'Plans and quotas' }).waitFor()
    })

    test('approves exactly the revision of the app on the page', async () => {
      const form = {
        name: 'Board Games',
        purpose: 'Showing who leads',
        redirectUris: ['https://app.example.com/'],
        scopes: [],
      }
      const applied = await user.browser.call('POST', '/api/apps', form)
      const { clientId } = applied.json<{ clientId: string }>()
      const page = await open('/operator')
      await page.getByText('New apps to review').waitFor()
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

    test('creates a plan and assigns it to a token', async () => {
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
      await page.getByRole('combobox', { name: 'Account' }).fill(user.account.username)
      await page.getByRole('option', { name: user.account.username }).click()
      await page.getByLabel('Plan of backend', { exact: true }).selectOption('business')
      await page.getByRole('button', { name: 'Change plan of backend' }).click()
      await page.getByText('Requests per day (UTC): 50,000 · Tokens: 1').waitFor()
      await checkLooks(page, 'operator-plans')
    })

    test('runs a synchronization, and sees why it failed', async () => {
      const page = await open('/operator/syncs')
      await page.getByRole('button', { name: 'Sync now: Early swapper' }).click()
      await page.getByText(/^Failed once: /).waitFor()
      await checkLooks(page, 'operator-syncs')
    })

    test('counts a list, seals it and deletes the snapshot', async () => {
      const page = await open('/operator/snapshots')
      await page.getByText('No snapshots.').waitFor()
      const space = page.getByRole('combobox', { name: 'Space' })
      await space.fill('77777')
      await page.getByRole('option', { name: 'Use the ID 77777' }).click()
      await page.getByRole('button', { name: 'Preview', exact: true }).click()
      await page.getByText('The space 77777 does not exist.').waitFor()
      await space.fill('40')
      await page.getByRole('option', { name: 'Aurora Guild' }).click()
      await page.getByRole('button', { name: 'Preview', exact: true }).click()
      await page.getByText(/members · .* points · .* in the Merkle tree · .* left out/).waitFor()
      await page.getByRole('switch', { name: 'Public' }).click()
      await page.getByRole('button', { name: 'Create snapshot' }).click()
      await page.getByText('Sealing', { exact: true }).waitFor()
      const now = world.clock.now()
      const call = { now, agreedNow: async () => now, signal: new AbortController().signal }
      await snapshotJob({ ...world.deps, log: silentLog }).run(call)
      await page.getByText('Sealed', { exact: true }).waitFor()
      await page.getByText('Merkle root').waitFor()
      await checkLooks(page, 'operator-snapshots')
      const file = page.waitForEvent('download')
      await page.getByRole('link', { name: /as CSV$/ }).click()
      expect((await file).suggestedFilename()).toMatch(/^snapshot-[0-9a-f-]{36}\.csv$/)
      await page.getByRole('button', { name: /^Delete the snapshot of/ }).click()
      await page.getByRole('button', { name: 'Delete', exact: true }).last().click()
      await page.getByText('No snapshots.').waitFor()
    })

    test('filters the log by event, and sees the health of the installation', async () => {
      const page = await open('/operator/log')
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
