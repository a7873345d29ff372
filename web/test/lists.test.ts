import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { NOW, startWorld, type World } from '../../server/test/support/fixture.ts'
import { signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { openBrowser, openProfile, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'

const SPACE = 9401
const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

let world: World
let issuer: string
let browser: Browser

/** A profile of an editor of the space who is not an operator. */
async function openAsEditor(locale = 'en-US'): Promise<BrowserContext> {
  const profile = await openProfile(browser, { width: 1440, scheme: 'light', locale })
  await profile.clock.setFixedTime(NOW)
  const who = await signedInBrowser(world.app)
  await world.database.query(
    "INSERT INTO space_members (space_id, account_id, role, added_at) VALUES ($1, $2, 'editor', now())",
    [SPACE, who.account.id],
  )
  await actAs(profile, issuer, who)
  return profile
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const rows = (page: Page) => page.getByRole('group', { name: 'Holders' }).locator('tbody tr')

describe.skipIf(findChromium() === undefined)('a list of holders in a browser', () => {
  beforeAll(async () => {
    const port = await freePort()
    issuer = `http://localhost:${port}`
    const settings = {
      QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
      QUESTBOARD_PUBLIC_URL: issuer,
    }
    world = await startWorld({ port, settings })
    await importRecords(world.deps, 'spaces', [{ spaceId: SPACE, name: 'Tea house' }])
    await importRecords(world.deps, 'credentials', [
      { id: '9402', name: 'Guests', credSource: 'CSV', credType: 'EVM_ADDRESS', curatorSpaceId: SPACE },
    ])
    browser = await openBrowser()
  }, 180_000)
  afterAll(async () => {
    await browser.close()
    await world.stop()
  })

  test('comes with a new credential, which a quest then uses', { timeout: 120_000 }, async () => {
    const profile = await openAsEditor()
    const { page, complaints } = await visit(profile, `${issuer}/content/spaces/${SPACE}/new-credential`)
    const by = page.getByRole('combobox', { name: 'Verified by' })
    await expect.poll(() => by.locator('option').nth(1).textContent()).toMatch(/^A list of your own/)
    await by.selectOption('LIST')
    const list = page.getByRole('textbox', { name: 'Holders' })
    await list.fill(`${address(1)}\nnobody\n${address(2)}`)
    await button(page, 'Create').click()
    await page.getByText('Fill in this field.').waitFor()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Tea in November')
    const questions: string[] = []
    page.once('dialog', (dialog) => {
      questions.push(dialog.message())
      void dialog.dismiss()
    })
    await by.selectOption({ index: 3 })
    expect(questions).toEqual(['With this choice, the form below starts again. Discard your input there?'])
    expect(await by.inputValue()).toBe('LIST')
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/holders', async (route) => {
      await held
      await route.continue()
    })
    await button(page, 'Create').click()
    await page.waitForRequest('**/holders')
    expect(await page.getByText('The credential is created.').count()).toBe(0)
    answer()
    await page.getByText('2 new · 1 refused').waitFor()
    await page.getByText('The credential is created.').waitFor()
    await page.unroute('**/holders')
    await page.getByRole('row', { name: '2 nobody Enter an EVM address' }).waitFor()
    await checkLooks(page, 'new-credential-list')
    const reason = page
      .getByRole('row', { name: /nobody/ })
      .getByRole('cell')
      .nth(2)
    const width = async () => (await reason.boundingBox())?.width ?? 0
    const before = page.viewportSize() ?? { width: 1440, height: 900 }
    await page.setViewportSize({ width: 360, height: 800 })
    // Half of the window: the words of the reason are whole.
    await expect.poll(width).toBeGreaterThan(180)
    await page.setViewportSize(before)
    await list.fill(`${address(1)}\n${address(2)}`)
    await button(page, 'Create').click()
    await page.getByRole('heading', { name: 'Tea in November', level: 1 }).waitFor()
    await expect.poll(() => rows(page).count()).toBe(2)
    expect(await page.getByText('No settings').count()).toBe(0)

    await page.getByRole('link', { name: 'Use it in a quest' }).click()
    await page.getByRole('heading', { name: 'New quest', level: 1 }).waitFor()
    await page.getByText('Tea in November').first().waitFor()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Meet for tea')
    await page
      .getByRole('spinbutton', { name: 'Points for completion' })
      .or(page.getByLabel('Points for completion'))
      .fill('10')
    await button(page, 'Save draft').click()
    await page.getByRole('heading', { name: 'Meet for tea', level: 1 }).waitFor()
    // Editors may not delete.
    expect(await page.getByRole('button', { name: /^Delete/ }).count()).toBe(0)
    const [condition] = await world.database.query<{ name: string }>(
      'SELECT c.name FROM quest_conditions q JOIN credentials c ON c.credential_id = q.credential_id JOIN quests o ON o.quest_id = q.quest_id WHERE o.space_id = $1',
      [SPACE],
    )
    expect(condition?.name).toBe('Tea in November')
    expect(complaints).toEqual([])
    await profile.close()
  })

  test('an editor checks, extends, searches, reduces and replaces it', { timeout: 120_000 }, async () => {
    const profile = await openAsEditor()
    const { page, complaints } = await visit(profile, `${issuer}/content/credentials/9402`)
    await page.getByText('Nobody holds this credential yet').waitFor()
    expect(await page.getByRole('button', { name: /^Delete/ }).count()).toBe(0)
    await button(page, 'Enter the holders').click()
    await page.keyboard.insertText(Array.from({ length: 60 }, (_, i) => address(i + 1)).join('\n'))
    await button(page, 'Check').click()
    await page.getByText('60 new', { exact: true }).waitFor()
    await checkLooks(page, 'credential-list-checked')
    await button(page, 'Add 60 holders').click()
    await page.getByText('Nobody holds this credential yet').waitFor({ state: 'detached' })
    await page.getByText('60 holders · ID 9402').waitFor()
    await page.goto(`${issuer}/content/spaces/${SPACE}`)
    await page.getByRole('listitem').getByText('60 holders · ID 9402').waitFor()
    await page.goBack()
    await expect.poll(() => rows(page).count()).toBe(50)
    await button(page, 'Show more').click()
    await expect.poll(() => rows(page).count()).toBe(60)
    await page.getByRole('searchbox', { name: 'Find holders' }).fill(address(7).toUpperCase().replace('X', 'x'))
    await expect.poll(() => rows(page).allInnerTexts()).toEqual([expect.stringContaining(address(7))])
    await expect.poll(() => new URL(page.url()).search.toLowerCase()).toBe(`?q=${address(7)}`)
    await page.reload()
    await expect.poll(() => rows(page).allInnerTexts()).toEqual([expect.stringContaining(address(7))])
    await checkLooks(page, 'credential-list')

    await page.getByRole('textbox', { name: 'Holders' }).fill(`${address(7)}\n${address(99)}`)
    await page.getByRole('combobox', { name: 'With these holders' }).selectOption('remove')
    await button(page, 'Check').click()
    await button(page, 'Remove 1 holder').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove 1 holder' }).click()
    await page.getByText('No holder begins with this text').waitFor()
    await page.getByRole('searchbox', { name: 'Find holders' }).fill('')

    await page.getByRole('combobox', { name: 'With these holders' }).selectOption('replace')
    const file = { name: 'guests.csv', mimeType: 'text/csv' }
    const choose = (text: string) =>
      page.locator('input[type=file]').setInputFiles({ ...file, buffer: Buffer.from(text) })
    await choose('wallet;points\nx;1\n')
    await button(page, 'Check').click()
    await page.getByText('The first line names no column “address”.').waitFor()
    await choose(`name;address\nAda;${address(200)}\n`)
    await button(page, 'Check').click()
    await page.getByText('1 new · 59 are removed').waitFor()
    await button(page, 'Replace the list').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the list' }).click()
    await expect.poll(() => rows(page).allInnerTexts()).toEqual([expect.stringContaining(address(200))])
    expect(complaints).toEqual([])
    await profile.close()
  })

  test(
    'the page refuses it before it sends it, if its JSON is too large or its file is unreadable',
    { timeout: 60_000 },
    async () => {
      const profile = await openAsEditor()
      const { page } = await visit(profile, `${issuer}/content/credentials/9402`)
      const file = (text: string) => ({ name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from(text) })
      const input = page.locator('input[type=file]')
      await input.setInputFiles(file('"\n'.repeat(1_200_000)))
      await page.getByText('At most 4 MiB').waitFor()
      await page.evaluate(() => {
        File.prototype.text = () => Promise.reject(new DOMException('gone', 'NotReadableError'))
      })
      await input.setInputFiles(file(address(1)))
      await page.getByText('The browser could not read this file.').waitFor()
      await profile.close()
    },
  )

  test('names accounts without a wallet', { timeout: 60_000 }, async () => {
    const account = '0b0e8f2a-1c5d-4f7e-9a3b-2d4c6e8f0a1b'
    await importRecords(world.deps, 'credentials', [
      { id: '9403', name: 'Members', credSource: 'CSV', credType: 'EVM_ADDRESS', curatorSpaceId: SPACE },
    ])
    await world.database.query(
      `INSERT INTO credential_holders (credential_id, address, generation)
       SELECT credential_id, $1, generation FROM credentials WHERE credential_id = 9403`,
      [account],
    )
    await world.database.query('UPDATE credentials SET item_count = 1 WHERE credential_id = 9403')
    const profile = await openAsEditor()
    const { page } = await visit(profile, `${issuer}/content/credentials/9403`)
    await expect.poll(() => rows(page).allInnerTexts()).toEqual([expect.stringContaining('Account without a wallet')])
    expect(await page.getByText(account).count()).toBe(0)
    await profile.close()
  })

  test('speaks German', { timeout: 60_000 }, async () => {
    const profile = await openAsEditor('de-DE')
    const { page, complaints } = await visit(profile, `${issuer}/content/credentials/9402`)
    await page.getByRole('textbox', { name: 'Inhaber' }).fill('niemand')
    await button(page, 'Prüfen').click()
    await page.getByText('1 abgelehnt').waitFor()
    await page.getByRole('row', { name: '1 niemand Gib eine EVM-Adresse ein' }).waitFor()
    await checkLooks(page, 'credential-list-german')
    expect(complaints).toEqual([])
    await profile.close()
  })
})
