import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { setSource } from '../../server/src/sync/set-source.ts'
import { LANGUAGE_COOKIE } from '../../server/src/texts/languages.ts'
import { settle, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { operatorInBrowser, type OperatorInBrowser } from './operator-in-browser.ts'
import { spaceTab } from './space-tab.ts'

const SPACE = 9201
const QUESTION = 'Leave this page? Your changes are not saved.'
const PART_QUESTION = 'Discard your changes? They are not saved.'
const SOURCE_QUESTION = 'With this change, the form of the source starts again. Discard your input there?'
const QUIZ = '9202'
const LIST = '9203'
const ADDRESS = '0x00000000000000000000000000000000000000e9'

let { issuer, close, operator } = {} as OperatorInBrowser
let profile: BrowserContext
let here: Visit
let asked: string[]
let stays: boolean

/** Whether closing the tab would ask. */
const guarded = () => here.page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`)

describe.skipIf(findChromium() === undefined)('unsaved input in a browser', () => {
  beforeAll(async () => {
    const started = await operatorInBrowser()
    ;({ issuer, close, profile, operator } = started)
    const { deps } = started.world
    const common = { credType: 'EVM_ADDRESS', curatorSpaceId: SPACE }
    await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Quay' }])
    await importRecords(deps, 'sprints', [{ spaceId: SPACE, sprintId: 1, name: 'Spring tide' }])
    await importRecords(deps, 'awards', [{ key: 'crew', spaceId: SPACE, address: ADDRESS, points: 5 }])
    await importRecords(deps, 'credentials', [
      { id: QUIZ, name: 'Knows the quay', credSource: 'QUIZ', ...common },
      { id: LIST, name: 'Crew list', credSource: 'CSV', ...common },
    ])
    await setSource(deps, QUIZ, {
      kind: 'QUIZ',
      questions: [{ question: 'Which tide?', type: 'text', answers: ['Ebb'] }],
    })
    const conditions = [{ expression: 'Pass the quiz', credentialId: QUIZ }]
    const credentialGroups = [{ id: 'g1', name: 'Crew', conditionRelation: 'ALL' as const, conditions, rewards: [] }]
    await importRecords(deps, 'quests', [
      { id: 'GCquay', spaceId: SPACE, name: 'Know the tides', type: 'Points', loyaltyPoints: 5, credentialGroups },
    ])
  }, 120_000)
  afterAll(() => close())
  afterEach(async () => {
    stays = false
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const open = async (path: string): Promise<Page> => {
    here = await visit(profile, issuer + path)
    asked = []
    stays = true
    here.page.on('dialog', (dialog) => {
      asked.push(dialog.type() === 'beforeunload' ? 'beforeunload' : dialog.message())
      void (stays ? dialog.dismiss() : dialog.accept())
    })
    return here.page
  }

  it('asks before a link, Back, Forward and a reload, but not after saving or without changes', async () => {
    const [overview, settings] = [`/content/spaces/${SPACE}`, `/content/spaces/${SPACE}/settings`]
    const page = await open(overview)
    const address = () => new URL(page.url()).pathname
    await spaceTab(page, 'Settings').click()
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.waitFor()
    await spaceTab(page, 'Rules').click()
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor()
    await page.goBack()
    await name.fill('Quay two')
    await name.click()

    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').click()
    await page.goBack()
    await expect.poll(() => asked).toEqual([QUESTION, QUESTION])
    await expect.poll(address).toBe(settings)
    expect(await name.inputValue()).toBe('Quay two')
    await page.evaluate('location.reload()')
    await expect.poll(() => asked).toEqual([QUESTION, QUESTION, 'beforeunload'])
    expect(await name.inputValue()).toBe('Quay two')

    await page.getByRole('main').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Changes saved').waitFor()
    await page.goBack()
    await expect.poll(address).toBe(overview)
    await page.goForward()
    await name.waitFor()
    // Staying on the page has kept the entry after it.
    await page.goForward()
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor()
    await page.goBack()
    await name.waitFor()
    expect(asked).toHaveLength(3)

    await name.fill('Quay three')
    stays = false
    await page.goBack()
    await page.getByRole('button', { name: 'New sprint' }).waitFor()
    expect([address(), asked.length]).toEqual([overview, 4])
    await spaceTab(page, 'Settings').click()
    expect(await name.inputValue()).toBe('Quay two')
    expect(asked).toHaveLength(4)
  })

  it('asks after a save that failed', async () => {
    const page = await open(`/content/spaces/${SPACE}/settings`)
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.fill('Quay five')
    await page.route(`**/api/spaces/${SPACE}`, (route) =>
      route.request().method() === 'GET' ? route.continue() : route.fulfill({ status: 503, json: {} }),
    )
    await page.getByRole('main').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').first().waitFor()
    expect(await guarded()).toBe(true)
    expect(await name.inputValue()).toBe('Quay five')
  })

  it('keeps the order of the history if the user stays, also after Forward and a jump', async () => {
    const space = `/content/spaces/${SPACE}`
    const [settings, points] = [`${space}/settings`, `${space}/points`]
    const page = await open(space)
    const address = () => new URL(page.url()).pathname
    await spaceTab(page, 'Settings').click()
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.waitFor()
    await spaceTab(page, 'Points').click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('Helped')
    await page.evaluate('history.go(-2)')
    await expect.poll(() => asked).toEqual([QUESTION])
    await expect.poll(address).toBe(points)
    expect(await page.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('Helped')
    stays = false
    await page.goBack()
    await name.waitFor()
    expect(address()).toBe(settings)

    stays = true
    await name.fill('Quay four')
    await page.goForward()
    await expect.poll(() => asked).toEqual([QUESTION, QUESTION, QUESTION])
    await expect.poll(address).toBe(settings)
    expect(await name.inputValue()).toBe('Quay four')
    // The page is loaded again, and the places of its entries remain.
    stays = false
    await page.reload()
    await name.fill('Quay four')
    stays = true
    await page.goBack()
    await expect.poll(() => asked.length).toBe(5)
    await expect.poll(address).toBe(settings)
    stays = false
    await page.goBack()
    await page.getByRole('button', { name: 'New sprint' }).waitFor()
    expect(address()).toBe(space)
    await page.goForward()
    await name.waitFor()
    await page.goForward()
    await page.getByRole('heading', { name: 'Points', level: 1 }).waitFor()
  })

  it('asks before a sign-out', async () => {
    const page = await open('/account')
    await page.getByRole('textbox', { name: 'Username' }).fill('harbourmaster')
    await page.getByRole('button', { name: /^Account menu of / }).click()
    const requests: string[] = []
    await page.route('**/api/session', (route) => {
      if (route.request().method() === 'GET') return route.continue()
      requests.push(route.request().method())
      return route.fulfill({ status: 503, json: {} })
    })
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect.poll(() => asked).toEqual([QUESTION])
    await settle(page)
    expect(requests).toEqual([])
    expect(await page.getByRole('textbox', { name: 'Username' }).inputValue()).toBe('harbourmaster')

    stays = false
    await page.getByRole('button', { name: /^Account menu of / }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByText('The sign-out failed').waitFor()
    expect([asked.length, requests]).toEqual([2, ['DELETE']])
    expect(await page.getByRole('textbox', { name: 'Username' }).inputValue()).toBe('harbourmaster')
  })

  it('asks before a change of the language, and stores the language only then', async () => {
    const page = await open('/account')
    const chosen = () => page.evaluate<string>('document.cookie')
    const german = page.getByRole('menuitemradio', { name: 'Deutsch' })
    await page.getByRole('textbox', { name: 'Username' }).fill('harbourmaster')
    const before = await chosen()
    await page.getByRole('button', { name: /^Account menu of / }).click()
    await german.click()
    await expect.poll(() => asked).toEqual([QUESTION])
    expect(await chosen()).toBe(before)
    expect(await page.getByRole('textbox', { name: 'Username' }).inputValue()).toBe('harbourmaster')
    stays = false
    await german.click()
    await page.getByRole('heading', { name: 'Profil', exact: true }).first().waitFor()
    expect(asked).toEqual([QUESTION, QUESTION])
    expect(await chosen()).toContain(`${LANGUAGE_COOKIE}=de`)
    await profile.clearCookies({ name: LANGUAGE_COOKIE })
  })

  it('asks before another webhook closes the form of the first', async () => {
    for (const name of ['first', 'second']) {
      const webhook = { url: `https://${name}.example.com/`, events: ['points.awarded'], spaceIds: [SPACE] }
      expect((await operator.browser.call('POST', '/api/webhooks', webhook)).statusCode).toBe(201)
    }
    const page = await open('/settings/server-api/webhooks')
    const manage = (name: string) => page.getByRole('button', { name: `Manage https://${name}.example.com/` })
    const description = page.getByRole('textbox', { name: 'Description' })
    await manage('first').click()
    await description.fill('Bot of the harbour')
    await manage('second').click()
    expect(asked).toEqual([PART_QUESTION])
    expect(await description.inputValue()).toBe('Bot of the harbour')
    // The same page, without the parameter that names the webhook.
    await page.getByRole('navigation').getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.waitForURL(/\/webhooks$/)
    expect(await description.inputValue()).toBe('Bot of the harbour')
    stays = false
    await manage('second').click()
    await manage('first').waitFor()
    expect(await description.inputValue()).toBe('')
    // The form of a new webhook stays open.
    await page.getByRole('button', { name: 'Add webhook' }).click()
    await description.nth(1).fill('New')
    await manage('first').click()
    await manage('second').waitFor()
    expect(asked).toHaveLength(2)
    expect(await description.nth(1).inputValue()).toBe('New')
  })

  it('keeps the answers of a folded quest, and asks before a filter drops them', async () => {
    const page = await open('/my')
    const filter = page.getByRole('radiogroup', { name: 'Quests by progress' })
    const quest = page.getByRole('button', { name: /^Know the tides/ })
    const answer = page.getByRole('textbox', { name: 'Which tide?' })
    await filter.getByText('Other').click()
    await quest.click()
    await page.getByRole('button', { name: 'Answer the quiz: Pass the quiz' }).click()
    await answer.fill('Flood')
    await quest.click()
    await answer.waitFor({ state: 'hidden' })
    await quest.click()
    expect(await answer.inputValue()).toBe('Flood')
    expect(asked).toEqual([])
    await answer.fill('')
    await quest.click()
    await answer.waitFor({ state: 'detached' })
    await quest.click()
    await page.getByRole('button', { name: 'Answer the quiz: Pass the quiz' }).click()
    await answer.fill('Flood')
    await filter.getByText('Almost done').click()
    expect(asked).toEqual([PART_QUESTION])
    expect(await answer.inputValue()).toBe('Flood')
    expect(await filter.getByRole('radio', { name: 'Other' }).isChecked()).toBe(true)
    stays = false
    await filter.getByText('Almost done').click()
    await answer.waitFor({ state: 'detached' })
  })

  it('asks before another kind of a credential drops the settings of its source', async () => {
    const page = await open(`/content/credentials/${LIST}`)
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await page.getByRole('combobox', { name: 'Verified by' }).selectOption('CSV')
    await save.click()
    await page.getByRole('textbox', { name: 'URL' }).fill('https://lists.example.com/crew.csv')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Crew')
    await save.click()
    await page.getByRole('heading', { name: 'Crew', level: 1 }).waitFor()
    await page.locator('button[data-loading]').waitFor({ state: 'detached' })
    expect(asked).toEqual([])
    await page.getByRole('combobox', { name: 'Holders are' }).selectOption({ index: 1 })
    await save.click()
    expect(asked).toEqual([SOURCE_QUESTION])
    expect(await page.getByRole('textbox', { name: 'URL' }).inputValue()).toBe('https://lists.example.com/crew.csv')
    stays = false
    await save.click()
    await expect.poll(() => page.getByRole('textbox', { name: 'URL' }).inputValue()).toBe('')
  })

  it('saves the settings of a space only after a change', async () => {
    const page = await open(`/content/spaces/${SPACE}/settings`)
    const save = page.getByRole('region', { name: 'Name and logo' }).getByRole('button', { name: 'Save' })
    const description = page.getByRole('textbox', { name: 'Description' })
    await description.waitFor()
    expect(await save.isDisabled()).toBe(true)
    await description.fill('At the quay')
    expect(await save.isEnabled()).toBe(true)
    await description.fill('')
    expect(await save.isDisabled()).toBe(true)
  })

  it('keeps the settings of a source while only the name of its credential is saved', async () => {
    const page = await open(`/content/credentials/${LIST}`)
    const url = page.getByRole('textbox', { name: 'URL' })
    const source = page.locator('#source')
    const rename = async (name: string) => {
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
      await page.getByRole('button', { name: 'Save', exact: true }).first().click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
    }
    await page.getByRole('combobox', { name: 'Verified by' }).selectOption('CSV')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await url.fill('https://lists.example.com/crew.csv')
    await source.getByRole('button', { name: 'Save source' }).click()
    await source.getByRole('button', { name: 'Run now' }).waitFor()
    await url.fill('https://lists.example.com/officers.csv')
    await rename('Officers')
    expect(await url.inputValue()).toBe('https://lists.example.com/officers.csv')

    await source.getByRole('button', { name: 'Remove source' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove source' }).click()
    await source.getByRole('button', { name: 'Run now' }).waitFor({ state: 'detached' })
    await url.fill('https://lists.example.com/mates.csv')
    await rename('Mates')
    expect(await url.inputValue()).toBe('https://lists.example.com/mates.csv')
    expect(asked).toEqual([])
  })

  it('does not ask about a quiz if the holders of its credential change', async () => {
    const page = await open(`/content/credentials/${QUIZ}`)
    const question = page.getByRole('textbox', { name: 'Question' }).first()
    await question.fill('Which moon?')
    await page.getByRole('combobox', { name: 'Holders are' }).selectOption({ index: 1 })
    await page.getByRole('button', { name: 'Save', exact: true }).first().click()
    await page.getByText('Changes saved').waitFor()
    expect(asked).toEqual([])
    expect(await question.inputValue()).toBe('Which moon?')
  })

  it('keeps the reason of an undo, and asks before a link or a filter drops it', async () => {
    const page = await open(`/content/spaces/${SPACE}/points`)
    await page.getByRole('button', { name: /^Undo entry / }).click()
    const reason = page.getByRole('dialog').getByRole('textbox', { name: 'Reason' })
    await reason.fill('Given twice')
    await page.keyboard.press('Escape')
    await reason.waitFor({ state: 'hidden' })
    await spaceTab(page, 'Rules').click()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    expect(asked).toEqual([QUESTION, PART_QUESTION])
    await page.getByRole('button', { name: /^Undo entry / }).click()
    expect(await reason.inputValue()).toBe('Given twice')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(guarded).toBe(false)
    await page.getByRole('button', { name: /^Undo entry / }).click()
    expect(await reason.inputValue()).toBe('')
  })

  it('guards a snapshot that is chosen, and a file that is not uploaded', async () => {
    const page = await open(`/content/spaces/${SPACE}/snapshots`)
    await page.getByRole('switch').check()
    await expect.poll(guarded).toBe(true)
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await page.getByRole('button', { name: 'Create snapshot' }).click()
    await page.getByText('Sealing', { exact: true }).waitFor()
    await expect.poll(guarded).toBe(false)

    await page.goto(`${issuer}/operator/import`)
    const file = { name: 'spaces.csv', mimeType: 'text/csv', buffer: Buffer.from('spaceId,name\n9300,Pier\n') }
    await page.locator('input[type=file]').setInputFiles(file)
    await expect.poll(guarded).toBe(true)
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.waitForURL(/\/operator\/import\/[^/]+$/)
    expect(asked).toEqual([])
  })

  it.each([
    [`/content/spaces/${SPACE}`, 'New sprint', 'Name'],
    [`/content/spaces/${SPACE}/settings`, undefined, 'Address of the page'],
    [`/content/spaces/${SPACE}/points`, undefined, 'Reason'],
    [`/content/spaces/${SPACE}/new-quest`, undefined, 'Name'],
    [`/content/spaces/${SPACE}/new-credential`, undefined, 'Name'],
    ['/content', 'New space', 'Name'],
    ['/content/new-starboard', undefined, 'Name'],
    ['/account', undefined, 'Username'],
    ['/settings/server-api', 'Generate token', 'Name'],
    ['/settings/server-api/apps', 'Register app', 'Name'],
    ['/settings/server-api/webhooks', 'Add webhook', 'Description'],
    ['/operator/bans', undefined, 'Reason (for operators)'],
    ['/operator/plans', 'New plan', 'Name'],
  ])('guards the form of %s %s', async (path, button, field) => {
    const page = await open(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const main = page.getByRole('main')
    if (button !== undefined) await main.getByRole('button', { name: button }).first().click()
    const input = main.getByRole('textbox', { name: field, exact: true }).first()
    await input.waitFor()
    expect(await guarded()).toBe(false)
    const before = await input.inputValue()
    await input.fill('42')
    await expect.poll(guarded).toBe(true)
    await input.fill(before)
    await expect.poll(guarded).toBe(false)
  })
})
