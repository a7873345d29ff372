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
  /** Its number of words; those of the title count more. */
  length: number
}

/** The words of all sections in order, so that those with a prefix are neighbours. */
interface Index {
  size: number
  /** The mean length of a section. */
  length: number
  words: { word: string; sections: Map<Section, number> }[]
}

const MAX_TEXT = 3_000
const TITLE_WEIGHT = 8
/** The usual parameters of BM25: how soon repetitions of a word stop counting, and how much the length of a section counts. */
const SATURATION = 1.2
const LENGTH_PENALTY = 0.75
/** Each word costs up to a millisecond, in which the worker does nothing else. */
const MAX_WORDS = 10
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
  let known: { modified: number; index: Promise<Index> } | undefined
  const current = async (): Promise<Index> => {
    const list = join(folder, 'sections.json')
    const { mtimeMs } = await stat(list)
    if (known?.modified !== mtimeMs) known = { modified: mtimeMs, index: readSections(folder, list).then(indexOf) }
    return known.index
  }
  return async (words, limit) => {
    const index = await current().catch((error: unknown) => {
      known = undefined // the manual may be replaced while it is read
      throw manualNotBuilt(error)
    })
    return rank(index, wordsOf(words))
      .slice(0, limit)
      .map(({ title, page, path, text }) => ({ title, page, url: issuer + path, text: text.slice(0, MAX_TEXT) }))
  }
}

/** By BM25: rare words count more than frequent ones, and the words of a short section more than those of a long one. */
function rank(index: Index, wanted: readonly string[]): Section[] {
  const scores = new Map<Section, number>()
  for (const word of [...new Set(wanted)].slice(0, MAX_WORDS)) {
    const counts = countsOf(index, word)
    const rarity = Math.log(1 + index.size / (counts.size + 1))
    for (const [section, count] of counts) {
      const lengthNorm = SATURATION * (1 - LENGTH_PENALTY + (LENGTH_PENALTY * section.length) / index.length)
      scores.set(section, (scores.get(section) ?? 0) + (rarity * count * (SATURATION + 1)) / (count + lengthNorm))
    }
  }
  return [...scores].sort(([, a], [, b]) => b - a).map(([section]) => section)
}

/** The number of words with a prefix in each section. */
function countsOf({ words }: Index, prefix: string): Map<Section, number> {
  const counts = new Map<Section, number>()
  for (let at = firstFrom(words, prefix); words[at]?.word.startsWith(prefix); at++)
    for (const [section, times] of words[at]?.sections ?? []) counts.set(section, (counts.get(section) ?? 0) + times)
  return counts
}

/** The position of the first word that is not before the wanted one. */
function firstFrom(words: Index['words'], wanted: string): number {
  let [low, high] = [0, words.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((words[middle]?.word ?? '') < wanted) low = middle + 1
    else high = middle
  }
  return low
}

/** Words of titles count more. */
function indexOf(sections: readonly Section[]): Index {
  const words = new Map<string, Map<Section, number>>()
  const count = (section: Section, text: string, times: number) => {
    for (const word of wordsOf(text)) {
      section.length += times
      const counts = words.get(word) ?? new Map<Section, number>()
      words.set(word, counts.set(section, (counts.get(section) ?? 0) + times))
    }
  }
  for (const section of sections) {
    count(section, section.text, 1)
    count(section, section.title, TITLE_WEIGHT)
  }
  const sorted = [...words].sort(([a], [b]) => (a < b ? -1 : 1))
  const length = sections.reduce((sum, section) => sum + section.length, 0) / sections.length
  return { size: sections.length, length, words: sorted.map(([word, sections]) => ({ word, sections })) }
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
    return { title, page, path: level === '1' ? path : `${path}#${id}`, text, length: 0 }
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
