/** The entries of a text with one entry on each line. Empty lines are no entries. */
export const entriesOf = (text: string): string[] => linesOf(text).map(({ entry }) => entry)

/** The line of an entry, by its number. Both count from 1. */
export const lineOf = (text: string, entry: number): number => linesOf(text)[entry - 1]?.line ?? entry

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line, index) => ({ entry: line.trim(), line: index + 1 }))
    .filter(({ entry }) => entry !== '')
