import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { operatorInBrowser, type OperatorInBrowser } from './operator-in-browser.ts'
import { spaceTab } from './space-tab.ts'

const SPACE = 9201
const QUESTION = 'Leave this page? Your changes are not saved.'

let { issuer, close } = {} as OperatorInBrowser
let profile: BrowserContext
let here: Visit
let asked: string[]
let stays: boolean

/** Whether closing the tab would ask. */
const guarded = () => here.page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`)

describe.skipIf(findChromium() === undefined)('unsaved input in a browser', () => {
  beforeAll(async () => {
    const started = await operatorInBrowser()
    ;({ issuer, close, profile } = started)
    await importRecords(started.world.deps, 'spaces', [{ spaceId: SPACE, name: 'Quay' }])
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
    const page = await open('/content')
    const address = () => new URL(page.url()).pathname
    await page.getByRole('link', { name: 'Quay' }).click()
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
    await expect.poll(address).toBe(`/content/spaces/${SPACE}`)
    expect(await name.inputValue()).toBe('Quay two')
    await page.evaluate('location.reload()')
    await expect.poll(() => asked).toEqual([QUESTION, QUESTION, 'beforeunload'])
    expect(await name.inputValue()).toBe('Quay two')

    await page.getByRole('main').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Changes saved').waitFor()
    await page.goBack()
    await expect.poll(address).toBe('/content')
    await page.goForward()
    await name.waitFor()
    expect(asked).toHaveLength(3)

    await name.fill('Quay three')
    stays = false
    await page.goBack()
    await page.getByRole('link', { name: 'Quay two' }).waitFor()
    expect([address(), asked.length]).toEqual(['/content', 4])
    await page.getByRole('link', { name: 'Quay two' }).click()
    expect(await name.inputValue()).toBe('Quay two')
    expect(asked).toHaveLength(4)
  })

  it('asks again when Forward leaves the page', async () => {
    const page = await open(`/content/spaces/${SPACE}`)
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.waitFor()
    await spaceTab(page, 'Rules').click()
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor()
    await page.goBack()
    await name.fill('Quay four')
    await page.goForward()
    await expect.poll(() => asked).toEqual([QUESTION])
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/content/spaces/${SPACE}`)
    expect(await name.inputValue()).toBe('Quay four')
    stays = false
    await page.goBack()
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor()
  })

  it.each([
    [`/content/spaces/${SPACE}`, 'New sprint', 'Name'],
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
