import type { Measure, Row, RowResult } from './row.ts'

/** A number as it is printed: whole when it is whole or large, else with two decimals. */
export function spell(value: number): string {
  return Number.isInteger(value) || Math.abs(value) >= 1000 ? String(Math.round(value)) : value.toFixed(2)
}

export function passes({ bound, limit }: Measure, value: number): boolean {
  return bound === '>=' ? value >= limit : value <= limit
}

/** The lines for scripts: `S1 0.84 >= 0.80 pass`. A row that could not run fails all of its measures. */
export function verdicts(row: Row, result: RowResult | undefined): string[] {
  return row.measures.map((measure, index) => {
    const value = result?.values[index] ?? NaN
    const verdict = passes(measure, value) ? 'pass' : 'fail'
    return `${row.name} ${spell(value)} ${measure.bound} ${spell(measure.limit)} ${verdict}`
  })
}
