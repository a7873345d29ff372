import GithubSlugger from 'github-slugger'
import MarkdownIt, { type Token } from 'markdown-it'
import { escapeHtml, highlighted } from './highlight.ts'

export interface Heading {
  level: number
  id: string
  text: string
}

export interface RenderedPage {
  title: string
  html: string
  headings: Heading[]
}

/** Where a link or picture of a page leads in the manual; undefined when it is not part of it. */
export type LinkTarget = (href: string) => string | undefined

/** Turns one Markdown file into the HTML of its article, with the ids that repositories' hosts give to headings. */
export function renderPage(markdown: string, targetOf: LinkTarget): RenderedPage {
  const reader = createReader()
  const tokens = reader.parse(markdown, {})
  const headings = markHeadings(tokens)
  markCodeOfTables(tokens)
  for (const { children } of tokens) if (children) leadLinks(children, targetOf)
  const title = headings.find(({ level }) => level === 1)?.text ?? 'Questboard'
  return { title, headings, html: reader.renderer.render(tokens, reader.options, {}) }
}

function createReader() {
  const reader = new MarkdownIt({ html: true, highlight: highlighted })
  // Wide tables scroll by themselves, by keyboard too, so that the page does not.
  reader.renderer.rules.table_open = () =>
    '<div class="scroll" tabindex="0" role="group" aria-label="Table">\n<table>\n'
  reader.renderer.rules.table_close = () => '</table>\n</div>\n'
  reader.renderer.rules.code_inline = (tokens, i) => {
    const { content, meta } = tokens[i] as Token & { meta: CodeMark | null }
    const text = escapeHtml(content)
    return `<code>${meta?.inTable ? text.replace(/[_/.](?=.)/g, '$&<wbr>') : text}</code>`
  }
  return reader
}

type CodeMark = Record<'inTable', true>

/** Long names in tables may be broken at their signs, which the style does on narrow screens. */
function markCodeOfTables(tokens: readonly Token[]): void {
  const mark: CodeMark = { inTable: true }
  let inTable = false
  for (const { type, children } of tokens) {
    if (type === 'table_open' || type === 'table_close') inTable = type === 'table_open'
    else if (inTable) for (const child of children ?? []) if (child.type === 'code_inline') child.meta = mark
  }
}

function markHeadings(tokens: Token[]): Heading[] {
  const slugger = new GithubSlugger()
  return tokens.flatMap((token, i) => {
    if (token.type !== 'heading_open') return []
    const text = textOf(tokens[i + 1]?.children ?? [])
    const id = slugger.slug(text)
    token.attrSet('id', id)
    return [{ level: Number(token.tag.slice(1)), id, text }]
  })
}

/** The words of a line, without their markup. */
export function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ content, type }) => (type === 'softbreak' ? ' ' : content)).join('')
}

/** A link to a file that is not part of the manual stays as the name of that file. */
function leadLinks(children: Token[], targetOf: LinkTarget): void {
  const open: boolean[] = []
  for (const token of children) {
    if (token.type === 'link_open') {
      const target = targetOf(attribute(token, 'href'))
      open.push(target !== undefined)
      if (target === undefined) asPath(token)
      else token.attrSet('href', target)
    } else if (token.type === 'link_close' && open.pop() === false) token.tag = 'span'
    else if (token.type === 'image') token.attrSet('src', targetOf(attribute(token, 'src')) ?? '')
  }
}

function asPath(token: Token): void {
  const file = attribute(token, 'href')
  token.tag = 'span'
  token.attrs = [
    ['class', 'path'],
    ['title', `${escapeHtml(file.replace(/^(\.\.?\/)+/, ''))} in the repository`],
  ]
}

const attribute = (token: Token, name: string) => String(token.attrGet(name) ?? '')
