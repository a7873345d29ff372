import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examples } from '../src/playground/examples.ts'
import { english } from '../src/texts/en/index.ts'
import { formatFor } from '../src/texts/format.ts'
import { ask } from '../../server/test/support/ask.ts'
import { greeting } from '../../server/src/process/greeting.ts'
import { type ServiceProcess, startProcess, temporaryDataDir } from '../../server/test/support/process.ts'
import { keepScreenshot, openBrowser, openProfile, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'

const { list } = english(formatFor('en')).playground.examples
const titleOf = (name: string) => list[name]?.title ?? ''

let service: ServiceProcess
let remove: () => Promise<void>

beforeAll(async () => {
  const folder = await temporaryDataDir()
  remove = folder.remove
  service = await startProcess(folder.dataDir)
})
afterAll(async () => {
  await service.interrupt()
  await remove()
})

/** Paths of empty results in a response: null at the root, or an empty list. */
function emptyPlaces(value: unknown, path: string[] = []): string[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return [path.join('.')]
    return value.flatMap((entry, index) => emptyPlaces(entry, [...path, String(index)]))
  }
  if (value === null) return path.length <= 2 ? [path.join('.')] : []
  if (typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, entry]) => emptyPlaces(entry, [...path, key]))
}

test.each(examples)('the example $name returns demo data', async ({ query, variables }) => {
  const { status, data, errors } = await ask(service.url, query, { token: service.demoToken, variables })
  expect({ status, errors }).toEqual({ status: 200, errors: undefined })
  expect(emptyPlaces(data)).toEqual([])
})

describe.skipIf(findChromium() === undefined)('the examples in a browser', () => {
  let browser: Browser
  let here: Visit

  beforeAll(async () => {
    browser = await openBrowser()
    const profile = await openProfile(browser, { width: 1280, scheme: 'light' })
    const link = /playground +(\S+)/.exec(greeting(service.url, service.demoToken))?.[1] ?? ''
    here = await visit(profile, link)
  })
  afterAll(async () => browser.close())

  test('opens the playground with a token from the link', async () => {
    await here.page.getByText('Token accepted').waitFor()
    expect(here.page.url()).toBe(`${service.url}/playground`)
  })

  test.each(examples)('runs the example $name', async ({ name }) => {
    const { page } = here
    await page.getByRole('button', { name: titleOf(name) }).click()
    await page.getByText(name, { exact: true }).first().waitFor()
    const answered = page.waitForResponse((response) => response.url().endsWith('/query'))
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const answer = (await (await answered).json()) as { data?: unknown; errors?: unknown }
    expect(answer.errors).toBeUndefined()
    await page.getByText('HTTP 200').waitFor()
    await page.getByRole('textbox', { name: 'JSON response' }).getByText('"data"').waitFor()
    await keepScreenshot(page, `example-${name}`)
    expect(here.complaints).toEqual([])
  })

  test('underlines an unknown field before the query is sent', async () => {
    const { page } = here
    await page.getByRole('button', { name: titleOf('SpaceInfo') }).click()
    await page.getByLabel('GraphQL query').focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('{ nothing ') // The editor closes the brace.
    await page.locator('.cm-lintRange-error').getByText('nothing').hover()
    await page.getByText('Cannot query field "nothing"').waitFor()
  })

  test('copies a shell command with the same query and without the token', async () => {
    const { page, context } = here
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: titleOf('CredentialEligibility') }).click()
    await page.getByText('CredentialEligibility').first().waitFor()
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const command = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(command).toContain(`curl ${service.url}/query`)
    expect(command).not.toContain(service.demoToken)
    const env = { ...process.env, QUESTBOARD_TOKEN: service.demoToken }
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env })
    expect(JSON.parse(stdout)).toMatchObject({ data: { credential: { id: '312969464', eligible: 1 } } })
  })
})
