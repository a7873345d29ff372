import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setOperator } from '../../server/src/accounts/account.queries.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { NOW, startWorld, type World } from '../../server/test/support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { openBrowser, openProfile, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'

const settings = {
  QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
  QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
}

let world: World
let issuer: string
let browser: Browser
let profile: BrowserContext
let member: SignedIn

describe.skipIf(findChromium() === undefined)('bans in a browser', () => {
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
    const operator = await signedInBrowser(world.app)
    await setOperator(world.database.kysely, operator.account.id, new Date(NOW))
    await actAs(profile, issuer, operator)
    member = await signedInBrowser(world.app)
    const address = member.account.wallet.address
    await importRecords(world, 'awards', [{ key: 'bans', spaceId: 40, address, points: 1200 }])
  })
  afterAll(async () => {
    await browser.close()
    await world.stop()
  })

  test('bans an account after showing its boards, counts and lifts the ban', { timeout: 180_000 }, async () => {
    const { username, wallet, id } = member.account
    const { page, complaints } = await visit(profile, `${issuer}/operator/bans`)
    await page.getByText('No bans.').waitFor()
    await page.getByRole('textbox', { name: 'Address or handle', exact: true }).fill('0xmistyped')
    await page.getByText('Not on any leaderboard. Check the spelling.').waitFor()
    await page.getByLabel('Ban', { exact: true }).selectOption('account')
    await page.getByRole('textbox', { name: 'Username or ID' }).fill(username)
    await page.getByText(/^The ban covers 1 address. Has points in 1 space: .* \(40\)$/).waitFor()
    await page.getByRole('textbox', { name: 'Reason (for operators)' }).fill('Several accounts')
    await page.getByLabel('Until').fill('2026-11-24T12:00')
    await page.getByRole('button', { name: 'Ban', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Ban', exact: true }).click()
    await page.getByText(`${username} is banned`).waitFor()
    await page.getByText('Ends soon').waitFor()
    const onBoard = () =>
      world.database.query('SELECT FROM board_entries WHERE space_id = 40 AND address = lower($1)', [wallet.address])
    expect(await onBoard()).toEqual([])
    await checkLooks(page, 'operator-bans')

    await page.goto(`${issuer}/operator`)
    await page.getByRole('link', { name: 'Bans that end within a week: 1' }).waitFor()
    await page.goto(`${issuer}/operator/people/${id}`)
    await page.getByText('Several accounts').waitFor()
    await page.getByRole('button', { name: `Lift the ban of ${username}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Lift', exact: true }).click()
    await page.getByText(`The ban of ${username} was lifted`).waitFor()
    expect(await onBoard()).toHaveLength(1)
    expect(complaints).toEqual([])
  })
})
