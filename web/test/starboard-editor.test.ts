import type { BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { type OperatorInBrowser, operatorInBrowser } from './operator-in-browser.ts'
import { actAs } from './signed-in.ts'

let started: OperatorInBrowser
let issuer: string
let profile: BrowserContext
let operator: SignedIn
let here: Visit

describe.skipIf(findChromium() === undefined)('an operator in a browser', () => {
  beforeAll(async () => {
    started = await operatorInBrowser()
    ;({ issuer, profile, operator } = started)
  })
  afterAll(() => started.close())
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  test('creates, changes and deletes a starboard', { timeout: 120_000 }, async () => {
    here = await visit(profile, `${issuer}/explore/starboards`)
    const { page } = here
    await page.getByRole('link', { name: 'New starboard' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Signal')
    await page.getByRole('textbox', { name: 'ID' }).fill('not an id')
    await page.getByRole('textbox', { name: 'Description of the reward' }).fill('Merch')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Use 1 to 100 letters, digits, _ or -.').waitFor()
    await page.getByRole('textbox', { name: 'ID' }).fill('signal')
    await page.getByRole('textbox', { name: 'Reward', exact: true }).fill('Prize')
    await page.getByRole('textbox', { name: 'Tags' }).fill('defi,  gaming ,')
    await checkLooks(page, 'content-new-starboard')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('“Signal” was created').waitFor()
    await page.getByRole('heading', { name: 'Signal', level: 1 }).waitFor()
    await page.getByText('gaming', { exact: true }).waitFor()

    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Signal two')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Changes saved').waitFor()
    await checkLooks(page, 'content-starboard')
    const stored = (await operator.browser.get('/api/starboards/signal')).json<Record<string, unknown>>()
    expect(stored).toMatchObject({ name: 'Signal two', tags: ['defi', 'gaming'], rewardName: 'Prize' })
    await page.getByRole('button', { name: 'Delete Signal two' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('“Signal two” was deleted').waitFor()
    expect((await operator.browser.get('/api/starboards/signal')).statusCode).toBe(404)
  })

  test('shows the form for new starboards to operators alone', async () => {
    await actAs(profile, issuer, await signedInBrowser(started.world.app))
    here = await visit(profile, `${issuer}/explore/starboards`)
    await here.page.getByRole('heading', { name: 'All starboards' }).waitFor()
    expect(await here.page.getByRole('link', { name: 'New starboard' }).count()).toBe(0)
    await actAs(profile, issuer, operator)
  })

  test('exports a space as a file, and deletes it after its name has been typed', async () => {
    const { spaceId } = (await operator.browser.call('POST', '/api/spaces', { name: 'Short lived' })).json<{
      spaceId: number
    }>()
    here = await visit(profile, `${issuer}/content/spaces/${spaceId}/settings`)
    const { page } = here
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as file' }).click()
    expect((await file).suggestedFilename()).toBe(`space-${spaceId}.json`)
    await page.getByRole('button', { name: 'Delete the space' }).click()
    const confirm = page.getByRole('button', { name: 'Delete permanently' })
    await page.getByRole('textbox', { name: 'Type Short lived to confirm' }).fill('Short')
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByRole('textbox', { name: 'Type Short lived to confirm' }).fill('Short lived')
    await checkLooks(page, 'content-delete-space')
    await confirm.click()
    await page.getByText('“Short lived” was deleted').waitFor()
    expect((await operator.browser.get(`/api/spaces/${spaceId}`)).statusCode).toBe(404)
  })

  test('keeps a date with a year of five digits as an error instead of a broken page', async () => {
    here = await visit(profile, `${issuer}/content/spaces/40`)
    const { page } = here
    await page.getByRole('button', { name: 'New sprint' }).click()
    const form = page.locator('form.inset')
    await form.getByRole('textbox', { name: 'Name' }).fill('Far away')
    await form.getByLabel('Start').fill('12026-11-01T00:00')
    await form.getByText('Enter a complete date and time').waitFor()
    await form.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Sprints' }).waitFor()
    expect(await form.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Far away')
    await form.getByLabel('Start').fill('2026-11-01T00:00')
    await form.getByLabel('End').focus()
    await page.keyboard.press('1')
    await page.keyboard.press('Tab')
    await form.getByText('Enter a complete date and time').waitFor()
    await form.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Sprints' }).waitFor()
    expect(await page.getByText('Far away (sprint').count()).toBe(0)
  })
})
