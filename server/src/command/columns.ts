/** The width that every list keeps to, unless a single value is longer. */
export const MAX_WIDTH = 100

const INDENT = '    '

/** Rows as lines, each column as wide as its widest cell; the first row is the header. */
export function inColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(most[i] ?? 0, cell.length)), [])
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** A record of a list: what it is called, then its facts below, wrapped at the width of lists. */
export function inBlock(head: readonly string[], facts: readonly string[]): string {
  const lines = wrapped(head, '  ', '')
  const below = wrapped(
    facts.filter((fact) => fact !== ''),
    '; ',
    INDENT,
  )
  return [...lines, ...below].join('\n')
}

/** Joins parts into lines; a part that does not fit starts a new, indented line. */
function wrapped(parts: readonly string[], separator: string, indent: string): string[] {
  const lines: string[] = []
  for (const part of parts) {
    const last = lines.at(-1)
    if (last === undefined) lines.push(indent + part)
    else if (last.length + separator.length + part.length <= MAX_WIDTH) lines.push(lines.pop() + separator + part)
    else lines.push((lines.pop() ?? '') + separator.trimEnd(), INDENT + part)
  }
  return lines
}
