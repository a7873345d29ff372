import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { setOperator } from '../../server/src/accounts/account.queries.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { setSource } from '../../server/src/sync/set-source.ts'
import { NOW, startWorld, type World } from '../../server/test/support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { openBrowser, openProfile, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'
import { spaceTab } from './space-tab.ts'

const settings = {
  QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
  QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
}
const SPACE = 940
const addressOf = (n: number) => `0x${String(n).padStart(40, '0')}`

let world: World
let issuer: string
let browser: Browser
let profile: BrowserContext
let operator: SignedIn
let here: Visit

describe.skipIf(findChromium() === undefined)('the rules of a space in a browser', () => {
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
    operator = await signedInBrowser(world.app)
    await setOperator(world.database.kysely, operator.account.id, new Date(NOW))
    await actAs(profile, issuer, operator)
    await importRecords(world, 'spaces', [{ spaceId: SPACE, name: 'Meridian' }])
    await importRecords(world, 'credentials', [
      { id: 94_000, name: 'Early member', credType: 'EVM_ADDRESS', credSource: 'CSV', curatorSpaceId: SPACE },
      { id: 94_001, name: 'Staker', credType: 'EVM_ADDRESS', credSource: 'REST', curatorSpaceId: SPACE },
    ])
    await setSource(world.deps, '94001', {
      kind: 'EVM_EVENT',
      rpcUrl: 'https://rpc.example.org/',
      contract: addressOf(1),
      event: 'event Staked(address indexed user, uint256 amount)',
      member: 'user',
      amount: 'amount',
      startBlock: 1,
    })
    await importRecords(world, 'quests', [
      { id: 'GCbeacon', spaceId: SPACE, name: 'Light the beacon', type: 'Drop', loyaltyPoints: 25 },
    ])
    await importRecords(
      world,
      'awards',
      [120, 80, 1_500, 60, 45].map((points, n) => ({
        key: `order-${n}`,
        spaceId: SPACE,
        address: addressOf(n + 1),
        points,
      })),
    )
  })
  afterAll(async () => {
    await browser.close()
    await world.stop()
  })
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const path = `/content/spaces/${SPACE}`
  const versions = async () =>
    (await operator.browser.get(`/api/spaces/${SPACE}/rules/versions`)).json<{ versions: { version: number }[] }>()
      .versions
  const points = async () =>
    Object.fromEntries(
      (
        await world.database.query<{ address: string; points: number }>(
          `SELECT address, points FROM board_entries WHERE space_id = ${SPACE} AND sprint_id = 0 ORDER BY address`,
        )
      ).map((row) => [Number(row.address), row.points]),
    )

  test('an admin writes, compares, publishes and replays them in forms', { timeout: 240_000 }, async () => {
    here = await visit(profile, issuer + path)
    const { page } = here
    const logged: string[] = []
    page.on('console', (message) => message.type() === 'error' && logged.push(message.text()))
    await spaceTab(page, 'Rules').click()
    await page.getByRole('heading', { name: 'Meridian – Rules', level: 1 }).waitFor()
    await page.getByText('No rules yet').waitFor()
    await checkLooks(page, 'rules-empty')
    expect(logged).toEqual([])

    await page.getByRole('button', { name: 'Add rule' }).click()
    expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe('Rule type')
    await page.getByRole('combobox', { name: 'Quests' }).fill('beacon')
    await page.getByRole('option', { name: 'Light the beacon' }).click()
    await page.getByRole('combobox', { name: 'Limit for a member' }).selectOption('week')
    await page
      .getByText('10 points for each quest completion of Light the beacon, at most 100 points for a member a week')
      .waitFor()
    await page.getByRole('button', { name: 'Close: claim' }).click()

    await page.getByRole('button', { name: 'Add rule' }).click()
    const form = page.getByRole('group', { name: 'Edit rule' })
    await form.getByRole('combobox', { name: 'Rule type' }).selectOption('multiplier')
    await form.getByRole('textbox', { name: 'Factor' }).fill('3')
    await form.getByRole('textbox', { name: 'Reason' }).fill('Triple points in the first season')
    await form.getByRole('textbox', { name: 'ID' }).fill('Triple')
    await page.getByText('This rule is not complete.').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await form.getByText('Use 1 to 40 characters: a to z, 0 to 9 and hyphens, with a letter first.').waitFor()
    expect(await form.getByText('Fill in this field.').count()).toBe(2)
    await checkLooks(page, 'rules-invalid')
    expect(await versions()).toEqual([])

    await form.getByRole('textbox', { name: 'ID' }).fill('triple')
    await form.getByLabel('From').fill('2020-01-01T00:00')
    await form.getByLabel('Until').fill('2040-01-01T00:00')
    await page.getByText(/3 times the points of awards, from .* until /).waitFor()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('The points of 5 members differ · 5 events').waitFor()
    expect(await page.getByRole('row').filter({ hasText: '0x' }).first().allInnerTexts()).toEqual([
      `${addressOf(3)}\t0\t3,000\t+3,000`,
    ])
    await page.getByRole('button', { name: 'Close: triple' }).click()
    await checkLooks(page, 'rules-compared')

    await page.reload()
    await page.getByText('2 changes are not published').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByText('triple is added').waitFor()
    await checkLooks(page, 'rules-publish')
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Version 1 is in force').waitFor()
    await page.getByText(/^Version 1, published .* by /).waitFor()

    await page.getByLabel('Events since').fill('2020-01-01T00:00')
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('button', { name: 'Replay version 1' }).click()
    await checkLooks(page, 'rules-replay')
    const before = await points()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay version 1' }).click()
    await page.getByRole('status').getByText('The points of 5 members were corrected').first().waitFor()
    const tripled = Object.fromEntries(Object.entries(before).map(([member, total]) => [member, 3 * total]))
    expect(await points()).toEqual(tripled)
    await checkLooks(page, 'rules-replayed')

    await page.goto(`${issuer}${path}/points`)
    await page.getByRole('link', { name: 'Rule triple, version 1' }).first().click()
    await page.getByRole('heading', { name: 'Meridian – Rules', level: 1 }).waitFor()
  })

  test('go back to an earlier version as a new one', async () => {
    const change = (version: number, rules: object[]) =>
      operator.browser.call('PUT', `/api/spaces/${SPACE}/rules`, { version, rules })
    const rule = { id: 'claim', kind: 'claim', description: 'A claim', points: 10 }
    const now = (await versions())[0]?.version ?? 0
    await change(now, [rule, { ...rule, id: 'second', kind: 'holder', credential: '94000' }])
    await change(now + 1, [{ ...rule, points: 20 }])
    here = await visit(profile, `${issuer}${path}/rules`)
    const { page } = here
    await page.getByText('20 points for each quest completion').waitFor()
    await page.getByRole('button', { name: `Show version ${now + 1}` }).click()
    await page.getByText('10 points once for each new holder of Early member').waitFor()
    await checkLooks(page, 'rules-versions')
    await page.getByRole('button', { name: `Restore version ${now + 1}` }).click()
    await page.getByText('2 changes are not published').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByText('second is added').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText(`Version ${now + 3} is in force`).waitFor()
    const { rules } = (await operator.browser.get(`/api/spaces/${SPACE}/rules`)).json<{ rules: object[] }>()
    expect(rules).toMatchObject([{ points: 10 }, { id: 'second' }])
  })

  test('an admin can paste them as JSON; the page refuses them if another person has changed them', async () => {
    here = await visit(profile, `${issuer}${path}/rules`)
    const { page } = here
    const now = (await versions())[0]?.version ?? 0
    const rule = { id: 'pasted', kind: 'award', description: 'An award', points: 5 }
    if (now === 0) await operator.browser.call('PUT', `/api/spaces/${SPACE}/rules`, { rules: [rule] })
    await page.reload()
    await page.getByText('JSON', { exact: true }).click()
    const field = page.getByRole('textbox', { name: 'JSON' })
    await field.fill('{"rules": [')
    await page.getByText(/^This is not JSON/).waitFor()
    await field.fill(JSON.stringify({ rules: [{ ...rule, points: 7, quests: 'GCbeacon' }] }))
    await page.getByText('rules.0.quests is missing or invalid.').waitFor()
    await field.fill(JSON.stringify({ rules: [{ ...rule, points: 7, more: 1 }] }))
    await page.getByText('Forms', { exact: true }).click()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('more: There is no such setting.').waitFor()
    expect(await page.getByText('more: There is no such setting.').count()).toBe(1)
    await page.getByText('JSON', { exact: true }).click()
    await field.fill(JSON.stringify({ rules: [{ ...rule, points: 7 }] }))
    await page.getByText(/not published/).waitFor()
    await checkLooks(page, 'rules-json')
    await operator.browser.call('PUT', `/api/spaces/${SPACE}/rules`, { rules: [{ ...rule, points: 6 }] })
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Another person has changed this').waitFor()
    await page.getByRole('button', { name: 'Load current values' }).click()
    await page.getByText('Forms', { exact: true }).click()
    await page.getByText('6 points for each award').waitFor()
  })

  test('about logs have a credential and an amount, and show what is wrong with them', async () => {
    const rules = [{ id: 'log', kind: 'log', description: 'Staked', points: 20, credential: '94001' }]
    await operator.browser.call('PUT', `/api/spaces/${SPACE}/rules`, { rules })
    here = await visit(profile, `${issuer}${path}/rules`)
    const { page } = here
    await page.getByText('20 points for each log of Staker').waitFor()
    await page.getByRole('button', { name: 'Edit rule log' }).click()
    await page.getByRole('textbox', { name: 'Minimum amount per log' }).fill('1.5')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Enter a whole number of base units.').waitFor()
    await checkLooks(page, 'rules-log')
    await page.getByRole('textbox', { name: 'Minimum amount per log' }).fill('1500')
    await page.getByText('20 points for each log of Staker with at least 1500 base units').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText(/^Version \d+ is in force/).waitFor()
    const stored = (await operator.browser.get(`/api/spaces/${SPACE}/rules`)).json<{ rules: object[] }>()
    expect(stored.rules).toMatchObject([{ credential: '94001', minAmount: '1500' }])
  })

  test('viewers see them without actions', async () => {
    const rules = [{ id: 'daily', kind: 'daily', description: 'A day', points: 1, minPoints: 100 }]
    await operator.browser.call('PUT', `/api/spaces/${SPACE}/rules`, { rules })
    const viewer = await signedInBrowser(world.app)
    await world.database.query(
      `INSERT INTO space_members (space_id, account_id, role, added_at) VALUES ($1, $2, 'viewer', to_timestamp(0))`,
      [SPACE, viewer.account.id],
    )
    await actAs(profile, issuer, viewer)
    here = await visit(profile, `${issuer}${path}/rules`)
    const { page } = here
    await page.getByText('1 point each day for each member with at least 100 points').waitFor()
    await checkLooks(page, 'rules-viewer')
    for (const name of ['Edit', 'Remove', 'Add rule', 'Compare', 'Restore'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0)
    await actAs(profile, issuer, operator)
  })

  test('have a summary in German, one of each kind', async () => {
    const one = (kind: string, settings: object) => ({ id: kind, kind, description: 'Grund', ...settings })
    const year = { from: '2026-01-01T00:00:00Z', until: '2027-01-01T00:00:00Z' }
    const rules = [
      one('claim', { points: 10, quests: ['GCbeacon'], cap: { points: 50, per: 'week' } }),
      one('award', { points: 5, minPoints: 100 }),
      one('holder', { points: 5, credential: '94000', sprint: false }),
      one('log', { points: 20, credential: '94001', minAmount: '1000' }),
      one('daily', { points: 1, holdersOf: '94000' }),
      one('multiplier', { on: 'award', factor: 1.5, ...year }),
      one('streak', { on: 'claim', days: 7, points: 100, repeat: false }),
      one('referral', { points: 10, percent: 20, claims: 'all' }),
    ]
    await operator.browser.call('PUT', `/api/spaces/${SPACE}/rules`, { rules })
    const german = await browser.newContext({ locale: 'de-DE', timezoneId: 'UTC', reducedMotion: 'reduce' })
    await german.clock.setFixedTime(NOW)
    await actAs(german, issuer, operator)
    here = await visit(german, `${issuer}${path}/rules`)
    const { page } = here
    const sentences = [
      '10 Punkte für jeden Abschluss von Light the beacon, höchstens 50 Punkte für ein Mitglied in der Woche',
      '5 Punkte für jede Vergabe von mindestens 100 Punkten',
      '5 Punkte einmal für jeden neuen Inhaber von Early member, nur in der Gesamtrangliste',
      '20 Punkte für jedes Ereignis von Staker mit mindestens 1000 Basiseinheiten',
      '1 Punkt jeden Tag für jeden Inhaber von Early member',
      'Das 1,5-Fache der Punkte für Vergaben, von 01.01.2026, 00:00 bis 01.01.2027, 00:00',
      '100 Punkte für Abschlüsse an 7 Tagen in Folge, einmal je Serie',
      '10 Punkte und 20 % der Punkte für jeden Abschluss eines geworbenen Mitglieds',
    ]
    for (const sentence of sentences) await page.getByText(sentence, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Regel streak bearbeiten' }).click()
    await checkLooks(page, 'rules-german')
    await german.close()
  })
})
