import MarkdownIt from 'markdown-it'
import MiniSearch from 'minisearch'
import type { BookPage } from './book.ts'
import { contributorPages } from './contents.ts'
import { textOf } from './render.ts'

export interface Found {
  page: string
  heading: string
  path: string
  /** The beginning of the section's text. */
  text: string
}

/** A section as it is searched for. */
interface Section extends Found {
  /** Of its page, in the order of what is found. */
  weight: number
}

const MOST_FOUND = 20
/** Behind every page for users in which the words stand as prominently. */
const CONTRIBUTOR_WEIGHT = 0.1
const EXCERPT_LENGTH = 200

/** Each word costs a walk through the index, on the loop that answers queries too. */
const MOST_WORDS = 6
const LEAST_LETTERS_TO_GUESS = 3

/** An index of every section of the manual; words may be begun only, or slightly misspelt. */
export function createSearch(pages: readonly BookPage[]): (words: string) => Found[] {
  const sections = pages.flatMap(sectionsOf)
  const index = new MiniSearch<Section & { id: number }>({
    fields: ['page', 'heading', 'text'],
    processTerm: singular,
    searchOptions: {
      prefix: (term) => term.length >= LEAST_LETTERS_TO_GUESS,
      fuzzy: (term) => (term.length >= LEAST_LETTERS_TO_GUESS ? 0.15 : false),
      combineWith: 'AND',
      boost: { heading: 4, page: 2 },
      boostDocument: (id) => sections[id as number]?.weight ?? 1,
    },
  })
  index.addAll(sections.map((section, id) => ({ ...section, id })))
  return (words) =>
    index
      .search(fewWords(words))
      .slice(0, MOST_FOUND)
      .flatMap(({ id }) => sections[id as number] ?? [])
      .map(({ page, heading, path, text }) => ({ page, heading, path, text: excerpt(text) }))
}

/** Who looks for one looks for several as well. */
const singular = (term: string): string => term.toLowerCase().replace(/(?<=\p{L}{3})s$/u, '')

function fewWords(words: string): string {
  return [...new Set(words.toLowerCase().split(/[^\p{L}\p{N}_]+/u))].filter(Boolean).slice(0, MOST_WORDS).join(' ')
}

function sectionsOf({ slug, title, path, headings, markdown }: BookPage): Section[] {
  const rest = [...headings]
  const weight = contributorPages.has(slug) ? CONTRIBUTOR_WEIGHT : 1
  const sections: Section[] = [{ page: title, heading: title, path, text: '', weight }]
  const tokens = new MarkdownIt({ html: true }).parse(markdown, {})
  for (const [i, { type, children, content }] of tokens.entries()) {
    if (type === 'heading_open') {
      const heading = rest.shift()
      if (heading && heading.level > 1)
        sections.push({ page: title, heading: heading.text, path: `${path}#${heading.id}`, text: '', weight })
    } else if (tokens[i - 1]?.type !== 'heading_open') {
      const section = sections.at(-1) as Section
      if (type === 'inline') section.text += `${textOf(children ?? [])} `
      else if (type === 'fence') section.text += `${content} `
    }
  }
  return sections
}

function excerpt(text: string): string {
  const short = text.replace(/\s+/g, ' ').trim()
  return short.length <= EXCERPT_LENGTH ? short : `${short.slice(0, short.lastIndexOf(' ', EXCERPT_LENGTH))} …`
}
