import type { Kysely, RawBuilder } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { type RowEncoder, rowEncoder } from './check.ts'
import type { Problems } from './problems.ts'
import type { StagedRule, StagingShape } from './staging.queries.ts'
import type { Counts } from './upsert.queries.ts'

/** Says what is stored from now on (`names`, `rows`), and how many, where that is known. */
export type BeginStep = (what: string, total?: number) => void

export interface MergeContext {
  clock: Clock
  /** The time of the import. */
  now: Date
  step?: BeginStep
}

/** What can be imported: its fields, what is asked of its lines, and how staged lines become rows. */
export interface Kind extends StagingShape {
  /** The staged columns that name a line's object, and the field that a refused repetition is reported under. */
  key: { field: string; columns: readonly string[] } | undefined
  rules: readonly StagedRule[]
  /** What grows by it: the planner hears of it after a large import. */
  tables: readonly string[]
  /** Locks what the rules look at, when they must hold until the lines are stored. */
  lock?: (trx: Kysely<DB>) => Promise<void>
  /** Changes the lines of a batch before they are compared with what is stored. */
  beforeMerge?: (trx: Kysely<DB>) => Promise<void>
  /** Query of the `line`s that say something new; left out when the merge answers them. */
  news?: RawBuilder<unknown>
  /** Where the fields alone do not decide how a line is checked. */
  encoder?: (problems: Problems) => RowEncoder
  /** What is looked at once more when the import is committed. */
  afterCommit?: (kysely: Kysely<DB>, clock: Clock) => Promise<void>
  /** Stores the staged lines. `lines`: those that said something new. */
  merge(trx: Kysely<DB>, context: MergeContext): Promise<Counts & { lines?: readonly number[] }>
}

/** The encoder of a kind's lines. */
export function encoderOf(kind: Kind, now: number, problems: Problems): RowEncoder {
  return kind.encoder?.(problems) ?? rowEncoder(kind.fields, now, problems)
}
