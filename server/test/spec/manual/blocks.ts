import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../../..')

/** A fenced block of a Markdown file. */
export interface Block {
  file: string
  line: number
  language: string
  text: string
  /** The paragraphs between the block before it and this block. */
  introduction: string
}

/** The documents: the files at the top level, the manual, and the Markdown files of examples, client and bench. */
export const pages: readonly string[] = [
  ...['README.md', 'CONTRIBUTING.md', 'client/README.md', 'examples/README.md', 'bench/README.md', 'bench/RESULTS.md'],
  ...globSync('docs/**/*.md', { cwd: root }).toSorted(),
]

export function blocksOf(file: string): Block[] {
  const markdown = readFileSync(join(root, file), 'utf8')
  let end = 0
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ({ index, 0: all, 1: language = '', 2: text = '' }) => {
      const introduction = markdown.slice(end, index)
      end = index + all.length
      return { file, line: markdown.slice(0, index).split('\n').length, language, text, introduction }
    },
  )
}

/** Command lines of the text, continued lines joined, comments and prompts left out. */
export function commandLines(text: string): string[] {
  return text
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/^\$ /, '').replace(/ +#.*$/, ''))
    .filter((line) => line !== '')
}
