import type { Transaction } from 'kysely'
import type { Clock } from '../clock.ts'
import { type CopyTransaction, copyTransaction } from '../database/copy.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import { LINES_A_MESSAGE, PASSED } from '../database/passing.ts'
import type { SourceRow } from './check.ts'
import { type BeginStep, encoderOf, type Kind } from './kind.ts'
import { ImportRefusedError, type Problems } from './problems.ts'
import {
  analyzeAfter,
  analyzeStaging,
  createStaging,
  findDuplicates,
  findProblems,
  stagingTarget,
} from './staging.queries.ts'
import { retryOnConflict } from './retry.queries.ts'
import type { Counts } from './upsert.queries.ts'

export interface ImportDependencies {
  database: Database
  clock: Clock
  /** Stops an import; nothing is stored then. */
  signal?: AbortSignal
  /** Works in the transaction that stores the rows, before its commit. */
  stored?: (transaction: Transaction<DB>, report: ImportReport) => Promise<void>
}

export interface ImportReport extends Counts {
  /** Lines or records that were read. */
  read: number
}

/** What is going on, for those who wait. */
export type Phase = 'reading' | 'writing' | 'publishing'

export interface ImportProgress {
  phase(phase: Phase, read: number): void
  read(read: number): void
  /** While the phase is `writing`: so much of a step is stored, nothing at its beginning. */
  stored?(count: number, step: Step): void
}

/** A part of what is stored. */
export interface Step {
  /** What it stores: `lines`, `names`, `rows` of boards. */
  what: string
  /** How many of them. */
  total: number
  /** Not that many, but those that say something new. */
  atMost: boolean
}

const CHUNK = 256 * 1024

/** Ends a transaction whose changes are not wanted. */
class DryRunEnd extends Error {
  readonly report: ImportReport

  constructor(report: ImportReport) {
    super('a dry run stores nothing')
    this.report = report
  }
}

/**
 * Checks every row, and stores all or none of them in one transaction.
 * @throws ImportRefusedError with every problem when any row is bad
 */
export async function runImport(
  { database, clock, signal, stored }: ImportDependencies,
  kind: Kind,
  rows: AsyncIterable<SourceRow[]>,
  problems: Problems,
  progress?: ImportProgress,
  dryRun = false,
): Promise<ImportReport> {
  const now = clock.now()
  let read = 0
  async function* staged(): AsyncGenerator<string> {
    const encode = encoderOf(kind, now, problems)
    let chunk = ''
    for await (const batch of rows) {
      for (const row of batch) {
        chunk += encode(row) ?? ''
        if (chunk.length >= CHUNK) {
          yield chunk
          chunk = ''
        }
      }
      read += batch.length
      progress?.read(read)
    }
    if (chunk !== '') yield chunk
  }
  const work = async ({ kysely, copy, hear }: CopyTransaction) => {
    await createStaging(kysely, kind)
    await copy(stagingTarget(kind.fields), staged())
    progress?.phase('writing', read)
    await analyzeStaging(kysely)
    await kind.lock?.(kysely)
    for (const rule of kind.rules) problems.addFound(await findProblems(kysely, rule))
    if (kind.key) problems.addFound(await findDuplicates(kysely, kind.key, saidBefore))
    if (problems.count > 0) throw new ImportRefusedError(problems.first, problems.count)
    const step = tellOfSteps(read, hear, progress)
    const counts = await retryOnConflict(kysely, () => {
      step('lines')
      return kind.merge(kysely, { clock, now: new Date(now), step })
    })
    // What is left, the commit above all, says nothing of itself.
    step('lines')
    const report = { read, added: counts.added, changed: counts.changed }
    if (dryRun) throw new DryRunEnd(report)
    await stored?.(kysely, report)
    return report
  }
  const report = await copyTransaction(database, work, signal).catch((error: unknown) => {
    if (error instanceof DryRunEnd) return error.report
    throw error
  })
  if (dryRun) return report
  await kind.afterCommit?.(database.kysely, clock)
  await analyzeAfter(database.kysely, kind, report.added + report.changed)
  return report
}

const saidBefore = (first: string): string => `says again what line ${first} says; a key stands in a file once`

/** Tells how far the statements of each step are, by what they say while they run. */
function tellOfSteps(read: number, hear: CopyTransaction['hear'], progress: ImportProgress | undefined): BeginStep {
  return (what, total) => {
    const step = { what, total: total ?? read, atMost: total === undefined }
    let stored = 0
    progress?.stored?.(stored, step)
    hear((message) => {
      if (message !== PASSED) return
      stored = Math.min(stored + LINES_A_MESSAGE, step.total)
      progress?.stored?.(stored, step)
    })
  }
}
