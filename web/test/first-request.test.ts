import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createToken } from '../../server/src/access/server-tokens.ts'
import { startWorld, type World } from '../../server/test/support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { OWNER_ACCOUNT } from '../../server/test/support/personas.ts'
import { type Area, AREAS } from '../../server/src/graphql/context.ts'
import { firstRequest, type Language, sampleFor } from '../src/server-api/first-request.ts'
import { openBrowser, openProfile, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

const interpreters: Record<Language, readonly [string, ...string[]]> = {
  curl: ['bash', '-c'],
  typescript: [process.execPath, '--input-type=module-typescript', '-e'],
  python: ['python3', '-c'],
}
const isInstalled = (program: string) =>
  run(program, ['--version']).then(
    () => true,
    () => false,
  )
const missing = (await Promise.all(['bash', 'curl', 'python3'].map(isInstalled))).flatMap((installed, place) =>
  installed ? [] : [['curl', 'curl', 'python'][place] as Language],
)

let world: World
let issuer: string

beforeAll(async () => {
  const port = await freePort()
  issuer = `http://localhost:${port}`
  const settings = {
    HOST: 'localhost',
    QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
    QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
    QUESTBOARD_PUBLIC_URL: issuer,
  }
  world = await startWorld({ port, settings })
})
afterAll(() => world.stop())

const known = { spaces: [{ id: '40' }], starboards: [{ id: '1' }], credentials: [{ id: '501' }] }
const nothing = { spaces: [], starboards: [], credentials: [] }

describe('the programs for the first request', () => {
  const execute = async (language: Language, areas: readonly Area[], objects = known) => {
    const { token } = await createToken(world.deps, { accountId: OWNER_ACCOUNT, name: language, areas })
    const program = firstRequest({ origin: issuer, token }, sampleFor(areas, objects))[language]
    const [command, ...args] = interpreters[language]
    const { stdout } = await run(command, [...args, program], { cwd: ROOT })
    return stdout
  }
  const languages = (Object.keys(interpreters) as Language[]).filter((language) => !missing.includes(language))

  describe.each(languages)('in %s', (language) => {
    it('print the first places of a board', async () => {
      expect(await execute(language, AREAS)).toContain('member-0')
    })

    it.each([
      ['quest', /GC[A-Za-z0-9]{8}/],
      ['starboard', /Voices of Aurora/],
      ['credential', /itemCount/],
    ] as const)('print objects of the area %s to a token that reads nothing else', async (area, printed) => {
      expect(await execute(language, [area])).toMatch(printed)
    })

    it('run in an empty installation', async () => {
      expect(await execute(language, ['starboard'], nothing)).toContain('Query')
    })
  })
})

describe.skipIf(findChromium() === undefined)('the first request in a browser', () => {
  let browser: Browser
  let profile: BrowserContext
  let user: SignedIn
  let here: Visit

  beforeAll(async () => {
    browser = await openBrowser()
    profile = await openProfile(browser, { width: 1440, scheme: 'light' })
    await profile.grantPermissions(['clipboard-read', 'clipboard-write'])
    user = await signedInBrowser(world.app)
    await actAs(profile, issuer, user)
  })
  afterAll(() => browser.close())
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const openTokens = async () => {
    here = await visit(profile, `${issuer}/settings/server-api`)
    const { page } = here
    await page.getByRole('button', { name: 'Generate token', exact: true }).click()
    await page.getByLabel('Name').fill('backend')
    await page.getByRole('button', { name: 'Generate', exact: true }).click()
    await page.getByText('Send the first request').waitFor()
    return { page, token: await page.locator('.secret-value').innerText() }
  }

  it('shows programs with the token and the address of the installation, and copies them', async () => {
    const { page, token } = await openTokens()
    for (const [name, language] of Object.entries({ curl: 'curl', TypeScript: 'typescript', Python: 'python' })) {
      await page.getByRole('tab', { name, exact: true }).click()
      const code = await page.getByRole('tabpanel').locator('pre').innerText()
      expect(code).toContain(token)
      expect(code).toContain(issuer)
      await page.getByRole('button', { name: `Copy ${name}`, exact: true }).click()
      await page.getByRole('tabpanel').getByRole('button', { name: 'Copied' }).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()'), language).toBe(code)
    }
    await checkLooks(page, 'first-request')
  })

  it('opens the playground with the token, which is in no URL and not in the storage of the opener', async () => {
    const { page, token } = await openTokens()
    const opening = profile.waitForEvent('page')
    await page.getByRole('button', { name: 'Run in the playground' }).click()
    const playground = await opening
    const urls = [playground.url()]
    playground.on('request', (request) => urls.push(request.url()))
    await playground.getByText('Token accepted').waitFor()
    await playground.getByRole('button', { name: 'Run', exact: true }).click()
    await playground.getByText('HTTP 200').waitFor()
    expect(urls.filter((url) => url.includes(token))).toEqual([])
    await expect.poll(() => page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(token)
    await playground.close()
  })

  it('lets a signed-in person query in the playground with the session, also after a new session', async () => {
    here = await visit(profile, `${issuer}/playground`)
    const { page } = here
    await page.getByText(/^✓ Signed in as /).waitFor()
    const paths: string[] = []
    page.on('request', (request) => paths.push(new URL(request.url()).pathname))
    await page.getByRole('button', { name: 'Get a space' }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('HTTP 200').waitFor()
    await page.getByText('Aurora Guild').first().waitFor()
    expect(paths).toContain('/api/query')
    expect(paths).not.toContain('/query')
    await checkLooks(page, 'playground-session')
  })

  it('returns to the playground after a sign-in', async () => {
    here = await visit(profile, `${issuer}/sign-in?return=%2Fplayground`)
    await here.page.getByRole('button', { name: 'Continue' }).click()
    await here.page.getByText(/^✓ Signed in as /).waitFor()
    expect(new URL(here.page.url()).pathname).toBe('/playground')
  })
})
