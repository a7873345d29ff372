import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setOperator } from '../../server/src/accounts/account.queries.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { setSource } from '../../server/src/sync/set-source.ts'
import { NOW, startWorld, type World } from '../../server/test/support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { startUpstream, type Upstream } from '../../server/test/support/upstream.ts'
import { BOT_TOKEN, type DiscordApi, discordApi, GUILD } from '../../server/test/sync/platforms/discord-api.ts'
import { sources as english } from '../src/texts/en/sources.ts'
import { formatFor } from '../src/texts/format.ts'
import { openBrowser, openProfile, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'

const SPACE = 9301
const LISTS = '9302'
const user = (n: number) => String(80351110224678000n + BigInt(n))

let world: World
let issuer: string
let browser: Browser
let upstream: Upstream
let discord: DiscordApi
let operator: SignedIn

async function openAs(who: SignedIn, locale = 'en-US'): Promise<BrowserContext> {
  const profile = await openProfile(browser, { width: 1280, scheme: 'light', locale })
  await profile.clock.setFixedTime(NOW)
  await actAs(profile, issuer, who)
  return profile
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('a test of a source that reads only its beginning says how much it read', () => {
  const { found } = english(formatFor('en'))
  expect([0, 1, 2].map((read) => found(read, false))).toEqual([
    'The source works: its first part has no entries',
    'The source works: read the first entry',
    'The source works: read the first 2 entries',
  ])
})

describe.skipIf(findChromium() === undefined)('the source of a credential in a browser', () => {
  beforeAll(async () => {
    discord = discordApi()
    for (let n = 1; n <= 3; n++) discord.members.set(user(n), [])
    upstream = await startUpstream((request, response) =>
      request.url?.startsWith('/list')
        ? void response.end(`0x${'a'.repeat(40)}\nno address\n`)
        : discord.answer(request, response),
    )
    const port = await freePort()
    issuer = `http://localhost:${port}`
    const settings = {
      QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
      QUESTBOARD_PUBLIC_URL: issuer,
      QUESTBOARD_DISCORD_SITE: upstream.url,
      QUESTBOARD_OUTGOING_HOSTS: upstream.host,
    }
    world = await startWorld({ port, settings })
    operator = await signedInBrowser(world.app)
    await setOperator(world.database.kysely, operator.account.id, new Date(NOW))
    await importRecords(world.deps, 'spaces', [{ spaceId: SPACE, name: 'Observatory' }])
    await importRecords(world.deps, 'credentials', [
      { id: LISTS, name: 'Early list', credSource: 'CSV', credType: 'EVM_ADDRESS', curatorSpaceId: SPACE },
    ])
    browser = await openBrowser()
  }, 180_000)
  afterAll(async () => {
    await browser.close()
    await world.stop()
    await upstream.close()
  })

  test('an editor sets, tests and runs it, and sees its failure', { timeout: 120_000 }, async () => {
    const profile = await openAs(operator)
    const { page, complaints } = await visit(profile, `${issuer}/content/spaces/${SPACE}/new-credential`)
    const by = page.getByRole('combobox', { name: 'Verified by' })
    const groups = () => page.evaluate<string[]>("[...document.querySelectorAll('optgroup')].map(({ label }) => label)")
    await expect
      .poll(groups)
      .toEqual([
        'Tasks that members do here',
        'Social accounts',
        'On chain',
        'Lists and files',
        'Other services',
        'A list of your own, from elsewhere',
      ])
    expect(await by.locator('option').nth(1).textContent()).toBe('A list of your own: you enter or upload the holders')
    expect(await by.locator('option').nth(2).textContent()).toBe('Quiz: members answer your questions')
    await page.getByRole('textbox', { name: 'Name' }).fill('On the server')
    expect(await page.getByRole('combobox', { name: 'Holders are' }).count()).toBe(0)
    await button(page, 'Create').click()
    await by.and(page.locator('[aria-invalid=true]')).waitFor()
    await by.selectOption('TWITTER_FOLLOW')
    await page.getByText('You enter or upload the list of holders').waitFor()
    await by.selectOption('CONTRACT_NFT_HOLDER')
    await page.getByRole('combobox', { name: 'Chain' }).fill('base')
    await by.selectOption('DISCORD_MEMBER')
    expect(await page.getByRole('combobox', { name: 'Chain' }).count()).toBe(0)
    expect(await page.getByRole('combobox', { name: 'Holders are' }).inputValue()).toBe('DISCORD')
    await checkLooks(page, 'new-credential')
    const guild = page.getByRole('textbox', { name: 'Server ID' })
    await guild.fill('12')
    await page.getByLabel(/^Bot token/).fill('wrong-token')
    await button(page, 'Create').click()
    await page.getByText('Enter an ID of Discord: 15 to 20 digits.').waitFor()
    await page.getByText('The credential is created. The rest is not saved yet').waitFor()
    expect(await guild.getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('textbox', { name: 'Name' }).fill('On our server')
    await guild.fill(GUILD)
    await button(page, 'Test source').click()
    await page.getByText(/The source does not work: .*status 401/).waitFor()
    await page.getByLabel(/^Bot token/).fill(BOT_TOKEN)
    await button(page, 'Test source').click()
    await page.getByText('The source works: 3 entries').waitFor()
    await page.getByText(user(2)).waitFor()
    await checkLooks(page, 'source-tested')
    await button(page, 'Create').click()
    await page.getByRole('heading', { name: 'On our server', level: 1 }).waitFor()
    expect(await world.database.query("SELECT FROM credentials WHERE name LIKE 'On %'")).toHaveLength(1)
    const token = page.getByLabel(/^Bot token/)
    expect(await token.getAttribute('placeholder')).toBe('Stored; leave empty to keep')
    expect(await page.content()).not.toContain(BOT_TOKEN)

    const status = page.getByRole('group', { name: 'Status of the source' })
    await button(page, 'Run now').click()
    await status.getByText('Synced').waitFor()
    await page.getByText('3 holders').waitFor()
    await page.getByRole('combobox', { name: 'Update every' }).selectOption({ label: 'day' })
    await button(page, 'Save source').click()
    await status.getByText('Scheduled').waitFor()
    discord.members.clear()
    await button(page, 'Run now').click()
    await status.getByText('The run needs a confirmation').waitFor()
    await checkLooks(page, 'source-held')
    await status.getByRole('button', { name: 'Remove holders' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove holders' }).click()
    await page.getByText('0 holders').waitFor()

    await page.getByLabel(/^Bot token/).fill('revoked-token')
    await button(page, 'Save source').click()
    await status.getByText('Scheduled').waitFor()
    await button(page, 'Run now').click()
    await status.getByText(/Failed once: .*status 401/).waitFor()
    const id = page.url().match(/credentials\/(\d+)/)?.[1] ?? ''
    await page.goto(`${issuer}/explore/credentials/${id}`)
    await page.getByText('This list cannot be updated at the moment').waitFor()
    await page.getByText('Failed', { exact: true }).waitFor()
    await checkLooks(page, 'explore-credential-failing')
    await page.getByRole('link', { name: 'See why the source fails' }).click()
    await status.getByText(/Failed once/).waitFor()

    await page.goto(`${issuer}/operator/health`)
    await page.getByText('Failed syncs').waitFor()
    expect(await page.getByText('No problems found').count()).toBe(0)
    await page.getByRole('definition').getByRole('link', { name: '1' }).click()
    await page.getByRole('heading', { name: 'Sync', exact: true }).waitFor()

    await page.goto(`${issuer}/content/credentials/${id}`)
    await button(page, 'Remove source').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove source' }).click()
    await page.getByText('The source was removed').waitFor()
    await status.waitFor({ state: 'detached' })
    expect(await world.database.query('SELECT FROM credential_sources')).toEqual([])
    expect(complaints).toEqual([])
    await profile.close()
  })

  test('is a list at a URL, and marks invalid entries, also in German', { timeout: 60_000 }, async () => {
    const profile = await openAs(operator, 'de-DE')
    const { page, complaints } = await visit(profile, `${issuer}/content/credentials/${LISTS}`)
    await page.getByRole('combobox', { name: 'Geprüft durch' }).selectOption('CSV')
    await button(page, 'Speichern').click()
    const url = page.getByRole('textbox', { name: 'URL der Datei' })
    await url.fill(`${upstream.url}/list`)
    await page.getByRole('combobox', { name: 'Format' }).selectOption({ label: 'Text, eine Adresse je Zeile' })
    await button(page, 'Quelle testen').click()
    await page.getByText('Die Quelle funktioniert: 2 Einträge').waitFor()
    await page.getByText('1 Eintrag ist kein gültiger Inhaber dieses Nachweises.').waitFor()
    await page.getByText('Weitere Einstellungen').click()
    await page.getByRole('combobox', { name: 'Ungültige Einträge' }).selectOption({ label: 'Überspringen' })
    await checkLooks(page, 'source-german')
    await button(page, 'Quelle speichern').click()
    await page.getByRole('group', { name: 'Stand der Quelle' }).getByText(upstream.host).waitFor()
    expect(await url.getAttribute('placeholder')).toBe(`Gespeichert (${upstream.host}); zum Behalten leer lassen`)
    await button(page, 'Jetzt ausführen').click()
    await page.getByText('1 Inhaber', { exact: false }).first().waitFor()

    await page
      .getByRole('combobox', { name: 'Art der Quelle' })
      .selectOption({ label: 'Guthaben an Token oder Coin (EVM)' })
    await page.getByRole('textbox', { name: 'Contract des Tokens' }).fill('0x12')
    await button(page, 'Quelle testen').click()
    await page.getByText('Gib eine EVM-Adresse ein: 0x und 40 Hexadezimalziffern.').waitFor()
    await checkLooks(page, 'source-variants')
    expect(complaints).toEqual([])
    await profile.close()
  })

  test('names each interval in German in the same way', { timeout: 60_000 }, async () => {
    await importRecords(world.deps, 'credentials', [
      { id: '9304', name: 'Slow list', credSource: 'CSV', credType: 'EVM_ADDRESS', curatorSpaceId: SPACE },
    ])
    await setSource(world.deps, '9304', { kind: 'CSV', url: `${upstream.url}/list`, everySeconds: 7_200 })
    const profile = await openAs(operator, 'de-DE')
    const { page } = await visit(profile, `${issuer}/content/credentials/9304`)
    const options = page.getByRole('combobox', { name: 'Aktualisierung' }).locator('option')
    await options.first().waitFor({ state: 'attached' })
    expect(await options.allTextContents()).toContain('alle 7.200 Sekunden')
    await profile.close()
  })

  test('asks only for the settings of its kind and of the chosen format', { timeout: 60_000 }, async () => {
    const profile = await openAs(operator)
    const { page } = await visit(profile, `${issuer}/content/spaces/${SPACE}/new-credential`)
    // The page asks before it discards the settings of another kind.
    page.on('dialog', (dialog) => void dialog.accept())
    const by = page.getByRole('combobox', { name: 'Verified by' })
    await by.selectOption('REST')
    const format = page.getByRole('combobox', { name: 'Format' })
    expect(await format.locator('option').allTextContents()).toEqual([
      'JSON',
      'CSV with a column',
      'Text, one address per line',
    ])
    const path = page.getByRole('textbox', { name: 'Path of the list' })
    const column = page.getByRole('textbox', { name: 'Column' })
    expect([await path.count(), await column.count()]).toEqual([1, 0])
    await format.selectOption('csv')
    expect([await path.count(), await column.count()]).toEqual([0, 1])
    await format.selectOption('text')
    expect([await path.count(), await column.count()]).toEqual([0, 0])
    await by.selectOption('CONTRACT_NFT_HOLDER')
    const standard = page.getByRole('combobox', { name: 'Standard' })
    expect(await standard.locator('option').allTextContents()).toEqual(['Choose', 'ERC-721', 'ERC-1155'])
    await by.selectOption('GRAPHQL')
    await page.getByText('A JSON pointer in “data” of the response.').waitFor()
    expect(await path.getAttribute('placeholder')).toBe('/holders')
    await page.getByRole('combobox', { name: 'Next page' }).selectOption('cursor')
    await page.getByRole('textbox', { name: 'Path of the cursor' }).waitFor()
    expect(await page.getByText('A JSON pointer in “data” of the response.').count()).toBe(2)
    await profile.close()
  })

  test('gives way to an own list with the second attempt if its removal fails', { timeout: 60_000 }, async () => {
    const profile = await openAs(operator)
    await importRecords(world.deps, 'credentials', [
      { id: '9303', name: 'Late list', credSource: 'CSV', credType: 'EVM_ADDRESS', curatorSpaceId: SPACE },
    ])
    const { page } = await visit(profile, `${issuer}/content/credentials/9303`)
    const by = page.getByRole('combobox', { name: 'Verified by' })
    await by.selectOption('CSV')
    await button(page, 'Save').click()
    await page.getByRole('textbox', { name: 'URL of the file' }).fill(`${upstream.url}/list`)
    await button(page, 'Save source').click()
    await page.getByRole('group', { name: 'Status of the source' }).waitFor()
    page.on('dialog', (dialog) => void dialog.accept())
    await page.route('**/source', (route) => (route.request().method() === 'DELETE' ? route.abort() : route.continue()))
    await by.selectOption('LIST')
    await button(page, 'Save').click()
    await page.getByText('The service does not respond').waitFor()
    await page.unroute('**/source')
    await button(page, 'Save').click()
    await page.getByText('Nobody holds this credential yet').waitFor()
    expect(await world.database.query("SELECT FROM credential_sources WHERE credential_id = '9303'")).toEqual([])
    await profile.close()
  })
})
