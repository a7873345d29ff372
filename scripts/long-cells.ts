const MAX_WORDS = 25

export interface SplitTable {
  /** The texts for the cells, in the order of the rows. */
  cells: string[]
  /** A list of the sentences that did not fit into a cell, for below the table; empty if all did. */
  below: string
}

/** Moves sentences from table cells that are too long to a list below the table. */
export function splitLongCells(rows: readonly { name: string; text: string }[]): SplitTable {
  const split = rows.map(({ name, text }) => {
    const sentences = text.split(/(?<=\.)\s+/)
    const fitting = sentences.findLastIndex((_, index) => wordsIn(sentences.slice(0, index + 1).join(' ')) <= MAX_WORDS)
    const end = Math.max(fitting, 0) + 1
    return { name, cell: sentences.slice(0, end).join(' '), rest: sentences.slice(end).join(' ') }
  })
  const items = split.filter(({ rest }) => rest !== '').map(({ name, rest }) => `- ${name}: ${rest}\n`)
  return { cells: split.map(({ cell }) => cell), below: items.length === 0 ? '' : `\n${items.join('')}` }
}

const wordsIn = (text: string) => text.split(/\s+/).filter((word) => /[A-Za-z0-9]/.test(word)).length
