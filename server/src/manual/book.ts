import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path/posix'
import { manualPages, type ManualPage, pathOf } from './contents.ts'
import { type LinkTarget, type RenderedPage, renderPage } from './render.ts'

export interface BookPage extends ManualPage, RenderedPage {
  path: string
  markdown: string
}

/** The address of the service in the Markdown files. */
const DEFAULT_ADDRESS = /http:\/\/localhost:4000\b/g

/**
 * Reads and renders every page of the manual.
 * @param root the folder of the checkout
 * @param issuer the address of this installation, which the examples then use
 */
export async function readBook(root: string, issuer: string): Promise<BookPage[]> {
  return Promise.all(
    manualPages.map(async (page) => {
      const text = await readFile(join(root, page.file), 'utf8')
      const markdown = text.replaceAll(DEFAULT_ADDRESS, () => issuer)
      return { ...page, path: pathOf(page), markdown, ...renderPage(markdown, linksOf(page.file)) }
    }),
  )
}

/** Pages of the manual lead to each other; pictures of docs/ and bench/plots/ are served; other files of the repository are not. */
function linksOf(from: string): LinkTarget {
  return (href) => {
    if (/^([a-z][a-z0-9+.-]*:|[/#])/i.test(href)) return href
    const [path = '', fragment] = href.split('#')
    const file = normalize(join(dirname(from), path)).replace(/\/$/, '')
    if (/^docs\/.*\.(svg|png)$/.test(file)) return `/docs/pictures/${file.slice('docs/'.length)}`
    if (/^bench\/plots\/[a-z0-9-]+\.svg$/.test(file)) return `/docs/pictures/${file}`
    const page = manualPages.find((each) => each.file === file || each.file === `${file}/README.md`)
    if (!page) return undefined
    return fragment === undefined ? pathOf(page) : `${pathOf(page)}#${fragment}`
  }
}
