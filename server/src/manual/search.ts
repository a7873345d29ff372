import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { manualNotBuilt } from '../errors.ts'

/** A section of the manual that matches. */
export interface FoundSection {
  title: string
  page: string
  url: string
  text: string
}

/** @throws UNAVAILABLE if the manual is not built */
export type SearchManual = (words: string, limit: number) => Promise<FoundSection[]>

interface Section {
  title: string
  page: string
  path: string
  text: string
  /** How often each word occurs, and once more for each word of the title. */
  words: Map<string, number>
}

const MAX_TEXT = 3_000
const TITLE_WEIGHT = 8
const HEADING = /<h([1-3]) id="([^"]*)"[^>]*>([^]*?)<\/h\1>/g
const PERMALINK = /<a class="header-anchor"[^]*?<\/a>/g
/** Labels of the blocks of code. */
const LABELS = /<button[^]*?<\/button>|<span class="lang">[^<]*<\/span>/g
const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }

/**
 * Searches the pages of the built manual, which checkouts and images contain.
 * @param issuer the address of this installation
 */
export function createManualSearch(folder: string, issuer: string): SearchManual {
  let known: { modified: number; sections: Promise<Section[]> } | undefined
  const current = async (): Promise<Section[]> => {
    const list = join(folder, 'sections.json')
    const { mtimeMs } = await stat(list)
    if (known?.modified !== mtimeMs) known = { modified: mtimeMs, sections: readSections(folder, list) }
    return known.sections
  }
  return async (words, limit) => {
    const sections = await current().catch((error: unknown) => {
      known = undefined // the manual may be replaced while it is read
      throw manualNotBuilt(error)
    })
    return rank(sections, wordsOf(words))
      .slice(0, limit)
      .map(({ title, page, path, text }) => ({ title, page, url: issuer + path, text: text.slice(0, MAX_TEXT) }))
  }
}

/** Rare words count more than frequent ones (inverse document frequency), and titles more than texts. */
function rank(sections: readonly Section[], wanted: readonly string[]): Section[] {
  const scores = new Map<Section, number>()
  for (const word of new Set(wanted)) {
    const hits = sections.flatMap((section) => {
      let count = 0
      for (const [each, times] of section.words) if (each.startsWith(word)) count += times
      return count > 0 ? [{ section, count }] : []
    })
    const rarity = Math.log(1 + sections.length / (hits.length + 1))
    for (const { section, count } of hits)
      scores.set(section, (scores.get(section) ?? 0) + rarity * (1 + Math.log(count)))
  }
  return [...scores].sort(([, a], [, b]) => b - a).map(([section]) => section)
}

async function readSections(folder: string, list: string): Promise<Section[]> {
  const listed = JSON.parse(await readFile(list, 'utf8')) as { href: string; title: string; page?: string }[]
  const pages = listed.filter(({ page }) => page === undefined)
  const found = await Promise.all(
    pages.map(async ({ href, title }) => {
      const name = href.replace(/^\/docs\/?/, '') || 'index'
      return sectionsOf(await readFile(join(folder, `${name}.html`), 'utf8'), href, title)
    }),
  )
  return found.flat()
}

function sectionsOf(html: string, path: string, page: string): Section[] {
  const main = html.slice(html.indexOf('<main'), html.indexOf('</main>')).replace(PERMALINK, '').replace(LABELS, '')
  const headings = [...main.matchAll(HEADING)]
  return headings.map(({ index, 0: whole, 1: level, 2: id = '', 3: heading = '' }, at) => {
    const text = plain(main.slice(index + whole.length, headings[at + 1]?.index))
    const title = plain(heading)
    const words = new Map<string, number>()
    const count = (word: string, times: number) => words.set(word, (words.get(word) ?? 0) + times)
    for (const word of wordsOf(text)) count(word, 1)
    for (const word of wordsOf(title)) count(word, TITLE_WEIGHT)
    return { title, page, path: level === '1' ? path : `${path}#${id}`, text, words }
  })
}

/** Cells and paragraphs become lines, so that words of neighbours stay apart. */
const plain = (html: string): string =>
  html
    .replace(/<\/(?:p|li|tr|pre|h[1-6])>/g, '\n')
    .replace(/<\/t[dh]>/g, ' | ')
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] as string)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim()

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
