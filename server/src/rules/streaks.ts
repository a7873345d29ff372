/** Days in a row, as pairs of the first and the last day, in order. */
export type Runs = readonly number[]

/** The number of stored runs. Two suffice, because events arrive at most seconds late. */
const REMEMBERED = 2

/** Adds a day. Days may arrive late: a day between two runs joins them. */
export function addDay(runs: Runs, day: number): number[] {
  const joined: number[] = []
  let [first, last] = [day, day]
  for (let i = 0; i < runs.length; i += 2) {
    const [from, to] = [runs[i] as number, runs[i + 1] as number]
    if (to + 1 < first || from - 1 > last) joined.push(from, to)
    else [first, last] = [Math.min(first, from), Math.max(last, to)]
  }
  joined.push(first, last)
  const ordered: number[][] = []
  for (let i = 0; i < joined.length; i += 2) ordered.push(joined.slice(i, i + 2))
  return ordered
    .toSorted(([a = 0], [b = 0]) => a - b)
    .slice(-REMEMBERED)
    .flat()
}

/** The number of runs that reach a number of days. */
export function reached(runs: Runs, { days, repeat }: { days: number; repeat: boolean }): number {
  let count = 0
  for (let i = 0; i < runs.length; i += 2) {
    const times = Math.floor(((runs[i + 1] as number) - (runs[i] as number) + 1) / days)
    count += repeat ? times : Math.min(times, 1)
  }
  return count
}
