import { dirname, join, normalize } from 'node:path/posix'
import type { MarkdownRenderer } from 'vitepress'
import { manualPages, outputOf } from './contents.ts'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

/** The id that repository hosts give to a heading. */
export const headingId = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')

/**
 * Converts links between files of the repository to links of the manual. A link to a file that is not part of the
 * manual becomes the name of the file.
 */
export function linkPages(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('manual-links', ({ tokens, env }) => {
    const { relativePath } = env as { relativePath: string }
    const page = manualPages.find((each) => each.file === relativePath || outputOf(each) === relativePath)
    if (page) for (const { children } of tokens) replaceLinks(children ?? [], page.file)
  })
}

function replaceLinks(children: Token[], from: string): void {
  const kept: boolean[] = []
  for (const token of children) {
    if (token.type === 'link_open') {
      const href = token.attrGet('href') ?? ''
      const target = targetOf(href, from)
      kept.push(target !== undefined)
      if (target === undefined) {
        token.tag = 'span'
        token.attrs = [
          ['class', 'path'],
          ['title', `${href.replace(/^(\.\.?\/)+/, '')} in the repository`],
        ]
      } else token.attrSet('href', target)
    } else if (token.type === 'link_close' && kept.pop() === false) token.tag = 'span'
  }
}

function targetOf(href: string, from: string): string | undefined {
  if (/^([a-z][a-z0-9+.-]*:|[/#])/i.test(href)) return href
  const [path = '', fragment] = href.split('#')
  const file = normalize(join(dirname(from), path)).replace(/\/$/, '')
  const page = manualPages.find((each) => each.file === file || each.file === `${file}/README.md`)
  if (!page) return undefined
  return fragment === undefined ? `/${page.slug}` : `/${page.slug}#${fragment}`
}

/** The field `repository` of package.json. */
export type Repository = string | { url: string }

/** Each page links to its Markdown file at the repository host, if package.json names a repository. */
export function editLink(repository: Repository | undefined): { editLink?: { pattern: string } } {
  if (repository === undefined) return {}
  const url = typeof repository === 'string' ? repository : repository.url
  return { editLink: { pattern: `${url.replace(/^git\+/, '').replace(/\.git$/, '')}/edit/main/:path` } }
}
