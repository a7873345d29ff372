/** The maximum width of lists, unless a single value is longer. */
export const MAX_WIDTH = 100

const INDENT = '    '

/** Formats rows in columns; the first row is the header. */
export function inColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(most[i] ?? 0, cell.length)), [])
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Formats a list entry: a head line, and facts below it, wrapped. */
export function inBlock(head: readonly string[], facts: readonly string[]): string {
  const lines = wrapped(head, '  ', '')
  const below = wrapped(
    facts.filter((fact) => fact !== ''),
    '; ',
    INDENT,
  )
  return [...lines, ...below].join('\n')
}

/** Formats a text below a list entry, wrapped between words. */
export const inParagraph = (text: string): string => wrapped(text.split(' '), ' ', INDENT).join('\n')

/** Joins parts into lines; a part that does not fit starts an indented line. */
function wrapped(parts: readonly string[], separator: string, indent: string): string[] {
  const lines: string[] = []
  for (const [i, part] of parts.entries()) {
    const last = lines.at(-1)
    // A line that is not the last one ends with a separator.
    const end = i < parts.length - 1 ? separator.trimEnd().length : 0
    if (last === undefined) lines.push(indent + part)
    else if (last.length + separator.length + part.length + end <= MAX_WIDTH) lines.push(lines.pop() + separator + part)
    else lines.push((lines.pop() ?? '') + separator.trimEnd(), INDENT + part)
  }
  return lines
}
