import type { Kysely, RawBuilder } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { type RowEncoder, rowEncoder } from './check.ts'
import type { Problems } from './problems.ts'
import type { StagedRule, StagingShape } from './staging.queries.ts'
import type { Counts } from './upsert.queries.ts'

/** Reports that a step begins, with the kind of its lines (`names`, `rows`) and, if known, their number. */
export type BeginStep = (what: string, total?: number) => void

export interface MergeContext {
  clock: Clock
  now: Date
  step?: BeginStep
}

/** A kind of record: its fields, its rules, and how staged lines are merged into tables. */
export interface Kind extends StagingShape {
  /** The staged columns of the object's key, and the field under which a duplicate is reported. */
  key: { field: string; columns: readonly string[] } | undefined
  rules: readonly StagedRule[]
  /** The tables to analyze after a large import. */
  tables: readonly string[]
  /** Locks rows that the rules read, until the lines are stored. */
  lock?: (trx: Kysely<DB>) => Promise<void>
  /** Changes staged lines before they are compared with stored rows. */
  beforeMerge?: (trx: Kysely<DB>) => Promise<void>
  /** Query of the lines that change something; absent if `merge` returns them. */
  news?: RawBuilder<unknown>
  /** Replaces the default encoder if validation depends on other data. */
  encoder?: (problems: Problems) => RowEncoder
  /** Runs after the commit. */
  afterCommit?: (kysely: Kysely<DB>, clock: Clock) => Promise<void>
  /** Stores the staged lines. `lines` are those that changed something. */
  merge(trx: Kysely<DB>, context: MergeContext): Promise<Counts & { lines?: readonly number[] }>
}

export function encoderOf(kind: Kind, now: number, problems: Problems): RowEncoder {
  return kind.encoder?.(problems) ?? rowEncoder(kind.fields, now, problems)
}
