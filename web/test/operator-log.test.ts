import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { type OperatorInBrowser, operatorInBrowser } from './operator-in-browser.ts'

let { world, issuer, profile, operator, close } = {} as OperatorInBrowser
let user: SignedIn
let here: Visit

describe.skipIf(findChromium() === undefined)('the log of operators in a browser', () => {
  beforeAll(async () => {
    ;({ world, issuer, profile, operator, close } = await operatorInBrowser())
    user = await signedInBrowser(world.app)
  })
  afterAll(() => close())
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const open = async (path: string) => {
    here = await visit(profile, issuer + path)
    return here.page
  }

  test('the log tells what an account did, with links to the objects', async () => {
    const call = async (path: string, body: object) =>
      (await operator.browser.call('POST', path, body)).json<{ spaceId: number }>()
    const { spaceId } = await call('/api/spaces', { name: 'Harbour' })
    await call(`/api/spaces/${spaceId}/awards`, { address: 'ann', points: 25, reason: 'Meetup' })
    const page = await open('/operator/log')
    const rows = page.locator('.rows .row')
    const awarded = rows.filter({ hasText: 'Awarded 25 points in the space Harbour' })
    await awarded.waitFor()
    expect(await awarded.innerText()).not.toContain('manual-')
    await checkLooks(page, 'operator-log-sentences')
    const created = rows.filter({ hasText: 'Created the space Harbour' })
    await created.getByRole('link', { name: 'space Harbour' }).click()
    await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor()
  })

  test('the log names banned members, files and spaces of snapshots, and says which part of a profile changed', async () => {
    const call = (method: 'POST' | 'PATCH', path: string, body: object) => operator.browser.call(method, path, body)
    const { account } = user
    await call('POST', '/api/operator/bans', { account: account.username, spaceId: 40, reason: 'Bots' })
    await call('POST', '/api/operator/snapshots', { spaceId: 40, sprintId: 1 })
    await call('PATCH', '/api/profile', { isPublic: true })
    await call('PATCH', '/api/profile', { isPublic: false, avatar: 'https://img.example/a.png' })
    await call('PATCH', '/api/profile', { avatar: '' })
    const id = '00000000-0000-4000-8000-0000000000e1'
    await world.database.query(
      `INSERT INTO imports (import_id, account_id, file_name, replaces, state, created_at, ended_at, touched_at)
       VALUES ($1, $2, 'march.csv', false, 'stored', $3, $3, $3)`,
      [id, operator.account.id, new Date(world.clock.now())],
    )
    await world.database.query(
      `INSERT INTO security_events (account_id, happened_at, event_id, event, address, details)
       VALUES ($1, $2, $3, 'import.confirmed', '', $4)`,
      [operator.account.id, new Date(world.clock.now()), id, { import: id }],
    )
    const page = await open('/operator/log')
    const row = (text: string) => page.locator('.rows .row').filter({ hasText: text }).first()
    await row('Ban created').getByRole('link', { name: account.username }).waitFor()
    await row('Ban created').getByRole('link', { name: 'space Aurora Guild' }).waitFor()
    const sealed = row('Created a snapshot of the sprint 1space Aurora Guild · all snapshots')
    expect(await sealed.getByRole('link', { name: 'all snapshots' }).getAttribute('href')).toBe(
      '/content/spaces/40/snapshots',
    )
    const file = row('Import confirmed').getByRole('link', { name: 'march.csv' })
    expect(await file.getAttribute('href')).toBe(`/operator/import/${id}`)
    for (const text of ['Profile made public', 'Profile changednot shown on leaderboards', 'Profile picture removed'])
      await row(text).waitFor()
    await checkLooks(page, 'operator-log-names')
    await page.goto(`${issuer}/account/security`)
    await row('Profile made public').waitFor()
    await row('Ban created').getByRole('link', { name: 'ban', exact: true }).waitFor()
    for (const text of await page.locator('.rows .row-main').allInnerTexts())
      expect(text).not.toMatch(/\n\s*·|·\s*$|\btrue\b/)
    await checkLooks(page, 'account-security-names')
  })

  test('the log names quests, credentials, apps, webhooks and tokens, with links, until they are deleted', async () => {
    const { browser, account } = operator
    const create = async (path: string, body: object) =>
      (await browser.call('POST', path, body)).json<{ id: string; clientId: string }>()
    const quest = await create('/api/quests', { name: 'Say hello', spaceId: 40, type: 'Drop' })
    const guests = { name: 'Guests', credSource: 'CSV', credType: 'EVM_ADDRESS', curatorSpaceId: 40 }
    const credential = await create('/api/credentials', guests)
    const hook = { url: 'https://hooks.example/secret', events: ['points.awarded'], spaceIds: [40] }
    const webhook = await create('/api/webhooks', hook)
    const tea = {
      name: 'Tea app',
      purpose: 'Tests',
      redirectUris: ['https://tea.example/done'],
      scopes: ['EVMAddress'],
    }
    const { clientId } = await create('/api/apps', tea)
    await create('/api/apps', { ...tea, name: 'Milk app' })
    await create('/api/tokens', { name: 'Board of tea' })
    const page = await open('/operator/log')
    const rows = page.locator('.rows .row')
    const linkIn = (event: string, name: string) =>
      rows.filter({ hasText: event }).getByRole('link', { name, exact: true })
    const hrefs = {
      'Created the quest Say hello': ['quest Say hello', `/content/quests/${quest.id}`],
      'Created the credential Guests': ['credential Guests', `/content/credentials/${credential.id}`],
      'Webhook added': ['hooks.example', `/operator/people/${account.id}`],
      'Server token created': ['Board of tea', `/operator/people/${account.id}`],
      'App submitted for review': ['Tea app', `/operator/apps?app=${clientId}`],
    } as const
    for (const [event, [name, href]] of Object.entries(hrefs))
      expect(await linkIn(event, name).getAttribute('href')).toBe(href)
    await checkLooks(page, 'operator-log-objects')
    await linkIn('App submitted for review', 'Tea app').click()
    await page.getByRole('region', { name: 'Tea app' }).waitFor()
    const other = page.getByRole('region', { name: 'Milk app' })
    expect(await other.count()).toBe(0)
    await checkLooks(page, 'operator-apps-one')
    await page.getByRole('button', { name: 'Show all apps' }).click()
    await other.waitFor()
    expect(new URL(page.url()).search).toBe('')

    await browser.call('DELETE', `/api/quests/${quest.id}`)
    await browser.call('DELETE', `/api/webhooks/${webhook.id}`)
    await browser.call('DELETE', `/api/apps/${clientId}`)
    await page.goto(`${issuer}/operator/log`)
    await rows.filter({ hasText: `Deleted the quest ${quest.id}` }).waitFor()
    await rows.filter({ hasText: `Webhook added` }).filter({ hasText: webhook.id }).waitFor()
    expect(await rows.getByRole('link', { name: /Say hello|hooks\.example|Tea app/ }).count()).toBe(0)
  })

  test('names changed fields and kinds of sources as their forms do', async () => {
    const { browser } = operator
    const stored = (await browser.call('POST', '/api/quests', { name: 'Climb', spaceId: 40, type: 'Drop' })).json<{
      id: string
      version: string
    }>()
    const changes = { cap: 9, autoStatus: true, version: stored.version }
    expect((await browser.call('PATCH', `/api/quests/${stored.id}`, changes)).statusCode).toBe(200)
    await world.database.query(
      `INSERT INTO security_events (account_id, happened_at, event_id, event, address, details)
       VALUES ($1, $2, gen_random_uuid(), 'sync.source-set', '', '{"kind": "VISIT_LINK"}')`,
      [operator.account.id, new Date(world.clock.now())],
    )
    const credential = { name: 'Pass', credType: 'EVM_ADDRESS', credSource: 'CSV' }
    const made = (await browser.call('POST', '/api/credentials', credential)).json<{ id: string; version: string }>()
    const chain = { chain: 'BASE', version: made.version }
    expect((await browser.call('PATCH', `/api/credentials/${made.id}`, chain)).statusCode).toBe(200)
    const page = await open('/operator/log')
    const ofCredential = page.locator('.rows .row').filter({ hasText: 'Changed the credential Pass' })
    expect(await ofCredential.innerText()).toMatch(/Chain/)
    const changed = page.locator('.rows .row').filter({ hasText: 'Changed the quest Climb' })
    expect(await changed.innerText()).toMatch(/Maximum participants/)
    expect(await changed.innerText()).not.toMatch(/cap|autoStatus/)
    await page.locator('.rows .row').getByText('Visit to a page').waitFor()
  })

  test('names a starboard whose id has a hyphen', async () => {
    const board = { id: 'tea-board', name: 'Tea board', type: 'TWITTER' }
    await operator.browser.call('POST', '/api/starboards', board)
    await world.database.query(
      `INSERT INTO security_events (account_id, happened_at, event_id, event, address, details)
       VALUES ($1, $2, gen_random_uuid(), 'starboard.published', '', $3)`,
      [operator.account.id, new Date(world.clock.now()), { starboard: board.id }],
    )
    const page = await open('/operator/log')
    const row = page.locator('.rows .row').filter({ hasText: 'Public page of a starboard published' })
    expect(await row.getByRole('link', { name: 'starboard Tea board' }).getAttribute('href')).toBe(
      '/content/starboards/tea-board',
    )
  })

  test('returns to both filters with one step back after they were cleared', async () => {
    const page = await open(`/operator/log?account=${user.account.id}&event=webhook.created`)
    await page.getByRole('button', { name: 'Show all events' }).click()
    await page.waitForURL(`${issuer}/operator/log`)
    await page.locator('.rows .row').first().waitFor()
    await page.goBack()
    await page.waitForURL(`${issuer}/operator/log?account=${user.account.id}&event=webhook.created`)
  })
})
