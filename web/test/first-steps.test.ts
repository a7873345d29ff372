import type { BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { World } from '../../server/test/support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { operatorInBrowser, type OperatorInBrowser } from './operator-in-browser.ts'
import { actAs } from './signed-in.ts'
import { spaceTab } from './space-tab.ts'

let world: World
let issuer: string
let close: OperatorInBrowser['close']
let profile: BrowserContext
let operator: SignedIn
let here: Visit

describe.skipIf(findChromium() === undefined)('the next steps of a space in a browser', () => {
  beforeAll(async () => {
    ;({ world, issuer, profile, close, operator } = await operatorInBrowser())
  })
  afterAll(() => close())
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  test('stay until all are done, or until the user hides them', async () => {
    const made = await operator.browser.call('POST', '/api/spaces', { name: 'Lighthouse' })
    const { spaceId } = made.json<{ spaceId: number }>()
    here = await visit(profile, `${issuer}/content/spaces/${spaceId}`)
    const { page } = here
    const steps = page.getByRole('region', { name: 'Next steps' })
    await steps.getByText('0 of 4 done').waitFor()
    const guide = await steps.getByRole('link', { name: 'Guide: your first quest' }).getAttribute('href')
    expect(await (await fetch(`${issuer}${guide}`)).text()).toContain('Your first quest in the browser')
    // The steps lead to the forms, so the empty lists do not.
    const sections = page.getByRole('main').getByRole('heading', { level: 2 })
    expect(await sections.allInnerTexts()).toEqual(['Next steps', 'Sprints'])
    const focused = () => page.evaluate('document.activeElement.labels?.[0]?.textContent')
    await steps.getByRole('link', { name: 'Publish the public page' }).click()
    await expect.poll(focused).toBe('Address of the page')
    expect(await sections.allInnerTexts()).toEqual([
      'Name and logo',
      'Team',
      'Public page',
      'Export',
      'Delete the space',
    ])
    expect(await page.getByRole('textbox', { name: 'Address of the page' }).inputValue()).toBe('lighthouse')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('The public page is online').waitFor()
    await spaceTab(page, 'Overview').click()
    await steps.getByText('1 of 4 done').waitFor()
    await steps.getByRole('link', { name: 'Invite your team' }).click()
    await expect.poll(focused).toBe('Invite as')
    await page.getByRole('button', { name: 'Create invitation link' }).click()
    await page.getByRole('button', { name: 'Copy' }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await spaceTab(page, 'Overview').click()
    await steps.getByText('2 of 4 done').waitFor()

    await importRecords(world, 'credentials', [
      { id: '9711', name: 'Keepers', credType: 'EVM_ADDRESS', credSource: 'CSV', curatorSpaceId: spaceId },
    ])
    await page.reload()
    await steps.getByText('3 of 4 done').waitFor()
    await importRecords(world, 'quests', [{ id: 'GClight', spaceId, name: 'Light', type: 'Points' }])
    await page.reload()
    await page.getByRole('link', { name: 'Light', exact: true }).waitFor()
    expect(await steps.count()).toBe(0)

    const other = await operator.browser.call('POST', '/api/spaces', { name: 'Breakwater' })
    await page.goto(`${issuer}/content/spaces/${other.json<{ spaceId: number }>().spaceId}`)
    await steps.getByRole('button', { name: 'Hide' }).click()
    await steps.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Quests')
    await page.reload()
    await page.getByText('No quests yet.').waitFor()
    expect(await steps.count()).toBe(0)
  })

  test('are those that the role allows, until the space has two quests', async () => {
    const made = await operator.browser.call('POST', '/api/spaces', { name: 'Jetty' })
    const { spaceId } = made.json<{ spaceId: number }>()
    const invited = await operator.browser.call('POST', `/api/spaces/${spaceId}/team/invitations`, { role: 'editor' })
    const code = new URL(invited.json<{ url: string }>().url).hash.slice(1)
    const editor = await signedInBrowser(world.app)
    expect((await editor.browser.call('POST', '/api/team-invitations/accept', { code })).statusCode).toBe(200)
    await actAs(profile, issuer, editor)
    onTestFinished(() => actAs(profile, issuer, operator))
    here = await visit(profile, `${issuer}/content/spaces/${spaceId}`)
    const { page } = here
    const steps = page.getByRole('region', { name: 'Next steps' })
    await steps.getByText('0 of 2 done').waitFor()
    expect(await steps.getByRole('listitem').getByRole('link').allInnerTexts()).toEqual([
      'Create a credential',
      'Create a quest',
    ])
    const quest = (id: string) => ({ id, spaceId, name: `Light ${id}`, type: 'Points' as const })
    await importRecords(world, 'quests', [quest('GCj1')])
    await page.reload()
    await steps.getByText('1 of 2 done').waitFor()
    await importRecords(world, 'quests', [quest('GCj2')])
    await page.reload()
    await page.getByRole('link', { name: 'Light GCj2', exact: true }).waitFor()
    expect(await steps.count()).toBe(0)
  })
})
