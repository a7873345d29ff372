import type { BenchDatabase } from '../data/bench-database.ts'

/** What a row promises of one number. */
export interface Measure {
  /** What the number is, with its unit. */
  title: string
  bound: '>=' | '<='
  limit: number
  /** The limit for a service with several workers; default: `limit`. */
  limitOfWorkers?: number
}

/** One side of a comparison: what was measured in each round. */
export interface Figure {
  side: string
  unit: string
  rounds: readonly number[]
}

/** What a run found: one value for each measure, in their order, and the figures that they come from. */
export interface RowResult {
  values: readonly number[]
  figures: readonly Figure[]
  /** What a reader has to know to judge the values. */
  notes?: readonly string[]
}

/** How large the data sets are. */
export interface Sizes {
  /** Members of the four boards. */
  tiny: number
  small: number
  middle: number
  large: number
  /** Holders of the large credential. */
  holders: number
  /** Handles of the large starboard. */
  handles: number
}

export interface BenchContext {
  /** Smaller sizes and fewer rounds: to see that a row works, not to quote it. */
  quick: boolean
  rounds: number
  sizes: Sizes
  /** Progress, for the person who waits. */
  say: (line: string) => void
  /** The database of the large data sets, which rows only read; built once, kept in the data folder. */
  reading(): Promise<BenchDatabase>
  /** A migrated, empty database of the row's own. */
  fresh(name: string): Promise<BenchDatabase>
}

/** One file of bench/rows exports one of these as `row`. */
export interface Row {
  /** As quoted on the command line: S1, T2. */
  name: string
  title: string
  /** Empty if the row reports figures without a limit. */
  measures: readonly Measure[]
  /** The version of the servers that the row starts itself; DATABASE_URL has no effect on such a row. */
  ownServer?: () => string | Promise<string>
  run(context: BenchContext): Promise<RowResult>
}
