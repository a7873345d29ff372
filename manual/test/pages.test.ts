import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'parse5'
import { beforeAll, describe, expect, it } from 'vitest'
import { manualPages, type ManualPage } from '../contents.ts'
import { editLink, headingId } from '../links.ts'
import type { Section } from '../sections.ts'
import { builtManual, root } from './build.ts'

interface Facts {
  title: string
  links: string[]
  ids: Set<string>
  loaded: string[]
  inlineStyles: string[]
}

describe('the built manual', () => {
  let folder: string
  const pages = new Map<string, { page: ManualPage; facts: Facts }>()
  beforeAll(() => {
    folder = builtManual()
    for (const page of manualPages)
      pages.set(`/docs/${page.slug}`, {
        page,
        facts: factsOf(readFileSync(join(folder, `${page.slug || 'index'}.html`), 'utf8')),
      })
  })

  it('titles each page with the heading of its file, which contains the label of the navigation', () => {
    for (const { page, facts } of pages.values()) {
      const heading = /^# (.*)$/m.exec(readFileSync(join(root, page.file), 'utf8'))?.[1]
      expect(facts.title).toBe(`${heading} · Questboard`)
      if (!['', 'typescript-client'].includes(page.slug))
        expect(heading?.toLowerCase()).toContain(page.label.toLowerCase())
    }
  })

  it('lists every page and section for the search of the app', () => {
    const listed = JSON.parse(readFileSync(join(folder, 'sections.json'), 'utf8')) as Section[]
    const missing = listed.filter(({ href }) => {
      const [path = '', id] = href.split('#')
      const facts = pages.get(path === '/docs' ? '/docs/' : path)?.facts
      return !facts || (id !== undefined && !facts.ids.has(id))
    })
    expect(missing).toEqual([])
    expect(listed.length).toBeGreaterThan(pages.size)
  })

  it('has links only to existing pages, sections and pictures', () => {
    const broken: string[] = []
    for (const [from, { facts }] of pages)
      for (const link of facts.links) {
        const [path = '', id] = link.split('#')
        if (path !== '' && !path.startsWith('/docs')) continue
        const target = path === '' ? pages.get(from) : pages.get(path)
        const exists = target ? id === undefined || target.facts.ids.has(decodeURIComponent(id)) : hasFile(path)
        if (!exists) broken.push(`${from}: ${link}`)
      }
    expect(broken).toEqual([])
  })

  it('loads only files of this origin and has no inline style', () => {
    for (const { facts } of pages.values()) {
      expect(facts.loaded.length).toBeGreaterThan(3)
      expect(facts.loaded.filter((url) => url !== '/assets/icon.svg' && !hasFile(url))).toEqual([])
      expect(facts.inlineStyles).toEqual([])
    }
  })

  it('contains no source of a function, which the Content-Security-Policy would not let run', () => {
    for (const file of globSync('assets/chunks/metadata.*.js', { cwd: folder }))
      expect(readFileSync(join(folder, file), 'utf8')).not.toContain('_vp-fn_')
  })

  it('shows every file of docs/ except the decisions', () => {
    const files = new Set(manualPages.map(({ file }) => file))
    const missing = globSync('docs/**/*.md', { cwd: root }).filter((file) => !files.has(file))
    expect(missing.filter((file) => !file.startsWith('docs/decisions/'))).toEqual([])
  })

  const hasFile = (path: string) => path.startsWith('/docs/') && existsSync(join(folder, path.slice('/docs/'.length)))
})

it('a relative link of a Markdown file leads to a file of the repository', () => {
  let links = 0
  for (const { file } of manualPages) {
    const markdown = readFileSync(join(root, file), 'utf8').replace(/```[\s\S]*?```/g, '')
    for (const [, href = ''] of markdown.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^([a-z]+:|[/#])/.test(href)) continue
      links++
      expect(existsSync(join(root, dirname(file), href.split('#')[0] ?? '')), `${file}: ${href}`).toBe(true)
    }
  }
  expect(links).toBeGreaterThan(100)
})

describe('headingId', () => {
  it.each([
    ['Ranks, changes, quest states', 'ranks-changes-quest-states'],
    ['1. Start the service', '1-start-the-service'],
    ['`POST /query` & more', 'post-query--more'],
    ['What the user’s wallet_id is', 'what-the-users-wallet_id-is'],
  ])('gives %j the id that repository hosts give', (heading, id) => {
    expect(headingId(heading)).toBe(id)
  })
})

describe('editLink', () => {
  const pattern = 'https://git.example.org/team/questboard/edit/main/:path'
  it.each(['https://git.example.org/team/questboard', { url: 'git+https://git.example.org/team/questboard.git' }])(
    'leads to the repository %j',
    (repository) => {
      expect(editLink(repository)).toEqual({ editLink: { pattern } })
    },
  )

  it('is absent without a repository', () => {
    expect(editLink(undefined)).toEqual({})
  })
})

interface Node {
  nodeName: string
  value?: string
  attrs?: { name: string; value: string }[]
  childNodes?: Node[]
}

function factsOf(html: string): Facts {
  const facts: Facts = { title: '', links: [], ids: new Set(), loaded: [], inlineStyles: [] }
  const visit = ({ nodeName, attrs = [], childNodes = [] }: Node) => {
    const value = (name: string) => attrs.find((each) => each.name === name)?.value
    const id = value('id')
    if (id !== undefined) facts.ids.add(id)
    if (nodeName === 'title') facts.title ||= childNodes[0]?.value ?? ''
    if (nodeName === 'a') facts.links.push(value('href') ?? '')
    if (nodeName === 'link') facts.loaded.push(value('href') ?? '')
    const source = value('src')
    if (source !== undefined) facts.loaded.push(source)
    if (nodeName === 'style') facts.inlineStyles.push('style')
    for (const { name } of attrs) if (name === 'style' || name.startsWith('on')) facts.inlineStyles.push(nodeName)
    for (const child of childNodes) visit(child)
  }
  visit(parse(html))
  return facts
}
