import type { BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { World } from '../../server/test/support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { settle, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { operatorInBrowser, type OperatorInBrowser } from './operator-in-browser.ts'

let world: World
let issuer: string
let close: OperatorInBrowser['close']
let profile: BrowserContext
let member: SignedIn

describe.skipIf(findChromium() === undefined)('people in a browser', () => {
  beforeAll(async () => {
    ;({ world, issuer, profile, close } = await operatorInBrowser())
    member = await signedInBrowser(world.app)
    await member.browser.call('POST', '/api/tokens', { name: 'Board of the guild' })
    const hook = { url: 'https://example.com/hook', events: ['points.awarded'], spaceIds: [40] }
    await member.browser.call('POST', '/api/webhooks', hook)
    const address = member.account.wallet.address
    await importRecords(world, 'awards', [{ key: 'people', spaceId: 40, address, points: 1200 }])
  })
  afterAll(() => close())

  test('keeps a reason if the account cannot be read again in the background', async () => {
    const { id } = (await signedInBrowser(world.app)).account
    const { page } = await visit(profile, `${issuer}/operator/people/${id}`)
    const reason = page.getByRole('textbox', { name: 'Reason (for operators)' })
    await reason.fill('Bots')
    await page.route(`**/api/operator/people/${id}`, (route) => route.fulfill({ status: 500, json: {} }))
    const reading = page.waitForResponse(`**/api/operator/people/${id}`)
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
    await reading
    await settle(page)
    expect(await reason.count()).toBe(1)
    expect(await reason.inputValue()).toBe('Bots')
    await page.close()
  })

  test('keeps a search for Back, reloads and shared links, but not for the link of the menu', async () => {
    const { page, complaints } = await visit(profile, `${issuer}/operator/people`)
    const { username } = member.account
    const field = page.getByRole('searchbox')
    await field.fill(username)
    await page.waitForURL(`${issuer}/operator/people?q=${username}`)
    await page.locator('main').getByRole('link', { name: username }).click()
    await page.getByRole('heading', { name: username, level: 1 }).waitFor()
    await page.goBack()
    await expect.poll(() => field.inputValue()).toBe(username)
    await page.reload()
    await expect.poll(() => page.locator('main .row').count()).toBe(1)
    expect(await field.inputValue()).toBe(username)
    await page.getByRole('navigation').getByRole('link', { name: 'People', exact: true }).first().click()
    await expect.poll(() => field.inputValue()).toBe('')
    await page.close()
    expect(complaints).toEqual([])
  })

  test('finds an account, suspends it, makes it an operator, exports and erases it', { timeout: 180_000 }, async () => {
    const { page, complaints } = await visit(profile, `${issuer}/operator/people`)
    const { username, wallet, id } = member.account
    await page.getByRole('link', { name: username }).waitFor()
    await checkLooks(page, 'operator-people')
    await page.getByRole('searchbox').fill(wallet.address)
    await expect.poll(() => page.locator('main .row').count()).toBe(1)
    await page.getByRole('link', { name: username }).click()
    await page.getByRole('heading', { name: username, level: 1 }).waitFor()
    await page.getByText('1,200 points').waitFor()
    await page.getByText('Board of the guild').waitFor()
    await checkLooks(page, 'operator-person-access')
    for (const [name, action, done] of [
      ['Revoke Board of the guild', 'Revoke', 'Board of the guild was revoked'],
      ['Delete the webhook to example.com', 'Delete', 'The webhook to example.com was deleted'],
    ] as const) {
      await page.getByRole('button', { name }).click()
      await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()
      await page.getByText(done).waitFor()
    }
    await page.getByText('No active tokens.').waitFor()
    await page.getByText('No webhooks.').waitFor()

    await page.getByRole('textbox', { name: 'Reason (for operators)' }).fill('Bots')
    await page.getByRole('button', { name: 'Suspend', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend', exact: true }).click()
    await page.getByText('Reason: Bots').waitFor()
    expect((await member.browser.get('/api/tokens')).statusCode).toBe(401)
    await checkLooks(page, 'operator-person')
    await page.getByRole('button', { name: 'End suspension' }).click()
    await page.getByText(`${username} is no longer suspended`).waitFor()

    await page.getByRole('button', { name: 'Make operator' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make operator' }).click()
    await page.getByRole('button', { name: 'Withdraw operator rights' }).waitFor()

    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download data' }).click()
    expect((await file).suggestedFilename()).toBe(`questboard-${username}.json`)
    await page.getByRole('link', { name: 'Log', exact: true }).last().click()
    await page.locator('main .row').getByText('Data of the account exported').waitFor()
    await page.goto(`${issuer}/operator/people/${id}`)
    await page.getByRole('button', { name: 'Delete account' }).click()
    await page.getByRole('textbox', { name: `Type ${username} to confirm` }).fill(username)
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText(`${username} was deleted`).waitFor()
    await expect.poll(() => page.getByRole('link', { name: username }).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('exports and erases an address that belongs to no account', async () => {
    await importRecords(world, 'awards', [{ key: 'gone', spaceId: 40, address: '@Gone', points: 5 }])
    const { page, complaints } = await visit(profile, `${issuer}/operator/people`)
    await page.getByRole('searchbox').fill('@Gone')
    await page.getByText('No account was found', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Data of an address' }).click()
    const address = page.getByRole('textbox', { name: 'Address, email address or handle' })
    await expect.poll(() => address.inputValue()).toBe('@Gone')
    expect(page.url()).toBe(`${issuer}/operator/people/address`)
    // A disabled button is grey, also one that deletes.
    const colourOf = (label: string) =>
      page.evaluate<string>(
        `getComputedStyle([...document.querySelectorAll('button')].find((one) => one.textContent === '${label}')).color`,
      )
    const red = await colourOf('Erase address')
    await address.fill('')
    const disabled = await colourOf('Download data')
    await expect.poll(() => colourOf('Erase address')).toBe(disabled)
    expect(disabled).not.toBe(red)
    await address.fill('@Gone')
    await expect.poll(() => colourOf('Erase address')).toBe(red)
    await address.fill('')
    await checkLooks(page, 'operator-address-empty')
    await address.fill(' @Gone ')
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download data' }).click()
    expect((await file).suggestedFilename()).toBe('questboard-address.json')
    await page.getByText(/^The file contains \d+ entr/).waitFor()
    await page.getByRole('button', { name: 'Erase address' }).click()
    await page.getByRole('textbox', { name: 'Type @Gone to confirm' }).fill('@Gone')
    await checkLooks(page, 'operator-address')
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText(/^The address was deleted from leaderboards \(1\)/).waitFor()
    const rows = await world.database.query("SELECT FROM board_entries WHERE address = 'gone'")
    expect(rows).toEqual([])
    expect(complaints).toEqual([])
  })

  test('invites an operator with a link that is shown once', async () => {
    const { page, complaints } = await visit(profile, `${issuer}/operator/people`)
    await page.getByRole('button', { name: 'Invite an operator' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText(/^Valid until /).waitFor()
    await checkLooks(page, 'operator-invite')
    const code = (await page.getByText(`${issuer}/operator-invitation#`).textContent())?.split('#')[1]
    const invited = await signedInBrowser(world.app)
    expect((await invited.browser.call('POST', '/api/operator/invitations/accept', { code })).statusCode).toBe(204)
    await page.getByRole('button', { name: 'Done' }).click()
    await expect.poll(() => page.getByText(`${issuer}/operator-invitation#`).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
