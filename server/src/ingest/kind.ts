import type { Kysely, RawBuilder } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import type { Table } from '../distribution/placements.ts'
import type { Staging } from '../distribution/staging.ts'
import { type Fields, type RowEncoder, rowEncoder } from './check.ts'
import type { Fault } from '../texts/faults.ts'
import type { ProblemCode, ProblemPart, Problems } from './problems.ts'

/** Reports that a step begins, with the kind of its lines (`names`, `rows`, `entries`) and, if known, their number. */
export type BeginStep = (what: string, total?: number) => void

export interface MergeContext {
  clock: Clock
  now: Date
  staging: Staging
  step?: BeginStep
  /** The id of the import or ingest token, for the ledger. */
  actor?: string | undefined
}

/** What a file of points changes. */
export interface PointEffects {
  spaceIds: number[]
  /** New members that are named by a text without the form of an address. */
  newNames: { count: number; examples: string[] }
}

export interface StagingShape {
  fields: Fields
  /** Generated columns: SQL definition by name. */
  derived?: Record<string, string>
  /** The tables to analyze after a large import. The first one determines the placement of staged rows on a cluster. */
  tables: readonly [Table, ...Table[]]
}

/** A rule for staged lines that needs the database. */
export interface StagedRule {
  field: string
  code?: ProblemCode
  /** The reason in a rejection. */
  reason: (value: string) => string
  fault: (value: string) => Fault
  /** The part of the field that is invalid, if the field has parts. */
  part?: (value: string) => ProblemPart
  /** Query that returns `line` and `value` (text) of each invalid line; a function if it needs to read other tables. */
  lines: RawBuilder<unknown> | ((trx: Kysely<DB>) => Promise<RawBuilder<unknown>>)
}

export interface Counts {
  added: number
  changed: number
  /** For a replacement: the number of objects that are no longer in the list. */
  removed?: number
  /** For awards: the number of lines that change nothing because their awards were taken back before. */
  takenBack?: number
  /** For awards: the number of added lines whose points would count now if their members were not banned. */
  banned?: number
}

/** A kind of record: its fields, its rules, and how staged lines are merged into tables. */
export interface Kind extends StagingShape {
  /** The staged columns of the object's key, and the field under which a duplicate is reported. */
  key: { field: string; columns: readonly string[] } | undefined
  rules: readonly StagedRule[]
  /** Locks rows that the rules read, until the lines are stored. */
  lock?: (trx: Kysely<DB>) => Promise<void>
  /** Changes staged lines before they are compared with stored rows. */
  beforeMerge?: (trx: Kysely<DB>) => Promise<void>
  /** Query of the lines that change something; absent if `merge` returns them. */
  news?: RawBuilder<unknown> | ((staging: Staging) => Promise<RawBuilder<unknown>>)
  /** Reads what the staged lines change, before they are stored. */
  effects?: (trx: Kysely<DB>) => Promise<PointEffects>
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
