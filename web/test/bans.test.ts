import { createHash } from 'node:crypto'
import type { BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FRESH_SIGN_IN } from '../../server/src/lifetimes.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { World } from '../../server/test/support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { prove } from '../../server/test/identity/wallet-proof.ts'
import { visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'
import { operatorInBrowser, type OperatorInBrowser } from './operator-in-browser.ts'

/** A member without a name, and the short ID that boards show for it. */
const NAMELESS = `0x${'9'.repeat(40)}`
const SHORT_ID = createHash('md5').update(NAMELESS).digest('hex').slice(0, 10)

let world: World
let issuer: string
let close: OperatorInBrowser['close']
let profile: BrowserContext
let member: SignedIn
let operator: SignedIn

describe.skipIf(findChromium() === undefined)('bans in a browser', () => {
  beforeAll(async () => {
    ;({ world, issuer, profile, operator, close } = await operatorInBrowser())
    member = await signedInBrowser(world.app)
    const address = member.account.wallet.address
    await importRecords(world, 'awards', [
      { key: 'bans', spaceId: 40, address, points: 1200 },
      { key: 'nameless', spaceId: 40, address: NAMELESS, points: 9_000_000 },
    ])
  })
  afterAll(() => close())

  test('bans an account after showing its boards, counts and lifts the ban', { timeout: 180_000 }, async () => {
    const { username, wallet, id } = member.account
    const { page, complaints } = await visit(profile, `${issuer}/operator/bans`)
    await page.getByText('No bans', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'Address or handle', exact: true }).fill('0xmistyped')
    await page.getByText('Has no points in any space. Check the spelling.').waitFor()
    await page.getByRole('combobox', { name: 'Ban', exact: true }).selectOption('account')
    await page.getByRole('combobox', { name: 'Account', exact: true }).fill(username)
    await page.getByRole('option', { name: username }).waitFor()
    await page.getByRole('combobox', { name: 'Ban', exact: true }).selectOption('address')
    await page.getByRole('textbox', { name: 'Address or handle', exact: true }).fill(username)
    await page.getByText(`An account has the username ${username}.`).waitFor()
    await checkLooks(page, 'operator-bans-username')
    await page.getByRole('button', { name: 'Choose the account' }).click()
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

  test('leads an operator from a member of a board without a name to the ban of its address', async () => {
    const { page, complaints } = await visit(profile, `${issuer}/operator/bans`)
    const address = page.getByRole('textbox', { name: 'Address or handle', exact: true })
    await address.fill(SHORT_ID)
    await page.getByText(/If this is the short ID of a leaderboard/).waitFor()
    await checkLooks(page, 'operator-bans-short-id')
    await address.fill('')
    await page.goto(`${issuer}/content/spaces/40/leaderboard`)
    await page.getByRole('button', { name: SHORT_ID }).click()
    const link = page.getByRole('link', { name: 'Ban this member' })
    await link.waitFor()
    await checkLooks(page, 'leaderboard-ban-member')
    await link.click()
    await expect.poll(() => address.inputValue()).toBe(NAMELESS)
    await page.getByText(/^Has points in 1 space: .* \(40\)$/).waitFor()
    await page.getByRole('button', { name: 'Remove Aurora Guild' }).waitFor()
    await page.getByRole('textbox', { name: 'Reason (for operators)' }).fill('Bot')
    await page.getByRole('button', { name: 'Ban', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Ban', exact: true }).click()
    await page.getByText(`${NAMELESS} is banned`).waitFor()
    await actAs(profile, issuer, member)
    await page.goto(`${issuer}/explore/spaces/40?member=${member.account.wallet.address.toLowerCase()}`)
    await page.getByText('Percentile').waitFor()
    expect(await link.count()).toBe(0)
    await actAs(profile, issuer, operator)
    await page.close()
    expect(complaints).toEqual([])
  })

  test('asks with the whole address before the ban', async () => {
    const address = `0x${'6f'.repeat(20)}`
    const { page } = await visit(profile, `${issuer}/operator/bans`)
    await page.getByRole('textbox', { name: 'Address or handle', exact: true }).fill(address)
    await page.getByRole('textbox', { name: 'Reason (for operators)' }).fill('Bots')
    await page.getByRole('button', { name: 'Ban', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(address).waitFor()
    const isCut = (element: { scrollWidth: number; clientWidth: number }) => element.scrollWidth > element.clientWidth
    expect(await dialog.evaluate(isCut)).toBe(false)
    await page.close()
  })

  test('takes a half entered end as an error, and keeps the form when a new sign-in is needed', async () => {
    const { page, complaints } = await visit(profile, `${issuer}/operator/bans`)
    const name = page.getByRole('textbox', { name: 'Address or handle', exact: true })
    await name.fill('bots@example.com')
    await page.getByRole('textbox', { name: 'Reason (for operators)' }).fill('Many accounts')
    await page.getByLabel('Until').focus()
    await page.keyboard.press('1')
    await page.keyboard.press('Tab')
    await page.getByText('Enter a complete date and time').waitFor()
    expect(await page.getByRole('button', { name: 'Ban', exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('Until').fill('12026-12-01T12:00')
    expect(await page.getByRole('button', { name: 'Ban', exact: true }).isDisabled()).toBe(true)
    await checkLooks(page, 'operator-bans-bad-end')
    await page.getByLabel('Until').fill('2026-12-01T12:00')

    world.clock.advance(FRESH_SIGN_IN + 1)
    await page.getByRole('button', { name: 'Ban', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Ban', exact: true }).click()
    const opened = profile.waitForEvent('page')
    await page.getByRole('link', { name: 'Sign in again' }).click()
    const tab = await opened
    await tab.waitForURL(/sign-in\?return=%2Fsigned-in/)
    await tab.getByText(/^You are signed in as/).waitFor()
    expect(await tab.getByRole('button', { name: 'Continue' }).count()).toBe(0)
    const { wallet } = operator.account
    await prove(operator.browser, { kind: 'EVMAddress', address: wallet.address }, ({ message }) => ({
      signature: wallet.sign(message),
    }))
    await actAs(profile, issuer, operator)
    await tab.goto(`${issuer}/signed-in`).catch(() => {})
    await page.getByText('You are signed in again. Repeat the action.').waitFor()
    expect(await name.inputValue()).toBe('bots@example.com')
    expect(await page.getByRole('textbox', { name: 'Reason (for operators)' }).inputValue()).toBe('Many accounts')
    expect(await page.getByLabel('Until').inputValue()).toBe('2026-12-01T12:00')
    await page.getByRole('button', { name: 'Ban', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Ban', exact: true }).click()
    await page.getByText('bots@example.com is banned').waitFor()
    expect(complaints).toEqual([])
  })
})
