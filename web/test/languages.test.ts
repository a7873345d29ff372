import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECOND } from '../../server/src/clock.ts'
import { NOW, startWorld, type World } from '../../server/test/support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { SECURITY_EVENTS } from '../../server/src/audit/audit.ts'
import { setOperator } from '../../server/src/accounts/account.queries.ts'
import { findings } from '../src/texts/de/findings.ts'
import { german } from '../src/texts/de/index.ts'
import { errors as germanErrors } from '../src/texts/de/errors.ts'
import { faults as germanFaults } from '../src/texts/de/faults.ts'
import { faults as englishFaults } from '../src/texts/en/faults.ts'
import { english } from '../src/texts/en/index.ts'
import { german as germanPages } from '../../server/src/texts/de.ts'
import { english as englishPages } from '../../server/src/texts/en.ts'
import { type FindingCode, type FindingText, findingTexts } from '../../server/src/texts/findings.ts'
import { pageFormatFor } from '../../server/src/texts/page-format.ts'
import { formatFor } from '../src/texts/format.ts'
import { emptyApp } from '../src/apps/app-form.ts'
import { isWiderThanWindow, keepScreenshot, openBrowser, type Scheme, settle, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { actAs } from './signed-in.ts'

const PAGES = [
  '/',
  '/s/forty',
  '/s/forty?find=0x5ab65ba0eb67bcec5da82705ccf3806d9923f676',
  '/q/GChdWUjXX3',
  '/b/1',
  '/embed/forty',
  '/playground',
  '/sign-in',
  '/account',
  '/account/apps',
  '/account/security',
  '/explore',
  '/explore/spaces/40',
  '/explore/starboards/1',
  '/explore/credentials/500',
  '/explore/quests/GChdWUjXX3',
  '/my',
  '/content',
  '/content/spaces/40',
  '/content/spaces/40/leaderboard',
  '/content/spaces/40/points',
  '/content/spaces/40/rules',
  '/content/spaces/40/snapshots',
  '/content/spaces/40/settings',
  '/content/spaces/40/new-quest',
  '/content/spaces/40/new-credential',
  '/content/new-starboard',
  '/content/starboards/1',
  '/settings/server-api',
  '/settings/server-api/usage',
  '/settings/server-api/apps',
  '/settings/server-api/apps/APP',
  '/settings/server-api/apps/APP/sign-in',
  '/settings/server-api/apps/APP/secrets',
  '/settings/server-api/apps/APP/integration',
  '/settings/server-api/apps/APP/activity',
  '/settings/server-api/webhooks',
  '/settings/server-api/webhooks/WEBHOOK/deliveries/MESSAGE',
  '/settings/server-api/ingest-tokens',
  '/operator',
  '/operator/apps',
  '/operator/people',
  '/operator/bans',
  '/operator/plans',
  '/operator/syncs',
  '/operator/snapshots',
  '/operator/import',
  '/operator/log',
  '/operator/health',
]

const WEBHOOK = '00000000-0000-4000-8000-0000000000f1'
const MESSAGE = `msg_${'0f'.repeat(16)}`
const APP = { name: 'Board Games', purpose: 'Rangliste', redirectUris: ['https://app.example.com/callback'] }

/** Forms with input that the service refuses, and the texts at their fields. */
const REFUSED_FORMS = [
  {
    name: 'webhook',
    path: '/settings/server-api/webhooks',
    act: async (page: Page) => {
      await page.getByRole('button', { name: 'Webhook hinzufügen' }).click()
      await page.getByLabel('URL').fill('ftp://hooks.example')
      await page.getByRole('button', { name: 'Hinzufügen', exact: true }).click()
    },
    says: ['Gib eine URL ein, die mit https:// oder http:// beginnt, ohne Anmeldedaten.'],
  },
  {
    name: 'app',
    path: '/settings/server-api/apps/APP/sign-in',
    act: async (page: Page) => {
      await page.getByLabel(/^Redirect-URIs/).fill('https://app.example.com/callback\nhttp://app.example.com/x')
      await page.getByRole('button', { name: 'Speichern' }).click()
    },
    says: [
      'Zeile 2: Gib eine vollständige https-URL in normaler Schreibweise ein, ohne Platzhalter und ohne Fragment. Lokale Apps dürfen http://localhost oder ein eigenes Schema verwenden.',
    ],
  },
  {
    name: 'starboard',
    path: '/content/new-starboard',
    act: async (page: Page) => {
      await page.getByLabel('Name', { exact: false }).first().fill('G'.repeat(201))
      await page.getByLabel('ID', { exact: true }).fill('not an id')
      await page.locator('form button[type=submit]').click()
    },
    says: ['Höchstens 200 Zeichen.', 'Verwende 1 bis 100 Buchstaben, Ziffern, _ oder -.'],
  },
]

/** The texts of a catalogue by path. Functions are called with placeholders. */
function textsOf(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') return textsOf((value as (...of: unknown[]) => unknown)(2, 2, 2, 2, 2), path)
  return Object.entries(value as object).flatMap(([key, entry]) => textsOf(entry, `${path}.${key}`))
}

/** Words for things that have another name on the pages. */
const OTHER_WORDS = {
  english: /server access token|\binstallation|\bboards?\b|\bmail address/i,
  german:
    /Credential|Operator|Benutz|\bPl(an|äne)\b|Mailadresse|Besitz|Loyalty|Gasgebühr|Installation|(des|dieses|eines) Space\b|\bpro [A-Z]|\b([Ee]in|[Dd]as) Wallet\b|\bTags\b|\b(von|viele|öffentliche|keine) Tokens\b|kann nicht rückgängig|Leer lassen für/,
}
/** Words that address the reader formally. `Sie` and `Ihr` can begin a sentence about a thing. */
const FORMAL = /[a-zäöüß,] (Sie|Ihre?[mnrs]?)\b|\bSie (können|müssen|sehen)\b/

const formatOfPages = (locale: string) => ({ ...formatFor(locale), ...pageFormatFor(locale) })
/** The texts of the app, and those of pages that the service writes. */
const inEnglish = [
  ...textsOf(english(formatFor('en'))),
  ...textsOf(englishFaults, 'faults'),
  ...textsOf(englishPages(formatOfPages('en')), 'pages'),
]
const inGerman = new Map([
  ...textsOf(german(formatFor('de'))),
  ...textsOf(germanFaults, 'faults'),
  ...textsOf(germanErrors, 'errors'),
  ...textsOf(germanPages(formatOfPages('de')), 'pages'),
])
/** English texts that a German page must not show. Single words can be equal in both languages, or be data. */
const foreign = new Set(
  inEnglish.filter(([path, text]) => text.includes(' ') && inGerman.get(path) !== text).map(([, text]) => text),
)

describe('the German texts', () => {
  it('translate every sentence', () => {
    const same = inEnglish.filter(([path, text]) => text.split(' ').length > 3 && inGerman.get(path) === text)
    expect(same).toEqual([])
  })

  it('address the reader with du', () => {
    expect([...inGerman].filter(([, text]) => FORMAL.test(text))).toEqual([])
  })

  it('have the same placeholders as the English ones', () => {
    const marks = (text: string) => (text.match(/\b2\b/g) ?? []).length
    expect(inEnglish.filter(([path, text]) => marks(text) !== marks(inGerman.get(path) ?? ''))).toEqual([])
  })
})

describe('the German messages of checks', () => {
  const places = (text = '') =>
    [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name).filter((name) => name !== 'program' && name !== 'text')

  it.each(Object.entries<FindingText>(findingTexts))(
    'have the parameters of the English one: %s',
    (code, inEnglish) => {
      const { says, advice } = findings.texts[code as FindingCode]
      expect(new Set(places(says))).toEqual(new Set(places(inEnglish.says)))
      expect(new Set(places(advice))).toEqual(new Set(places(inEnglish.advice)))
      expect(advice === undefined).toBe(inEnglish.advice === undefined)
    },
  )

  it('name the program where the English ones do', () => {
    const codes = (texts: Readonly<Record<string, FindingText>>, program: string) =>
      Object.entries(texts).flatMap(([code, { advice }]) => (advice?.includes(program) ? [code] : []))
    expect(codes(findings.texts, '{program} ')).toEqual(codes(findingTexts, '`questboard '))
  })
})

describe('the texts of the pages', () => {
  it('name every event of the audit log', () => {
    expect(Object.keys(english(formatFor('en')).account.security.events).toSorted()).toEqual(SECURITY_EVENTS.toSorted())
  })

  it('use one word for each thing', () => {
    expect(inEnglish.filter(([, text]) => OTHER_WORDS.english.test(text))).toEqual([])
    expect([...inGerman].filter(([, text]) => OTHER_WORDS.german.test(text))).toEqual([])
  })
})

describe.skipIf(findChromium() === undefined)('a page in another language', () => {
  let service: World
  let issuer: string
  let browser: Browser
  let person: SignedIn
  let profile: BrowserContext
  let clientId: string

  /** A profile of a browser in German, in which the person is signed in. */
  async function germanProfile(
    { width, scheme }: { width: number; scheme: Scheme } = { width: 360, scheme: 'light' },
  ): Promise<BrowserContext> {
    const opened = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme: scheme,
      locale: 'de-DE',
      reducedMotion: 'reduce',
    })
    await opened.clock.setFixedTime(NOW)
    await actAs(opened, issuer, person)
    return opened
  }

  beforeAll(async () => {
    const port = await freePort()
    issuer = `http://localhost:${port}`
    const settings = {
      QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
      QUESTBOARD_PUBLIC_URL: issuer,
    }
    service = await startWorld({ port, settings })
    browser = await openBrowser()
    person = await signedInBrowser(service.app)
    await setOperator(service.deps.database.kysely, person.account.id, new Date())
    const registered = await person.browser.call('POST', '/api/apps', { ...emptyApp, ...APP })
    clientId = registered.json<{ clientId: string }>().clientId
    await service.database.query(`INSERT INTO space_pages VALUES (40, 'forty', now())`)
    await service.database.query(`INSERT INTO starboard_pages (starboard_id, published_at) VALUES ('1', now())`)
    await service.database.query(
      `INSERT INTO webhook_endpoints (endpoint_id, account_id, url, description, event_types, subjects, min_points, top,
         boards, created_at)
       VALUES ($1, $2, 'https://hooks.example', '', '{points.awarded}', '{}', 1, 10, 'all', now())`,
      [WEBHOOK, person.account.id],
    )
    await service.database.query(
      `INSERT INTO webhook_messages (endpoint_id, message_id, event_type, payload, created_at, state)
       VALUES ($1, $2, 'points.awarded', '{}', now(), 'failed')`,
      [WEBHOOK, MESSAGE],
    )
    await service.database.query(
      `INSERT INTO webhook_attempts (endpoint_id, message_id, attempt, started_at, duration_ms, status, error, response)
       VALUES ($1, $2, 1, now(), 20, 500, 'answered 500', '')`,
      [WEBHOOK, MESSAGE],
    )
    profile = await germanProfile()
  })
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  it.each(PAGES)('uses the language of the browser, shows no English sentence and fits a phone: %s', async (path) => {
    const { page, complaints } = await visit(
      profile,
      issuer + path.replace('APP', clientId).replace('WEBHOOK', WEBHOOK).replace('MESSAGE', MESSAGE),
    )
    await page.locator('h1, h2').first().waitFor()
    await settle(page)
    expect(await page.getAttribute('html', 'lang')).toBe('de')
    const shown = await page.evaluate<string[]>(
      `[...document.querySelectorAll('body *')].flatMap((element) => [...element.childNodes])
        .filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ textContent }) => textContent.trim())`,
    )
    expect(shown.filter((text) => foreign.has(text))).toEqual([])
    expect(await isWiderThanWindow(page)).toBe(false)
    const [title = '', ...repeated] = await page.getByRole('heading', { level: 1 }).allInnerTexts()
    expect(repeated).toEqual([])
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).not.toContain(title)
    const empty = await page.locator('div.empty').allInnerTexts()
    expect(empty.filter((text) => text.split('\n')[0]?.endsWith('.'))).toEqual([])
    await keepScreenshot(page, `german${path.replaceAll(/[/?]/g, '-')}-360`)
    expect(complaints).toEqual([])
    await page.close()
  })

  it.each([
    { width: 360, scheme: 'light' },
    { width: 360, scheme: 'dark' },
    { width: 1440, scheme: 'dark' },
  ] as const)('explains in German why it refuses fields: $width $scheme', async ({ width, scheme }) => {
    const opened = await germanProfile({ width, scheme })
    for (const { name, path, act, says } of REFUSED_FORMS) {
      const { page } = await visit(opened, issuer + path.replace('APP', clientId))
      await act(page)
      for (const text of says) await page.getByText(text, { exact: true }).waitFor()
      expect(await page.getByText(/is missing|must be|not allowed/).count(), name).toBe(0)
      expect(await isWiderThanWindow(page), name).toBe(false)
      await keepScreenshot(page, `german-refused-${name}-${scheme}-${width}`)
      await page.close()
    }
    await opened.close()
  })

  it('translates every finding of the checks', async () => {
    const answer = await person.browser.get('/api/operator/health')
    const { findings: found } = answer.json<{ findings: { says: string; advice: string | null }[] }>()
    expect(found.length).toBeGreaterThan(8)
    const { page } = await visit(profile, `${issuer}/operator/health`)
    await page.getByRole('heading', { name: 'Befunde' }).waitFor()
    const shown = await page.getByRole('main').innerText()
    expect(found.flatMap(({ says, advice }) => [says, advice ?? says]).filter((text) => shown.includes(text))).toEqual(
      [],
    )
    expect(shown).toContain('Keinem Proxy wird vertraut.')
    await page.close()
  })

  it('says in German why a query of a page is refused', async () => {
    // The clock stands still, and the queries of earlier pages have used up the quota of this second.
    service.clock.advance(SECOND)
    const { page } = await visit(profile, `${issuer}/explore/spaces/40?sprint=99`)
    await page.getByText('Diesen Sprint gibt es nicht.').waitFor()
    await page.goto(`${issuer}/explore/credentials/500`)
    await page.getByLabel('Adresse oder Identität').first().fill('some_name')
    await page.getByRole('button', { name: 'Prüfen' }).click()
    await page
      .getByText('Das ist keine Adresse oder Identität, die hier zählen kann. Prüfe Art und Schreibweise.')
      .waitFor()
    await page.close()
  })

  it('says in German why a list cannot be read', async () => {
    const { page } = await visit(profile, `${issuer}/operator/bans`)
    await page.getByLabel('Nach Adresse oder Handle filtern').fill('@')
    await page.getByLabel('Adresse oder Handle', { exact: true }).fill('@')
    const refusal = page.getByText('Gib eine vollständige Wallet-Adresse, eine E-Mail-Adresse oder ein Handle ein.')
    await expect.poll(() => refusal.count()).toBe(2)
    await page.close()
  })

  it('says in German why a snapshot failed', async () => {
    await service.database.query(
      `INSERT INTO snapshots (snapshot_id, kind, name, space_id, sprint_id, version, as_of, is_public, created_at, state,
         failure, failure_code)
       VALUES (gen_random_uuid(), 'space', 'Space', 40, 0, 1, now(), false, now(), 'failed', 'It is empty.',
         'list_empty')`,
    )
    const { page } = await visit(profile, `${issuer}/operator/snapshots`)
    await page.getByText('Die Liste ist leer.', { exact: true }).waitFor()
    expect(await page.getByText('It is empty.').count()).toBe(0)
    await page.close()
  })

  it('keeps the language that a visitor chooses', async () => {
    const chosen = await germanProfile() // keeps the choice
    const { page } = await visit(chosen, `${issuer}/sign-in`)
    await page.getByRole('button', { name: 'Sprache: Deutsch' }).click()
    await page.getByRole('menuitem', { name: 'English' }).click()
    await page.getByRole('button', { name: 'Language: English' }).waitFor()
    await page.goto(`${issuer}/account`)
    await page.getByRole('button', { name: /^Account menu of/ }).waitFor()
    expect(await page.getAttribute('html', 'lang')).toBe('en')
    await page.goto(issuer)
    await page.getByRole('heading', { name: 'Communities' }).waitFor()
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'Communitys' }).waitFor()
    await page.goto(`${issuer}/account`)
    await page.getByRole('button', { name: /^Kontomenü von/ }).waitFor()
    await chosen.close()
  })
})
