import type { BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { World } from '../../server/test/support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { encodePng } from '../../server/test/support/png.ts'
import { prove } from '../../server/test/identity/wallet-proof.ts'
import { type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { operatorInBrowser, type OperatorInBrowser } from './operator-in-browser.ts'
import { actAs } from './signed-in.ts'
import { spaceTab } from './space-tab.ts'

let world: World
let issuer: string
let close: OperatorInBrowser['close']
let profile: BrowserContext
let operator: SignedIn
let here: Visit

describe.skipIf(findChromium() === undefined)('content in a browser', () => {
  beforeAll(async () => {
    ;({ world, issuer, profile, close, operator } = await operatorInBrowser())
  })
  afterAll(() => close())
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  test('leads from no space to a quest on a public page', { timeout: 240_000 }, async () => {
    here = await visit(profile, `${issuer}/content`)
    const { page } = here
    await page.getByRole('button', { name: 'New space' }).click()
    await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('Name *')
    await page.keyboard.type('Crème Straße & Co.')
    await page.getByRole('button', { name: 'Use “creme-strasse-co”' }).click()
    expect(await page.getByRole('textbox', { name: 'Public page' }).inputValue()).toBe('creme-strasse-co')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Meridian')
    await page.getByRole('textbox', { name: 'Public page' }).fill('My space!')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Use 1 to 40 characters: a to z, 0 to 9, and hyphens between them.').waitFor()
    expect(await page.getByRole('textbox', { name: 'Public page' }).inputValue()).toBe('my-space!')
    await page.getByRole('textbox', { name: 'Public page' }).fill('meridian')
    await checkLooks(page, 'content-new-space')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Meridian', level: 1 }).waitFor()
    const space = page.url()
    const spaceId = Number(space.split('/').at(-1))
    const standings = page.locator('.page-heading .mantine-Badge-root')
    await expect.poll(() => standings.allInnerTexts()).toEqual(['Owner', 'Operator'])
    await page.getByText('With a sprint, the points').waitFor()
    const steps = page.getByRole('region', { name: 'Next steps' })
    const undone = () => steps.getByRole('list').getByRole('link').allTextContents()
    await steps.getByText('1 of 4 done').waitFor()
    expect(await undone()).toEqual(['Create a credential', 'Create a quest', 'Invite your team'])
    await steps.getByText('Publish the public page (done)').waitFor()
    await checkLooks(page, 'content-space-empty')
    await steps.getByRole('link', { name: 'Invite your team' }).click()
    await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('Invite as')
    await spaceTab(page, 'Overview').click()
    await steps.getByRole('link', { name: 'Create a quest' }).click()
    await page.getByRole('heading', { name: 'New quest', level: 1 }).waitFor()
    await page.goBack()

    await page.getByRole('button', { name: 'New sprint' }).click()
    await page.locator('form.inset').getByRole('textbox', { name: 'Name' }).fill('Season one')
    await page.locator('form.inset').getByLabel('Start').fill('2026-11-01T00:00')
    await page.locator('form.inset').getByLabel('End').fill('2026-10-31T00:00')
    await page.locator('form.inset').getByRole('button', { name: 'Create' }).click()
    await page.getByText('The end is before the start.').waitFor()
    await page.locator('form.inset').getByLabel('End').fill('2026-12-01T00:00')
    await page.locator('form.inset').getByRole('button', { name: 'Create' }).click()
    await page.getByRole('paragraph').getByText('Season one (sprint 1)').waitFor()

    for (const name of ['Early member', 'Night owl']) {
      await page.getByRole('link', { name: /^(Create a|New) credential$/ }).click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
      await page.getByRole('combobox', { name: 'Verified by' }).selectOption('LIST')
      const link = page.getByRole('textbox', { name: 'Link for members' })
      await link.fill('javascript:alert(1)')
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByText('Enter an address that begins with https:// or http://.').waitFor()
      await link.fill('https://meridian.example/how')
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
      if (name === 'Early member') await checkLooks(page, 'content-credential')
      await page.goto(space)
    }
    await steps.getByRole('link', { name: 'Invite your team' }).click()
    await page.getByRole('button', { name: 'Create invitation link' }).click()
    const link = await page.getByText(`${issuer}/team-invitation#`).textContent()
    await page.getByText('Open invitation').waitFor()
    await checkLooks(page, 'content-space-settings')
    await page.getByRole('button', { name: 'Done' }).click()
    await spaceTab(page, 'Overview').click()
    await steps.getByText('3 of 4 done').waitFor()
    expect(await undone()).toEqual(['Create a quest'])
    await checkLooks(page, 'content-space')

    const member = await signedInBrowser(world.app)
    await actAs(profile, issuer, member)
    await page.goto(link ?? '')
    await page
      .getByText(`Join the team of Meridian as Editor? You are signed in as ${member.account.username}.`)
      .waitFor()
    await checkLooks(page, 'team-invitation')
    await page.getByRole('button', { name: 'Join the team' }).click()
    await page.getByRole('link', { name: 'Open the space' }).click()
    await spaceTab(page, 'Settings').click()
    await page.getByRole('button', { name: 'Leave' }).waitFor()
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['Team'])
    await actAs(profile, issuer, operator)
    await page.goto(`${issuer}/content`)
    await page
      .getByRole('listitem')
      .filter({ hasText: /Public page \/s\/\w+ · 0 members · 0 quests · ID \d+/ })
      .waitFor()
    // Operators may edit all spaces, so rows name only other roles.
    expect(await page.locator('.rows .mantine-Badge-root').count()).toBe(0)
    await checkLooks(page, 'content-spaces')
    await page.goto(`${space}/settings`)
    await page.getByRole('combobox', { name: `Role of ${member.account.username}` }).selectOption('admin')
    await page.getByText(`New role of ${member.account.username}: Admin`).waitFor()
    await page.getByRole('button', { name: 'Transfer ownership' }).click()
    await page.getByRole('combobox', { name: 'New owner' }).fill(member.account.username)
    await page.getByRole('option', { name: member.account.username }).click()
    await page.locator('form.inset').getByRole('button', { name: 'Transfer ownership' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Transfer ownership' }).click()
    await page.getByText('The space has a new owner').waitFor()
    await expect
      .poll(() => page.getByRole('listitem').filter({ hasText: 'Owner' }).allTextContents())
      .toEqual([`${member.account.username}Owner`])

    const address = '0x00000000000000000000000000000000000000e1'
    const { items } = (await operator.browser.get(`/api/credentials?spaceId=${spaceId}&search=Early`)).json<{
      items: { id: string }[]
    }>()
    await importRecords(world, 'holders', [{ credentialId: items[0]?.id, address }])

    await spaceTab(page, 'Overview').click()
    await page.getByRole('link', { name: 'Create a quest' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Light the beacon')
    await checkLooks(page, 'content-new-quest-empty')
    expect(await page.getByRole('button', { name: /group$/ }).count()).toBe(0)
    expect(await page.getByRole('combobox', { name: 'Gas fees' }).isVisible()).toBe(false)
    await page.getByRole('combobox', { name: 'Type' }).selectOption('Airdrop: tokens')
    await page.getByRole('combobox', { name: 'Chain' }).waitFor()
    await page.getByRole('combobox', { name: 'Type' }).selectOption('Points')
    expect(await page.getByRole('combobox', { name: 'Gas fees' }).isVisible()).toBe(false)
    await page.getByText('More settings').click()
    const chain = page.getByRole('combobox', { name: 'Chain' })
    const notice = page.getByText(
      '“foochain” is not a chain of the list. Members complete the quest with an EVM address.',
    )
    await chain.fill('foochain')
    await notice.waitFor()
    await chain.fill('ethereum')
    await notice.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add condition' }).click()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('Choose a credential', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Add condition' }).click()
    for (const [index, name] of ['Early member', 'Night owl'].entries()) {
      await page.getByRole('combobox', { name: 'Credential' }).nth(index).fill(name)
      await page.getByRole('option', { name }).click()
    }
    await page.getByRole('textbox', { name: 'Wallet address, email address or handle' }).fill(address)
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('Group 1: Early member').waitFor()
    expect(await page.getByRole('listitem').filter({ hasText: 'Group 1:' }).allTextContents()).toEqual([
      'Group 1: Early membermet',
      'Group 1: Night owlnot met',
    ])
    await page.getByRole('button', { name: 'Add reward' }).click()
    await checkLooks(page, 'content-new-quest')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('This quest is a draft.').waitFor()
    expect(await page.getByRole('combobox', { name: 'Chain' }).inputValue()).toBe('ethereum')
    expect(await page.getByRole('combobox', { name: 'Chain' }).isVisible()).toBe(true)
    await checkLooks(page, 'content-quest')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByText('Members get no points for this quest.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Points for completion').fill('25')
    await page.getByRole('textbox', { name: 'Description' }).first().fill('Not saved yet')
    await page.getByText('Save your changes before you publish.').waitFor()
    expect(await page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true)
    const asked = page.waitForEvent('dialog')
    const leaving = page.getByRole('link', { name: 'Explore', exact: true }).click()
    const question = await asked
    expect(question.message()).toBe('Leave this page? Your changes are not saved.')
    await question.dismiss()
    await leaving
    expect(await page.getByRole('textbox', { name: 'Description' }).first().inputValue()).toBe('Not saved yet')
    const save = page.getByRole('button', { name: 'Save' })
    await save.click()
    await page.getByText('Changes saved').waitFor()
    await save.and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText('“Light the beacon” is published').waitFor()
    expect(await page.locator('.page-heading .mantine-Badge-root').getAttribute('style')).toContain('teal')

    await profile.clearCookies()
    await page.goto(`${issuer}/s/meridian`)
    await page.getByRole('link', { name: /Light the beacon/ }).click()
    await page.getByText('Night owl').waitFor()
    await actAs(profile, issuer, operator)
  })

  test('keeps the input and offers the current values after a change by another person', async () => {
    const { spaceId } = (
      await operator.browser.call('POST', '/api/spaces', { name: 'Shared', description: 'Before' })
    ).json<{ spaceId: number }>()
    here = await visit(profile, `${issuer}/content/spaces/${spaceId}/settings`)
    const { page } = here
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Mine')
    const { version } = (await operator.browser.get(`/api/spaces/${spaceId}`)).json<{ version: string }>()
    await operator.browser.call('PATCH', `/api/spaces/${spaceId}`, { version, name: 'Theirs' })
    // The page reads the space again when its tab is shown.
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    await page.getByRole('heading', { name: 'Theirs', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Another person has changed this').waitFor()
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Mine')
    await page.getByRole('button', { name: 'Load current values' }).click()
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await expect.poll(() => name.inputValue()).toBe('Theirs')
    expect(await page.getByText('Another person has changed this').count()).toBe(0)
  })

  test('keeps the input, hidden, when the session has ended, until the same account signs in', async () => {
    const { spaceId } = (await operator.browser.call('POST', '/api/spaces', { name: 'Interrupted' })).json<{
      spaceId: number
    }>()
    here = await visit(profile, `${issuer}/content/spaces/${spaceId}/settings`)
    const { page } = here
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.fill('Continued')
    await world.database.query('DELETE FROM sessions WHERE account_id = $1', [operator.account.id])
    // Another request of the page can notice the end first, and the button is hidden then.
    await page.locator('button[type=submit]', { hasText: 'Save' }).dispatchEvent('click')
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
    await name.waitFor({ state: 'hidden' })
    await checkLooks(page, 'session-ended')
    const opened = profile.waitForEvent('page')
    await page.getByRole('link', { name: 'Sign in again' }).click()
    const tab = await opened
    const { wallet } = operator.account
    await prove(operator.browser, { kind: 'EVMAddress', address: wallet.address }, ({ message }) => ({
      signature: wallet.sign(message),
    }))
    await actAs(profile, issuer, operator)
    await tab.goto(`${issuer}/signed-in`).catch(() => {})
    await name.waitFor()
    expect(await name.inputValue()).toBe('Continued')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Continued', level: 1 }).waitFor()
  })

  test('explains to an account without a team how it gets one', async () => {
    await actAs(profile, issuer, await signedInBrowser(world.app))
    here = await visit(profile, `${issuer}/content`)
    await here.page.getByText('You are not in any team yet').waitFor()
    expect(await here.page.getByRole('button', { name: 'New space' }).count()).toBe(0)
    await checkLooks(here.page, 'content-none')
    await actAs(profile, issuer, operator)
  })

  test('seals the board of a space', async () => {
    const left = 'inj1cml96vmptgw99syqrrz8az79xer2pcgp0a885r'
    await importRecords(world, 'points', [{ spaceId: 40, address: left, points: 1_000_000, username: 'Lou' }])
    here = await visit(profile, `${issuer}/content/spaces/40`)
    const { page } = here
    await spaceTab(page, 'Snapshots').click()
    await page.getByText('No snapshots', { exact: true }).waitFor()
    await page.getByLabel('List').selectOption('Participants of a quest')
    expect(await page.getByRole('button', { name: 'Preview', exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('List').selectOption('Leaderboard of a space')
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await page.getByText(/members · .* points · .* in the Merkle tree/).waitFor()
    await page.getByText('The snapshot has the points of this time, even if they change before it is sealed.').waitFor()
    const first = page.getByRole('table', { name: /^The first 20 of / }).getByRole('row')
    expect(await first.nth(1).getByRole('cell').allInnerTexts()).toEqual([
      '1',
      expect.stringContaining(left),
      '1,000,000',
    ])
    expect(await first.nth(1).innerText()).toContain('No EVM address: not in the Merkle tree')
    const [time = ''] = /(?<=as of ).*/.exec(await page.getByText(/, as of /).innerText()) ?? []
    await page.getByRole('textbox', { name: 'Note' }).fill('Rewards of the first season')
    await checkLooks(page, 'content-snapshots')
    await page.getByRole('button', { name: 'Create snapshot' }).click()
    await page.getByText('Sealing', { exact: true }).waitFor()
    await page.getByRole('listitem').getByText('Rewards of the first season').waitFor()
    await page.getByText(`As of ${time}`).waitFor()
  })

  test('finds the quest of a list by its ID if the quests do not fit on a page', async () => {
    here = await visit(profile, `${issuer}/content/spaces/40`)
    const { page } = here
    const quests = '**/api/quests?*'
    await spaceTab(page, 'Snapshots').click()
    await page.route(quests, (route) => route.fulfill({ status: 500, body: '' }))
    await page.getByLabel('List').selectOption('Participants of a quest')
    const again = page.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    expect(await page.getByText('This space has no quests yet.').count()).toBe(0)
    await page.unroute(quests)
    await page.route(quests, (route) =>
      route.fulfill({ json: { items: [{ id: 'GCone', name: 'One' }], next: 'GCone' } }),
    )
    await again.click()
    await page.getByRole('combobox', { name: 'Quest' }).fill('GCnone')
    await page.getByRole('option', { name: 'Use the ID GCnone' }).click()
    await checkLooks(page, 'content-snapshots-quest')
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await page.getByText('Quest: “GCnone” does not exist.').waitFor()
  })

  test('ends, hides and shows a published quest, and lists its participants', async () => {
    const member = `0x${'ab'.repeat(20)}`
    const quest = { id: 'GCended001', spaceId: 40, name: 'Night watch', type: 'Points', status: 'Active' } as const
    await importRecords(world, 'quests', [{ ...quest, autoStatus: true }])
    await importRecords(world, 'points', [{ spaceId: 40, address: member, points: 3, username: 'Mara' }])
    await importRecords(world, 'participants', [{ questId: quest.id, address: member }])
    here = await visit(profile, `${issuer}/content/quests/${quest.id}`)
    const { page } = here
    await page.getByRole('link', { name: '1 participant' }).click()
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search')
    await page.keyboard.type('mar')
    const list = page.getByRole('region', { name: 'Participants' })
    await list.getByRole('button', { name: 'Search' }).click()
    await list
      .getByRole('listitem')
      .filter({ hasText: /^Mara.* · imported0xabab/ })
      .waitFor()
    expect(new URL(page.url()).search).toBe('?q=mar')
    await page.reload()
    await list.getByText('Mara').waitFor()
    expect(await list.getByRole('searchbox').inputValue()).toBe('mar')
    const download = page.waitForEvent('download')
    await list.getByRole('link', { name: 'Download CSV' }).click()
    expect((await download).suggestedFilename()).toBe('participants-GCended001.csv')
    await checkLooks(page, 'content-quest-participants')
    await list.getByRole('searchbox').fill('nobody')
    await list.getByRole('button', { name: 'Search' }).click()
    await list.getByText('No participant matches the search.').waitFor()

    const publication = page.getByRole('region', { name: 'Publication' })
    const confirm = async (action: string) => {
      await publication.getByRole('button', { name: action }).click()
      await page.getByRole('dialog').getByRole('button', { name: action }).click()
    }
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Changed')
    expect(await publication.getByRole('button', { name: 'End now' }).isDisabled()).toBe(true)
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(quest.name)
    await confirm('End now')
    await publication.getByText(/^The quest ended at /).waitFor()
    await checkLooks(page, 'content-quest-ended')
    expect(await page.getByLabel('End', { exact: true }).inputValue()).not.toBe('')
    await page.getByLabel('End', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await publication.getByRole('button', { name: 'End now' }).waitFor()
    await confirm('Make private')
    await publication.getByText('Only the team of the space can see this quest.').waitFor()
    await confirm('Make public')
    await publication.getByText('Everyone can see this quest.').waitFor()
  })

  test('explains the status of a fixed quest, and offers no publication of a deleted one', async () => {
    const quest = { spaceId: 40, type: 'Points', endTime: '2026-11-02T10:00:00Z' } as const
    await importRecords(world, 'quests', [
      { ...quest, id: 'GCfixed001', name: 'Fixed', status: 'Expired' },
      { ...quest, id: 'GCgone0001', name: 'Gone', status: 'Deleted' },
    ])
    here = await visit(profile, `${issuer}/content/quests/GCfixed001`)
    const { page } = here
    await page.getByText('The quest has ended. An import or the API set this status').waitFor()
    await page.goto(`${issuer}/content/quests/GCgone0001`)
    await page.getByRole('region', { name: 'Participants' }).waitFor()
    expect(await page.getByRole('region', { name: 'Publication' }).count()).toBe(0)
  })

  test('opens an ended quest again with a start in the future', async () => {
    const quest = { id: 'GClater001', spaceId: 40, name: 'Later', type: 'Points', autoStatus: true } as const
    await importRecords(world, 'quests', [{ ...quest, status: 'Expired', endTime: '2026-11-02T10:00:00Z' }])
    here = await visit(profile, `${issuer}/content/quests/${quest.id}`)
    const { page } = here
    await page.getByLabel('Start', { exact: true }).fill('2099-01-01T10:00')
    await page.getByLabel('End', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Not started', { exact: true }).waitFor()
  })

  test('warns that a search did not look at every participant', async () => {
    const quest = { id: 'GCwide0001', spaceId: 40, name: 'Wide', type: 'Points', status: 'Active' } as const
    await importRecords(world, 'quests', [quest])
    await importRecords(world, 'participants', [{ questId: quest.id, address: `0x${'ab'.repeat(20)}` }])
    here = await visit(profile, `${issuer}/content/quests/${quest.id}`)
    const { page } = here
    await page.route(/\/participants\?search=wide/, (route) =>
      route.fulfill({ json: { items: [], next: null, complete: false } }),
    )
    const list = page.getByRole('region', { name: 'Participants' })
    await list.getByRole('searchbox').fill('wide')
    await list.getByRole('button', { name: 'Search' }).click()
    await list.getByText('The search did not look at every participant.').waitFor()
    expect(await list.getByText('No participant matches the search.').count()).toBe(0)
  })

  test('uploads the logo of a space, shows it on the public page, and removes it', async () => {
    const made = await operator.browser.call('POST', '/api/spaces', { name: 'Harbour Club', slug: 'harbour-club' })
    here = await visit(profile, `${issuer}/content/spaces/${made.json<{ spaceId: number }>().spaceId}/settings`)
    const { page } = here
    const logo = page.getByRole('group', { name: 'Logo' })
    await logo
      .locator('input[type=file]')
      .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: encodePng(300, 200, [18, 120, 130, 255]) })
    await logo.getByRole('button', { name: 'Remove picture' }).waitFor()
    const widthOf = (selector: string) =>
      page.evaluate<number>(
        `(async (image) => (await image.decode(), image.naturalWidth))(document.querySelector('${selector}'))`,
      )
    expect(await widthOf('img.space-logo')).toBe(192)
    await checkLooks(page, 'content-space-logo')
    await page.goto(`${issuer}/s/harbour-club`)
    expect(await widthOf('.space-heading img.space-logo')).toBe(192)
    await checkLooks(page, 'public-space-logo')
    await page.goBack()
    await logo.getByRole('button', { name: 'Remove picture' }).click()
    await logo.getByRole('button', { name: 'Remove picture' }).waitFor({ state: 'detached' })
    await page.goto(`${issuer}/s/harbour-club`)
    await page.getByRole('heading', { name: 'Harbour Club', level: 1 }).waitFor()
    expect(await page.locator('img.space-logo').count()).toBe(0)
  })
})
