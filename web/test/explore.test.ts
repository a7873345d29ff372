import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { HOUR, MINUTE } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { refreshStarboard } from '../../server/src/ranking/starboards/refresh.ts'
import { setSource } from '../../server/src/sync/set-source.ts'
import { encodePng } from '../../server/test/support/png.ts'
import { evmNode, NOBODY } from '../../server/test/support/evm-node.ts'
import { HOLDER_OF_BOTH, HOLDER_OF_ONE, MAIN_QUEST, NOW } from '../../server/test/support/fixture.ts'
import { startUpstream } from '../../server/test/support/upstream.ts'
import { type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { type PersonInBrowser, personInBrowser } from './person-in-browser.ts'
import { actAs } from './signed-in.ts'

let { world, issuer, profile, person, close } = {} as PersonInBrowser
let here: Visit

describe.skipIf(findChromium() === undefined)('Explore in a browser', () => {
  beforeAll(async () => {
    ;({ world, issuer, profile, person, close } = await personInBrowser({ QUESTBOARD_OUTGOING_HOSTS: '127.0.0.1' }))
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

  test('lists the public spaces, starboards, credentials and quests for everyone', async () => {
    const page = await open('/explore')
    await page
      .locator('.entry-columns')
      .getByText(/^\d+ members$/)
      .first()
      .waitFor()
    for (const [kind, facts] of [
      ['spaces', /\d+ members · ID 40$/],
      ['starboards', /\d+ ranked users · ID 1$/],
      ['credentials', /\d holders? · ID 500$/],
      ['quests', /\d participants?/],
    ] as const) {
      await page.goto(`${issuer}/explore/${kind}`)
      await page.locator('.rows .row').getByText(facts).first().waitFor()
      await checkLooks(page, `explore-${kind}`)
    }
    for (const kind of ['spaces', 'quests']) {
      await page.goto(`${issuer}/explore/${kind}`)
      await page.getByLabel('Search by name').fill('nothing is called so')
      await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
      await page.getByRole('status').getByText('No results', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Clear the search' }).click()
      await page.locator('.rows .row').nth(1).waitFor()
    }
  })

  test('lists active quests above a newer quest that has not started', async () => {
    await importRecords(world.deps, 'quests', [
      { id: 'GCnextweek', spaceId: 40, name: 'Next week', type: 'Drop', startTime: new Date(NOW + 7 * 24 * HOUR) },
    ])
    const page = await open('/explore/spaces/40')
    const listed = async () => (await page.locator('.rows .row').allInnerTexts()).map((row) => row.split('\n').at(-1))
    await expect.poll(listed).toEqual(['Active', 'Active', 'Not started', 'Not started', 'Not started'])
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
    const rowHeights = `[...document.querySelectorAll('.ranking tr')].map((row) => row.getBoundingClientRect().height)`
    const scores = page.locator('.ranking tbody td:nth-child(3)')
    for (const text of await scores.allInnerTexts()) expect(text).toMatch(/\.\d\d$/)
    const score = scores.first()
    for (const width of [600, 360, 320]) {
      await page.setViewportSize({ width, height: 800 })
      expect(Math.max(...(await page.evaluate<number[]>(rowHeights))), String(width)).toBeLessThan(44)
      const { x = 0, width: ofScore = width } = (await score.boundingBox()) ?? {}
      const table = await page.locator('.wide-table').boundingBox()
      expect(x + ofScore, String(width)).toBeLessThanOrEqual((table?.x ?? 0) + (table?.width ?? 0))
    }
    await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
    const widths = `[...document.querySelectorAll('.ranking-user')].map((cell) => cell.getBoundingClientRect().width)`
    expect(Math.min(...(await page.evaluate<number[]>(widths))), 'with a text of double size').toBeGreaterThan(150)
    await page.evaluate(`document.documentElement.style.fontSize = ''`)
    await page.getByLabel('Search by X handle').fill('nobody_here')
    await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
    await page.getByText('Twitter user not found').waitFor()
    await page.getByLabel('Search by X handle').fill('@alice_a')
    await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
    await page.locator('.ranking').getByText('@Alice_A').waitFor()
    expect(await page.locator('.ranking tbody tr').count()).toBe(1)
  })

  test('renders only the rows of a long ranking near the window', async () => {
    const sampledAt = new Date(NOW - HOUR)
    const samples = Array.from({ length: 120 }, (_, place) => ({ handle: `user_${place}`, score: 1000 - place }))
    await importRecords(world.deps, 'starboards', [{ id: 'long', name: 'Long', type: 'TWITTER' }])
    await importRecords(
      world.deps,
      'samples',
      samples.map((sample) => ({ starboardId: 'long', sampledAt, ...sample })),
    )
    await refreshStarboard(world.deps, 'long')
    const page = await open('/explore/starboards/long')
    const rows = page.locator('.ranking .ranking-user')
    await page.getByText('50 of 120').waitFor()
    for (const shown of [100, 120]) {
      await page.locator('.next-page').last().scrollIntoViewIfNeeded()
      await page.getByText(`${shown} of 120`).waitFor()
    }
    await page.setViewportSize({ width: 1280, height: 300 })
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)')
    await page.locator('.windowed').first().waitFor({ state: 'attached' })
    expect(await rows.count()).toBeLessThan(samples.length)
    await rows.last().getByText('@user_119').waitFor()
    const height = await page.evaluate('document.documentElement.scrollHeight')
    await page.evaluate('window.scrollTo(0, 0)')
    await rows.first().getByText('@user_0').waitFor()
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(height)
  })

  test('shows whether an address holds a credential, and whether the result is reliable', async () => {
    const page = await open('/explore/credentials/500')
    await page.getByRole('combobox', { name: 'Address or identity' }).fill(HOLDER_OF_BOTH)
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText(`${HOLDER_OF_BOTH} holds this credential.`).waitFor()
    await checkLooks(page, 'explore-credential')
    await page.getByRole('combobox', { name: 'Address or identity' }).fill('0x12')
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
    await importRecords(deps, 'spaces', [{ spaceId: 4141, name: 'Guides' }])
    await importRecords(deps, 'credentials', [
      { id: '590', name: 'Pass', credType: 'EVM_ADDRESS', credSource: 'CSV' },
      { id: '591', name: 'Coin', credType: 'EVM_ADDRESS', credSource: 'WALLET_BALANCE' },
    ])
    const asset = { erc20: node.contract, startBlock: 1 }
    await setSource(deps, '591', { kind: 'WALLET_BALANCE', rpcUrl: rpc.url, minimum: '1', asset })
    await importRecords(deps, 'quests', [
      {
        id: 'GCclaim001',
        spaceId: 4141,
        name: 'Claim me',
        type: 'Points',
        loyaltyPoints: 7,
        credentialGroups: [
          {
            id: 'g1',
            name: 'Passes',
            conditionRelation: 'ALL',
            conditions: [
              { expression: 'Hold a pass', credentialId: '590' },
              { expression: 'Own a coin', credentialId: '591' },
            ],
            rewards: [{ expression: 'Role of a guide', rewardType: 'DISCORDROLE', rewardCount: 1 }],
          },
        ],
      },
    ])
    const page = await open('/explore/quests/GCclaim001')
    await page.getByRole('region', { name: 'Rewards' }).getByText('Role of a guide').waitFor()
    await page.getByText('Hold a pass · not met').waitFor()
    expect(await page.getByRole('region', { name: 'Check eligibility' }).isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: 'Complete quest' }).isDisabled()).toBe(true)
    const check = page.getByRole('button', { name: 'Check now: Own a coin' })
    await check.click()
    await page.getByText('Checked now; still not met.').waitFor()
    // The action is in the first window of a phone.
    await page.setViewportSize({ width: 360, height: 800 })
    await page.evaluate('window.scrollTo(0, 0)')
    const { y = 0, height = 0 } = (await check.boundingBox()) ?? {}
    expect(y + height).toBeLessThan(800)
    await page.setViewportSize({ width: 1280, height: 800 })
    await checkLooks(page, 'explore-quest-claim')
    node.moves = [{ block: 3, from: NOBODY, to: person.account.wallet.address.toLowerCase(), value: 1n }]
    world.clock.advance(MINUTE)
    await check.click()
    await check.waitFor({ state: 'detached' })
    const met = page.locator('.condition-met')
    await met.getByText('Own a coin · met').waitFor()
    const missing = page.getByRole('list').filter({ hasText: 'Hold a pass' })
    expect(await missing.getByRole('listitem').count()).toBe(1)
    await page.getByText('Hold a pass · not met').waitFor()
    await checkLooks(page, 'explore-quest-conditions')
    await importRecords(deps, 'holders', [{ credentialId: '590', address: person.account.wallet.address }])
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('Conditions met: Passes').waitFor()
    await page.getByText('One step is left: complete the quest.').waitFor()
    expect(await page.getByText(/^Still missing/).count()).toBe(0)
    expect((await met.allInnerTexts()).map((text) => text.trim())).toEqual(['Hold a pass · met', 'Own a coin · met'])
    await page.getByRole('button', { name: 'Complete quest', disabled: false }).click()
    await page.getByText('You received 7 points.').waitFor()
    const next = page.getByRole('region', { name: 'Next quests' })
    await next.getByText('You have completed all open quests of this space.').waitFor()
    await importRecords(
      deps,
      'quests',
      [1, 2, 3, 4].map((n) => ({ id: `GCnext000${n}`, spaceId: 4141, name: `Next ${n}`, type: 'Points' })),
    )
    await page.reload()
    await page.getByText('You have completed this quest').waitFor()
    await next.getByText('Next 3').waitFor()
    expect(await next.getByRole('listitem').getByRole('link').allTextContents()).toEqual(['Next 1', 'Next 2', 'Next 3'])
    await checkLooks(page, 'explore-quest-completed')
    const logo = encodePng(192, 192, [18, 120, 130, 255])
    await world.database.query("UPDATE spaces SET logo = $1, logo_version = 'v1' WHERE space_id = 4141", [logo])
    await world.database.query("INSERT INTO space_pages VALUES (4141, 'guides', now())")
    await page.goto(`${issuer}/explore/quests`)
    const row = (name: string) => page.getByRole('listitem').filter({ hasText: name })
    await row('Claim me').getByText('Completed').waitFor()
    await row('Next 1').getByText('Active').waitFor()
    await row('Next 1').locator('img[src="/s/guides/logo.png?v=v1"]').waitFor()
    await checkLooks(page, 'explore-quests')
    const search = page.getByRole('search', { name: 'Quests' })
    await search.getByRole('searchbox', { name: 'Search by name' }).fill('claim')
    await search.getByRole('button', { name: 'Search' }).click()
    await page.getByText('1 shown').waitFor()
    await row('Claim me').getByText('Guides · 7 points · 1 participant').waitFor()
    await row('Claim me').locator('img[src="/s/guides/logo.png?v=v1"]').waitFor()
    await row('Claim me').getByText('Completed').waitFor()
    await checkLooks(page, 'explore-quests-found')
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Expired')
    await page.getByText('No results').waitFor()
    expect(new URL(page.url()).search).toBe('?q=claim&status=Expired')
    await page.goBack()
    await page.getByText('1 shown').waitFor()
    await row('Claim me').getByRole('link', { name: 'Claim me' }).click()
    await page.getByRole('heading', { level: 1, name: 'Claim me' }).waitFor()
    await page.goBack()
    await page.reload()
    await page.getByText('1 shown').waitFor()
    expect(await search.getByRole('searchbox').inputValue()).toBe('claim')
    await search.getByRole('searchbox').fill('')
    await row('Next 1').waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.goBack()
    await page.getByText('1 shown').waitFor()
    expect(await search.getByRole('searchbox').inputValue()).toBe('claim')
    await page.goto(`${issuer}/explore/quests?q=%20%20`)
    await row('Next 1').waitFor()
  })

  test('shows the rule of a quest that an address fails', async () => {
    const page = await open(`/explore/quests/${MAIN_QUEST}`)
    const community = page.locator('.page-heading').getByRole('link', { name: 'Aurora Guild' })
    expect(await community.getAttribute('href')).toBe('/explore/spaces/40')
    await page.getByText('Check an address, and the query of this page').click()
    await page.getByRole('combobox', { name: 'Address or identity' }).fill(HOLDER_OF_BOTH)
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText(`${HOLDER_OF_BOTH} is eligible.`).waitFor()
    // The number of rewards is 0 for an address that is not eligible, and this list is not about an address.
    const rewards = page.getByRole('region', { name: 'Rewards' }).getByRole('listitem')
    expect(await rewards.allTextContents()).toEqual(['Aurora NFT', '25 points', 'OAT'])
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
    await page.getByText('Check an address, and the query of this page').click()
    await page.getByText('The quest is not active. Status: Full').waitFor()
    await page.getByText('All 5 places are taken.').waitFor()
    await page.goto(`${issuer}/explore/quests/GCdraft001`)
    await page.getByText('Quest not found').waitFor()
  })

  test('checks the linked address of the account first, and suggests the others', async () => {
    const session = (await person.browser.get('/api/session')).json<{
      account: { identities: { subject: string }[] }
    }>()
    const [own] = session.account.identities
    const page = await open(`/explore/quests/${MAIN_QUEST}`)
    await page.getByText('Check an address, and the query of this page').click()
    const field = page.getByRole('combobox', { name: 'Address or identity' })
    await field.waitFor()
    // The sections above the field would move it while its suggestions are open.
    await page.waitForLoadState('networkidle')
    expect(await field.inputValue()).toBe(own?.subject)
    await field.fill('')
    await page.getByRole('option', { name: own?.subject ?? '' }).click()
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText(`${own?.subject ?? ''} is not eligible`).waitFor()
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
    for (const path of [
      'spaces/999999',
      'spaces/abc',
      'spaces/999999/points',
      'spaces/999999/new-quest',
      'spaces/999999/new-credential',
      'credentials/999999',
      'quests/GCnothing',
    ]) {
      await page.goto(`${issuer}/content/${path}`)
      await page.getByRole('heading', { name: / not found$/ }).waitFor()
      await page.getByRole('main').getByRole('link', { name: 'Your spaces' }).last().click()
      await page.waitForURL(`${issuer}/content`)
    }
  })

  test('offers to try again if a proxy, not the service, rejects the read of an object', async () => {
    const page = await open('/explore')
    await page.route(/\/api\/(query|spaces\/40)$/, (route) =>
      route.fulfill({ status: 404, contentType: 'text/html', body: '<h1>404</h1>' }),
    )
    for (const path of ['/content/spaces/40', '/explore/spaces/40', '/explore/quests/GCnothing']) {
      await page.goto(issuer + path)
      await page.getByRole('main').getByText('The service responded with HTTP status 404.').first().waitFor()
      await page.getByRole('main').getByRole('button', { name: 'Try again' }).first().waitFor()
    }
  })

  test('asks for another sign-in when the session has ended, then leads back to the page', async () => {
    const page = await open('/explore/spaces/40?sprint=1')
    await page.getByText(/of \d+ members$/).waitFor()
    await page.waitForLoadState('networkidle')
    await profile.clearCookies()
    await page.getByLabel('Status').selectOption('Active')
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
    await page.reload()
    await page.waitForURL(/\/sign-in\?return=%2Fexplore%2Fspaces%2F40%3Fsprint%3D1%26status%3DActive$/)
    await actAs(profile, issuer, person)
    await page.reload()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(`${issuer}/explore/spaces/40?sprint=1&status=Active`)
    await page.goto(`${issuer}/settings/server-api`)
    await page.waitForLoadState('networkidle')
    await profile.clearCookies()
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
    await page.reload()
    await page.waitForURL(/\/sign-in\?return=%2Fsettings%2Fserver-api%2Fusage$/)
    await actAs(profile, issuer, person)
    await page.goto(`${issuer}/account`)
    await page.waitForLoadState('networkidle')
    await profile.clearCookies()
    const list = `${issuer}/explore/spaces?q=tea+%26+%2541`
    await page.goto(list)
    await page.waitForURL(/\/sign-in\?/)
    await actAs(profile, issuer, person)
    await page.reload()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(list)
    await expect.poll(() => page.getByRole('searchbox', { name: 'Search by name' }).inputValue()).toBe('tea & %41')
    // Pictures that come into view after the end of the session get 401.
    here.complaints = here.complaints.filter((complaint) => !/^401 .*\/api\/avatars/.test(complaint))
  })
})
