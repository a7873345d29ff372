/** Rounds before those that count: V8 goes on optimizing for about ten seconds of load, longer where there is more code. */
export const WARM_UP = 3

/** The middle of the values; of an even number, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle] as number
  return ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2
}

/**
 * Measures the sides one after the other, round after round, every second round in the opposite order, so that what
 * else the machine does meets all of them alike. `before` prepares a round and is not part of what is measured.
 * @returns what each side measured, by round
 */
export async function interleave<Side extends string, Measured>(
  rounds: number,
  sides: Readonly<Record<Side, (round: number) => Promise<Measured>>>,
  before: (round: number) => Promise<unknown> = async () => {},
): Promise<Record<Side, Measured[]>> {
  const names = Object.keys(sides) as Side[]
  const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Side, Measured[]>
  for (let round = 0; round < rounds; round++) {
    await before(round)
    for (const name of round % 2 === 0 ? names : names.toReversed()) measured[name].push(await sides[name](round))
  }
  return measured
}

/** The ratio of two sides in each round. */
export function ratios(of: readonly number[], to: readonly number[]): number[] {
  return of.map((value, round) => value / (to[round] as number))
}

/** How long the work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
