import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY } from '../../src/clock.ts'
import { pageTexts } from '../../src/texts/page-texts.ts'
import { languageOf, preferredTags } from '../../src/texts/request-language.ts'
import { writeRankDays } from '../../src/ranking/rank-days.ts'
import { MAIN_QUEST, members, NOW, startWorld, type World } from '../support/fixture.ts'

const MEMBER = members.toSorted((a, b) => b.points - a.points)[0]?.address ?? ''
const PAGES = [
  '/',
  '/?after=1',
  '/s/forty',
  '/s/forty?sprint=1&movement=30d',
  `/s/forty?find=${MEMBER.slice(0, 8)}`,
  '/s/forty?find=nobody',
  '/s/forty?me=absent',
  '/s/forty/quests',
  '/s/forty/quests?state=ended',
  `/m/forty/${MEMBER}`,
  `/q/${MAIN_QUEST}`,
  '/b/1',
  '/embed/forty',
  '/nothing',
  '/s/nothing',
  '/oauth',
  '/oauth?client_id=unknown',
  '/oauth?client_id=https://127.0.0.1/client.json',
  '/oauth?client_id=a&client_id=b',
  '/visit?link=forged',
]

/** Texts of the fixture that are not names. */
const DATA = ['Who is heard.', 'Autumn pool', '10,000 AUR', 'One of two', 'Aurora NFT', '25 points']
const SHOWN_ATTRIBUTES = ['alt', 'aria-label', 'placeholder', 'title']
const SHOWN_METADATA = ['description', 'og:title', 'og:description', 'og:image:alt']

/** The texts of a document in the order of the page, also those for readers who do not see it. */
function textsOf(node: DefaultTreeAdapterTypes.Node): string[] {
  if (node.nodeName === 'style' || node.nodeName === 'script' || node.nodeName === 'code') return []
  if ('lang' in attributesOf(node)) return node.nodeName === 'html' ? childTexts(node) : []
  return [...Object.values(attributesOf(node)), ...childTexts(node)]
}

const childTexts = (node: DefaultTreeAdapterTypes.Node) => ('childNodes' in node ? node.childNodes.flatMap(textOf) : [])
const textOf = (node: DefaultTreeAdapterTypes.Node): string[] =>
  node.nodeName === '#text'
    ? [(node as DefaultTreeAdapterTypes.TextNode).value.replace(/\s+/g, ' ').trim()]
    : textsOf(node)
function attributesOf(node: DefaultTreeAdapterTypes.Node): Record<string, string> {
  const all = Object.fromEntries(('attrs' in node ? node.attrs : []).map(({ name, value }) => [name, value]))
  const isShown = (name: string) =>
    name === 'lang' ||
    SHOWN_ATTRIBUTES.includes(name) ||
    (name === 'content' && SHOWN_METADATA.includes(all.name ?? all.property ?? ''))
  return Object.fromEntries(Object.entries(all).filter(([name]) => isShown(name)))
}

/** The words of the catalogue that are others in German. */
const words = new Map<unknown, unknown>(
  (function pairs(english: object, german: object): [unknown, unknown][] {
    return Object.entries(english).flatMap(([key, text]: [string, unknown]) => {
      const translated = (german as Record<string, unknown>)[key]
      return typeof text === 'object' && text ? pairs(text, translated as object) : [[text, translated]]
    })
  })(pageTexts.en, pageTexts.de).filter(([english, german]) => english !== german),
)

const isSentence = (text: string) => /\p{L}{2} \S/u.test(text)

describe('the language of a request', () => {
  it.each<[expected: string, url: string, headers: { cookie?: string; 'accept-language'?: string }]>([
    ['en', '/', {}],
    ['de', '/', { 'accept-language': 'de-AT' }],
    ['de', '/', { 'accept-language': 'fr, de;q=0.5, en;q=0.2' }],
    ['en', '/', { 'accept-language': 'de;q=0.1, en;q=0.9' }],
    ['en', '/', { 'accept-language': 'de;q=0, fr' }],
    ['en', '/', { 'accept-language': '*' }],
    ['en', '/', { 'accept-language': 'de', cookie: 'a=1; questboard-language=en' }],
    ['de', '/', { 'accept-language': 'de', cookie: 'questboard-language=fr' }],
    ['de', '/', { 'accept-language': 'de', cookie: 'not-questboard-language=en' }],
    ['de', '/?a=1&lang=de', { cookie: 'questboard-language=en' }],
    ['en', '/?lang=constructor', {}],
    ['en', '/?slang=de', {}],
  ])('is %s for %s %o', (expected, url, headers) => {
    expect(languageOf({ url, headers })).toBe(expected)
  })

  it('reads a bounded part of the header', () => {
    expect(preferredTags('a,'.repeat(10_000))).toHaveLength(20)
  })
})

describe('a page of the service', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld({ settings: { QUESTBOARD_PUBLIC_URL: 'https://boards.example' } })
    await world.database.query(`INSERT INTO space_pages VALUES (40, 'forty', now())`)
    await world.database.query(`INSERT INTO starboard_pages VALUES ('1', now())`)
    await writeRankDays(world.database.kysely, NOW - 3 * DAY)
  })
  afterAll(() => world.stop())

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(world.url + path, { headers: { accept: 'text/html', ...headers }, redirect: 'manual' })
  const german = { 'accept-language': 'de-DE,de;q=0.9,en;q=0.8' }

  it.each(PAGES)('shows no English sentence to a German reader, and declares its language: %s', async (path) => {
    const [inGerman, inEnglish] = await Promise.all([get(path, german), get(path)])
    expect(inGerman.status).toBe(inEnglish.status)
    expect([inGerman, inEnglish].map(({ headers }) => headers.get('content-language'))).toEqual(['de', 'en'])
    expect(inGerman.headers.get('vary')).toContain('accept-language')
    const documents = [parse(await inGerman.text()), parse(await inEnglish.text())] as const
    const langs = documents.map((document) =>
      attributesOf(document.childNodes.find(({ nodeName }) => nodeName === 'html')!),
    )
    expect(langs).toEqual([{ lang: 'de' }, { lang: 'en' }])
    const [shown, original] = documents.map(textsOf) as [string[], string[]]
    expect(shown).toHaveLength(original.length)
    const { rows } = await world.database.pool.query<{ text: string }>(
      `SELECT name AS text FROM spaces UNION SELECT description FROM spaces UNION SELECT name FROM quests
       UNION SELECT name FROM sprints UNION SELECT description FROM quests UNION SELECT username FROM profiles
       UNION SELECT name FROM credentials UNION SELECT name FROM starboards`,
    )
    const data = [...DATA, ...rows.map(({ text }) => text ?? '')]
    const parts = (texts: string[]) => texts.flatMap((text) => text.split(' · ')).filter((text) => !data.includes(text))
    const translated = parts(shown)
    const untranslated = parts(original).filter(
      (text) => translated.includes(text) && (isSentence(text) || words.has(text)),
    )
    expect(untranslated).toEqual([])
  })

  it('has another ETag in each language, also when it is in memory', async () => {
    const path = '/s/forty?movement=24h'
    const read = async (headers: Record<string, string>) => {
      const response = await get(path, headers)
      const { headers: sent } = response
      return [sent.get('content-language'), sent.get('etag'), (await response.text()).includes('Rangliste')]
    }
    const first = [await read({}), await read(german)]
    expect(first.map(([language, , isGerman]) => [language, isGerman])).toEqual([
      ['en', false],
      ['de', true],
    ])
    expect(first[0]?.[1]).not.toBe(first[1]?.[1])
    expect([await read({}), await read(german)]).toEqual(first)
    const etag = String(first[1]?.[1])
    expect((await get(path, { ...german, 'if-none-match': etag })).status).toBe(304)
    expect((await get(path, { 'if-none-match': etag })).status).toBe(200)
  })

  it('follows the choice of the visitor, and an address with a language before it', async () => {
    const cookie = 'questboard-language=de'
    const language = async (path: string, headers: Record<string, string>) =>
      (await get(path, headers)).headers.get('content-language')
    expect(await language('/s/forty', { cookie })).toBe('de')
    expect(await language('/s/forty', { ...german, cookie: 'questboard-language=en' })).toBe('en')
    expect(await language('/s/forty?lang=en', { cookie })).toBe('en')
    expect(await language('/nothing?lang=de', {})).toBe('de')
  })

  it('writes numbers and dates as its language does', async () => {
    const page = await (await get(`/m/forty/${MEMBER}`, german)).text()
    expect(page).toContain(members.length.toLocaleString('de'))
    expect(page).toMatch(/\d{2}\.\d{2}\.2026, \d{2}:\d{2}/)
    expect(pageTexts.de.pointsCount(1)).toBe('1 Punkt')
    expect(pageTexts.de.pointsCount(1_234)).toBe('1.234 Punkte')
  })

  it('names its address in each language for search engines', async () => {
    const page = await (await get('/s/forty?sprint=1')).text()
    expect(page).toContain('<link rel="canonical" href="https://boards.example/s/forty">')
    expect(page).toContain('<link rel="alternate" hreflang="de" href="https://boards.example/s/forty?lang=de">')
    expect(page).toContain('<link rel="alternate" hreflang="x-default" href="https://boards.example/s/forty">')
    const inGerman = await (await get('/s/forty?sprint=1&lang=de')).text()
    expect(inGerman).toContain('<link rel="canonical" href="https://boards.example/s/forty?lang=de">')
    const sitemap = await (await get('/sitemap.xml')).text()
    expect(sitemap).toContain(
      '<xhtml:link rel="alternate" hreflang="de" href="https://boards.example/s/forty?lang=de"/>',
    )
    expect(await (await get('/robots.txt')).text()).toContain('Allow: /?lang=\n')
  })

  it('links to itself in the other language, with the other parameters', async () => {
    const page = await (await get('/s/forty?sprint=1&lang=de&movement=30d')).text()
    expect(page).toMatch(/<a\s+class="language"[^>]*href="\/s\/forty\?sprint=1&amp;movement=30d&amp;lang=en"/)
    expect(await (await get('/nothing')).text()).toMatch(/<a\s+class="language"[^>]*href="\?lang=de"/)
    // The address of a sign-in request is not repeated.
    expect(await (await get('/oauth?state=secret')).text()).toMatch(/<button type="button" class="language" lang="de"/)
  })

  it('has an image for link previews in its language', async () => {
    const image = async (path: string) =>
      /property="og:image" content="https:\/\/boards\.example([^"]*)"/
        .exec(await (await get(path)).text())?.[1]
        ?.replaceAll('&amp;', '&') ?? ''
    const [english, inGerman] = [await image('/s/forty'), await image('/s/forty?lang=de')]
    expect([english, inGerman]).toEqual([
      expect.stringMatching(/^\/s\/forty\/share\.png\?v=/),
      expect.stringMatching(/^\/s\/forty\/share\.png\?lang=de&v=/),
    ])
    const etags = await Promise.all([english, inGerman].map(async (path) => (await get(path)).headers.get('etag')))
    expect(new Set(etags).size).toBe(2)
  })

  it('has embeds in the language of the reader or of the address, whatever the reader has chosen here', async () => {
    const badge = async (query: string, headers: Record<string, string> = {}) =>
      (await get(`/embed/forty/${MEMBER}.svg${query}`, headers)).text()
    expect(await badge('')).toContain('Rank 1')
    expect(await badge('', german)).toContain('Rang 1')
    expect(await badge('?lang=de')).toContain('Rang 1')
    expect(await badge('', { cookie: 'questboard-language=de' })).toContain('Rank 1')
  })

  it('refuses too many requests in the language of the reader', async () => {
    await world.database.query(
      `INSERT INTO attempt_windows (name, window_start, attempts)
       SELECT 'community-page:127.0.0.1', $1::bigint - $1::bigint % 60, 600
       ON CONFLICT (name, window_start) DO UPDATE SET attempts = 600`,
      [Math.floor(world.clock.now() / 1000)],
    )
    const refused = await get('/s/forty?movement=30d&after=', german)
    expect([refused.status, await refused.text()]).toEqual([429, `${pageTexts.de.tooManyRequests}\n`])
  })
})
