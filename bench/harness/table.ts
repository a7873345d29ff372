import { spell } from './judge.ts'
import { median } from './rounds.ts'
import type { Figure, Row, RowResult } from './row.ts'

/** What was measured, as the lines of a Markdown table: median and range of every figure. */
export function figureTable(figures: readonly Figure[]): string[] {
  const cells = figures.map(({ side, unit, rounds }) => [
    side,
    `${spell(median(rounds))} ${unit}`.trimEnd(),
    `${spell(Math.min(...rounds))} to ${spell(Math.max(...rounds))}`,
    String(rounds.length),
  ])
  return markdownTable(['', 'median', 'range', 'rounds'], cells)
}

export function measureTable(row: Row, result: RowResult, lines: readonly string[]): string[] {
  const cells = row.measures.map(({ title, bound, limit }, index) => [
    title,
    spell(result.values[index] ?? NaN),
    `${bound} ${spell(limit)}`,
    lines[index]?.endsWith('pass') ? 'pass' : 'fail',
  ])
  return markdownTable(['measure', 'value', 'wanted', ''], cells)
}

function markdownTable(head: readonly string[], cells: readonly (readonly string[])[]): string[] {
  const widths = head.map((name, column) => Math.max(3, name.length, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)]
}
