/** Upper bounds of the ranges of durations in milliseconds, each √2 times the bound before it. The last range has none. */
export const LATENCY_BOUNDS: readonly number[] = Array.from({ length: 32 }, (_, n) =>
  Number((2 ** (n / 2 - 1)).toPrecision(4)),
)

/** The range of a duration: the first whose bound is not below it. */
export function latencyRange(milliseconds: number): number {
  const range = Math.ceil(2 * (Math.log2(milliseconds) + 1))
  return range > 0 ? Math.min(range, LATENCY_BOUNDS.length) : 0
}

export const noLatencies = (): number[] => Array.from({ length: LATENCY_BOUNDS.length + 1 }, () => 0)
