import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Fastify from 'fastify'
import { parse } from 'parse5'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualPages, pathOf } from '../../src/manual/contents.ts'
import { registerManual } from '../../src/manual/routes.ts'

const root = join(import.meta.dirname, '../../..')
const fastify = Fastify()
beforeAll(() => registerManual(fastify, { publicUrl: undefined, port: 4000 }))
afterAll(() => fastify.close())

const get = async (url: string) => {
  const { statusCode, headers, body } = await fastify.inject(url)
  return { status: statusCode, headers, body }
}

test('each page of the table of contents is served, by its heading', async () => {
  for (const page of manualPages) {
    const markdown = await readFile(join(root, page.file), 'utf8')
    const { status, headers, body } = await get(pathOf(page))
    expect(status, page.file).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    const heading = /^# (.*)$/m.exec(markdown)?.[1]
    expect(body).toContain(`<title>${heading} · Questboard</title>`)
    // Who follows an entry of the contents sees that it is the page; of the first page and a package the name is its own.
    if (!['', 'typescript-client'].includes(page.slug))
      expect(heading?.toLowerCase()).toContain(page.label.toLowerCase())
  }
})

test('each Markdown file of docs/ is in the table of contents', async () => {
  const files = (await readdir(join(root, 'docs'), { recursive: true })).filter((file) => file.endsWith('.md'))
  const inManual = new Set(manualPages.map(({ file }) => file))
  const missing = files.map((file) => `docs/${file}`).filter((file) => !inManual.has(file))
  expect(missing.filter((file) => !file.startsWith('docs/decisions/'))).toEqual([])
})

test('each link within the manual leads to a page, a section or a picture that is there', async () => {
  const pages = new Map<string, ReturnType<typeof facts>>()
  for (const page of manualPages) pages.set(pathOf(page), facts((await get(pathOf(page))).body))
  const broken: string[] = []
  for (const [from, { links, ids }] of pages)
    for (const link of links) {
      const [path = '', id] = link.split('#')
      if (path === '') {
        if (!ids.has(id ?? '')) broken.push(`${from}: ${link}`)
      } else if (path.startsWith('/docs')) {
        const page = pages.get(path)
        const known = page ? id === undefined || page.ids.has(id) : (await get(path)).status === 200
        if (!known) broken.push(`${from}: ${link}`)
      }
    }
  expect(broken).toEqual([])
})

test('a relative link of a Markdown file that is no page leads to a file of the repository', async () => {
  for (const { file } of manualPages) {
    const markdown = await readFile(join(root, file), 'utf8')
    for (const [, href = ''] of markdown.replace(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^([a-z]+:|[/#])/.test(href)) continue
      const target = join(root, file, '..', href.split('#')[0] ?? '')
      await expect(
        readdir(target).catch(() => readFile(target)),
        `${file}: ${href}`,
      ).resolves.toBeDefined()
    }
  }
})

test('nothing foreign is loaded, and nothing inline runs', async () => {
  for (const page of manualPages) {
    const { headers, body } = await get(pathOf(page))
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    const { loaded, inline } = facts(body)
    expect(loaded.filter((url) => !url.startsWith('/docs/') && url !== '/assets/icon.svg')).toEqual([])
    expect(inline).toEqual([])
  }
})

test('examples use the address of this installation', async () => {
  const installed = Fastify()
  await registerManual(installed, { publicUrl: 'https://quests.example.org', port: 4000 })
  const { body } = await installed.inject('/docs/quick-start')
  await installed.close()
  const { links } = facts(body)
  expect(links).toContain('https://quests.example.org/')
  expect(body).toContain('https://quests.example.org/query')
  expect(body).not.toContain('localhost:4000')
})

test('the search finds sections by their words, begun or misspelt, and leads to them', async () => {
  for (const words of ['nginx underscores', 'undersc', 'nginx underscroes']) {
    const { body } = await get(`/docs/search?q=${encodeURIComponent(words)}`)
    expect(body, words).toContain('<a href="/docs/deploy#behind-nginx">Behind nginx</a>')
  }
  for (const words of ['token', 'tokens', 'access token']) {
    const { links } = facts((await get(`/docs/search?q=${encodeURIComponent(words)}`)).body)
    const found = links.filter((link) => /^\/docs\/.*#/.test(link) && !link.includes('#main'))
    expect(found.slice(0, 4), words).toContain('/docs/api#access-tokens')
  }
  expect((await get('/docs/search?q=zyxwvu')).body).toContain('No results.')
  expect((await get('/docs/search')).body).toContain('Enter a search term above')
  expect((await get('/docs/search?q=a&q=b')).status).toBe(200)
})

test('a search shows what is for users before what is for contributors', async () => {
  for (const words of ['award', 'webhook', 'quota']) {
    const { links } = facts((await get(`/docs/search?q=${words}`)).body)
    const found = links.filter((link) => /^\/docs\/.*#/.test(link))
    expect(found.length, words).toBeGreaterThan(2)
    expect(found.slice(0, 3).join(' '), words).not.toMatch(/\/docs\/(results|measures|contributing|architecture)#/)
  }
})

test('a search of many words looks for the first six that differ, so that it stays cheap', async () => {
  const { body } = await get(`/docs/search?q=${encodeURIComponent('nginx nginx nginx Nginx a b c d e zyxwvu')}`)
  const few = (await get(`/docs/search?q=${encodeURIComponent('nginx a b c d e')}`)).body
  expect(facts(body).links.filter((link) => link.includes('#'))).toEqual(
    facts(few).links.filter((link) => link.includes('#')),
  )
})

test('what is searched for is shown as text', async () => {
  const { body } = await get(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect(body).not.toContain('<script>alert')
  expect(facts(body).inline).toEqual([])
})

test.each([
  ['/docs/README.md', '/docs'],
  ['/docs/quick-start.md', '/docs/quick-start'],
  ['/docs/guides/leaderboard.md', '/docs/guides/leaderboard'],
])('%s, as the repository calls it, leads to %s', async (file, page) => {
  const { status, headers } = await get(file)
  expect([status, headers.location]).toEqual([308, page])
})

test.each([
  '/docs/nothing',
  '/docs/assets/../routes.ts',
  '/docs/assets/%2e%2e%2froutes.ts',
  '/docs/pictures/../../package.json',
  '/docs/pictures/api.md',
])('%s is not part of the manual', async (path) => {
  const { status, body } = await get(path)
  expect(status).toBe(404)
  expect(body).not.toContain('import ')
})

interface Node {
  nodeName: string
  attrs?: { name: string; value: string }[]
  childNodes?: Node[]
}

/** What the HTML of a page links to, loads and names. */
function facts(html: string) {
  const links: string[] = []
  const ids = new Set<string>()
  const loaded: string[] = []
  const inline: string[] = []
  const visit = ({ nodeName, attrs = [], childNodes = [] }: Node) => {
    const value = (name: string) => attrs.find((each) => each.name === name)?.value
    const id = value('id')
    if (id !== undefined) ids.add(id)
    if (nodeName === 'a') links.push(value('href') ?? '')
    if (nodeName === 'link') loaded.push(value('href') ?? '')
    if (['script', 'img', 'iframe'].includes(nodeName)) loaded.push(value('src') ?? 'inline')
    for (const { name } of attrs) if (name === 'style' || name.startsWith('on')) inline.push(`${nodeName} ${name}`)
    for (const child of childNodes) visit(child)
  }
  visit(parse(html))
  return { links, ids, loaded, inline }
}
