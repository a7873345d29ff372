import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contents } from './contents.ts'
import { headingId } from './links.ts'

/** A heading of the manual, for the search of the app. */
export interface Section {
  /** The address of the page, with the heading. */
  href: string
  title: string
  /** The page that a heading belongs to; none for the page itself. */
  page?: string
}

const HEADING = /^(#{1,3}) (.+)$/
const FENCE = /^\s*(```|~~~)/

/** The pages and headings that readers search: all but those for contributors. */
export function listSections(root: string): Section[] {
  const pages = contents.filter(({ forContributors }) => !forContributors).flatMap(({ pages }) => pages)
  return pages.flatMap(({ file, slug, label }) => {
    const address = slug === '' ? '/docs' : `/docs/${slug}`
    const headings = headingsOf(readFileSync(join(root, file), 'utf8'))
    return [
      { href: address, title: label },
      ...headings.map((title) => ({ href: `${address}#${headingId(title)}`, title, page: label })),
    ]
  })
}

/** The headings below the title of a page, as plain text. */
function headingsOf(markdown: string): string[] {
  let inCode = false
  return markdown.split('\n').flatMap((line) => {
    if (FENCE.test(line)) inCode = !inCode
    const [, level, text] = HEADING.exec(line) ?? []
    return inCode || level === undefined || level === '#' || text === undefined ? [] : [plain(text)]
  })
}

const plain = (heading: string): string => heading.replace(/`|\*\*|\[([^\]]*)\]\([^)]*\)/g, '$1').trim()
