import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { NOW, startWorld, type World } from '../../server/test/support/fixture.ts'
import { signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { testWallet } from '../../server/test/support/oauth-wallet.ts'
import { encodePng } from '../../server/test/support/png.ts'
import { openBrowser, openProfile } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs, injectWallet } from './signed-in.ts'

const SPACE = 9001
const QUEST = 'GCmyquest1'
const wallet = testWallet()
const address = wallet.address.toLowerCase()

let world: World
let issuer: string
let browser: Browser

describe.skipIf(findChromium() === undefined)('My quests in a browser', () => {
  beforeAll(async () => {
    const port = await freePort()
    issuer = `http://localhost:${port}`
    const settings = {
      QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
      QUESTBOARD_PUBLIC_URL: issuer,
    }
    world = await startWorld({ port, settings })
    const { deps, database } = world
    await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Harbour' }])
    const logo = encodePng(192, 192, [18, 120, 130, 255])
    await database.query("UPDATE spaces SET logo = $1, logo_version = 'v1' WHERE space_id = $2", [logo, SPACE])
    await database.query("INSERT INTO space_pages VALUES ($1, 'harbour', now())", [SPACE])
    await importRecords(deps, 'credentials', [
      {
        id: '9101',
        name: 'Crew',
        credType: 'EVM_ADDRESS',
        credSource: 'CSV',
        referenceLink: 'http://example.com/crew',
      },
    ])
    await importRecords(deps, 'credentials', [
      { id: '9102', name: 'Swimmers', credType: 'EVM_ADDRESS', credSource: 'CSV' },
    ])
    await importRecords(
      deps,
      'holders',
      ['9101', '9102'].map((credentialId) => ({ credentialId, address })),
    )
    await importRecords(deps, 'quests', [
      {
        id: QUEST,
        spaceId: SPACE,
        name: 'Sail out',
        type: 'Points',
        loyaltyPoints: 50,
        chain: 'ETHEREUM',
        credentialGroups: [
          {
            id: 'g1',
            name: 'Crew',
            conditionRelation: 'ALL',
            conditions: [
              { expression: 'Be on the crew list', credentialId: '9101' },
              { expression: 'Be able to swim', credentialId: '9102' },
            ],
            rewards: [],
          },
        ],
      },
    ])
    // Others have no conditions, so they would be ready.
    await database.query('UPDATE quests SET is_private = true WHERE quest_id <> $1', [QUEST])
    await importRecords(deps, 'points', [
      { spaceId: SPACE, address, points: 20 },
      { spaceId: SPACE, address: '0x00000000000000000000000000000000000000aa', points: 60 },
      { spaceId: SPACE, address: '0x00000000000000000000000000000000000000bb', points: 30 },
    ])
    await database.query(
      `INSERT INTO rank_days (space_id, sprint_id, address, day, rank, points)
       SELECT $1, 0, $2, ($3::timestamptz AT TIME ZONE 'UTC')::date - age, rank, 20
       FROM (VALUES (12, 7), (8, 6), (7, 3), (2, 5)) AS days (age, rank)`,
      [SPACE, address, new Date(NOW)],
    )
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await world.stop()
  })

  it('leads from a new account to a linked wallet, a completed quest and its points', async () => {
    const profile = await openProfile(browser, { width: 1440, scheme: 'light' })
    await profile.clock.setFixedTime(NOW)
    await injectWallet(profile, { name: 'Test Wallet', wallet })
    const page = await profile.newPage()
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    const devtools = await profile.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    const reads: (string | null)[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname === '/api/my/quests') reads.push(searchParams.get('state'))
    })
    await page.goto(`${issuer}/my`)
    await page.getByText('Sign in to see your ranks and the quests that you can complete.').waitFor()
    await page.getByRole('button', { name: 'New here? Create a passkey' }).click()

    await page.getByText('You are not on a leaderboard yet').waitFor()
    // Nothing is ready or almost done, so the page opens on the first list with a quest.
    await page.getByText('Open a quest to see what is missing.').waitFor()
    expect(reads).toEqual(['ready', 'almost', 'open'])
    const states = page.getByRole('radiogroup', { name: 'Quests by progress' })
    expect(await states.getByRole('radio', { name: 'Other' }).isChecked()).toBe(true)
    await states.getByText('Ready').click()
    await page.getByText('No quest is ready for you now').waitFor()
    expect(await page.getByText('You meet all conditions of these quests.').count()).toBe(0)
    await page.getByRole('button', { name: 'Show other quests' }).click()
    const quest = page.getByRole('listitem').filter({ hasText: 'Sail out' })
    await expect.poll(() => quest.locator('img').getAttribute('src')).toBe('/s/harbour/logo.png?v=v1')
    await quest.getByRole('button', { name: 'Sail out' }).click()
    await quest.getByText('This quest needs a wallet address of its chain. You have not linked one.').waitFor()
    expect(await quest.getByRole('button', { name: 'Complete quest' }).isDisabled()).toBe(true)

    // One button for the quest and both conditions.
    await quest.getByText('Be on the crew list · not met · link EVM wallet above').waitFor()
    await quest.getByText('Be able to swim · not met · link EVM wallet above').waitFor()
    expect(await quest.getByRole('button', { name: /wallet/i }).allTextContents()).toEqual(['Link EVM wallet'])
    await checkLooks(page, 'my-quests-to-link')
    await quest.getByRole('button', { name: 'Link EVM wallet' }).click()
    await quest.getByRole('button', { name: 'Test Wallet' }).click()
    await quest.getByText(`The points go to ${address}.`).waitFor()
    await page.getByRole('list').getByText('Rank 3').waitFor()
    await quest.getByRole('button', { name: 'Complete quest', disabled: false }).click()
    await quest.getByText('You received 50 points.').waitFor()

    await page.getByText('Rank 1', { exact: true }).waitFor()
    await page.getByText('up 2 places in 7 days').waitFor()
    const change = page.getByRole('region', { name: 'Points history' }).getByRole('listitem').first()
    await change.getByText('+50').waitFor()
    await change.getByText('Quest completed: Sail out').waitFor()
    await checkLooks(page, 'my-quests')
    await page.setViewportSize({ width: 360, height: 800 })
    const control = "document.querySelector('.quest-states')"
    await expect.poll(() => page.evaluate(`${control}.scrollWidth - ${control}.clientWidth`)).toBe(0)

    await page.getByText('Completed', { exact: true }).click()
    await page.getByText(/Completed .*2026/).waitFor()
    await page.getByRole('link', { name: 'Harbour' }).click()
    await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor()
    expect(errors).toEqual([])
  })

  it('opens on a quest that is ready behind a hundred newer ones that are not', async () => {
    const quest = { spaceId: SPACE, type: 'Points' } as const
    const crew = {
      name: 'Crew',
      conditionRelation: 'ALL' as const,
      conditions: [{ expression: 'Be on the crew list', credentialId: '9101' }],
      rewards: [],
    }
    // Quests of one time are in the order of their IDs.
    await importRecords(world.deps, 'quests', [
      ...Array.from({ length: 101 }, (_, n) => ({
        ...quest,
        id: `GCmya${n}`,
        name: `Crew ${n}`,
        credentialGroups: [{ ...crew, id: `crew${n}` }],
      })),
      { ...quest, id: 'GCmyz', name: 'Old harbour' },
    ])
    const profile = await openProfile(browser, { width: 1440, scheme: 'light' })
    await profile.clock.setFixedTime(NOW)
    await actAs(profile, issuer, await signedInBrowser(world.app))
    const page = await profile.newPage()
    await page.goto(`${issuer}/my`)
    await page.getByRole('button', { name: 'Old harbour' }).waitFor()
    const states = page.getByRole('radiogroup', { name: 'Quests by progress' })
    expect(await states.getByRole('radio', { name: 'Ready' }).isChecked()).toBe(true)
  })
})
