import type { Transaction } from 'kysely'
import type { Clock } from '../clock.ts'
import { type CopyTransaction, copyTransaction } from '../database/copy.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import { LINES_PER_MESSAGE, PROGRESS_NOTICE } from '../database/statement-progress.ts'
import { stagingOf } from '../distribution/staging.ts'
import type { SourceRow } from './check.ts'
import { type BeginStep, encoderOf, type Kind, type PointEffects } from './kind.ts'
import { ImportRefusedError, type Problems } from './problems.ts'
import { analyzeAfter, createStaging, findDuplicates, findProblems, stagingTarget } from './staging.queries.ts'
import { retryOnConflict } from './retry.queries.ts'
import type { Counts } from './kind.ts'

export interface ImportDependencies {
  database: Database
  clock: Clock
  /** Cancels the import; nothing is stored. */
  signal?: AbortSignal
  /** The id of the import or ingest token, for the ledger. */
  actor?: string | undefined
  /** Receives what a file of points changes. */
  effects?: (effects: PointEffects) => void
  /** Runs in the transaction that stores the rows. */
  beforeCommit?: (transaction: Transaction<DB>, report: ImportReport) => Promise<void>
}

export interface ImportReport extends Counts {
  /** The number of lines or records. */
  read: number
}

/** The phases of an import, for progress output. */
export type Phase = 'reading' | 'writing' | 'publishing'

export interface ImportProgress {
  phase(phase: Phase, read: number): void
  read(read: number): void
  /** In phase `writing`: the number of stored items of a step; 0 when it begins. */
  stored?(count: number, step: Step): void
}

export interface Step {
  /** The items that the step stores: `lines`, `names`, `rows` of boards, `entries` of the ledger, which are not counted. */
  what: string
  total: number
  /** Whether `total` is an upper limit, because unchanged items are skipped. */
  atMost: boolean
}

const CHUNK = 256 * 1024

/** Rolls back the transaction of a dry run. */
class DryRunEnd extends Error {
  readonly report: ImportReport

  constructor(report: ImportReport) {
    super('a dry run stores nothing')
    this.report = report
  }
}

/**
 * Validates all rows, and stores all or none of them in one transaction.
 * @throws ImportRefusedError with the first problems and the number of all problems
 */
export async function importRows(
  { database, clock, signal, actor, effects, beforeCommit }: ImportDependencies,
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
    const staging = stagingOf(database, kysely)
    await createStaging(kysely, staging, kind)
    await copy(stagingTarget(kind.fields), staged())
    progress?.phase('writing', read)
    await staging.analyze('staged')
    await kind.lock?.(kysely)
    for (const rule of kind.rules) problems.addFound(await findProblems(kysely, rule))
    if (kind.key) problems.addFound(await findDuplicates(kysely, kind.key, saidBefore))
    if (problems.count > 0) throw new ImportRefusedError(problems.first, problems.count)
    if (effects && kind.effects) effects(await kind.effects(kysely))
    const step = reportSteps(read, hear, progress)
    const counts = await retryOnConflict(kysely, () => {
      step('lines')
      return kind.merge(kysely, { clock, now: new Date(now), staging, step, actor })
    })
    // The rest, mainly the commit, reports no progress.
    step('lines')
    const { added, changed, removed, takenBack, banned } = counts
    const report = {
      read,
      added,
      changed,
      ...(removed !== undefined && { removed }),
      ...(takenBack !== undefined && { takenBack }),
      ...(banned !== undefined && { banned }),
    }
    if (dryRun) throw new DryRunEnd(report)
    await beforeCommit?.(kysely, report)
    await staging.end()
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

const saidBefore = (first: string): string => `has the same key as line ${first}; a key may occur once in a file`

/** Reports the progress of each step from the notices of its statements. */
function reportSteps(read: number, hear: CopyTransaction['hear'], progress: ImportProgress | undefined): BeginStep {
  return (what, total) => {
    const step = { what, total: total ?? read, atMost: total === undefined }
    let stored = 0
    progress?.stored?.(stored, step)
    hear((message) => {
      if (message !== PROGRESS_NOTICE) return
      stored = Math.min(stored + LINES_PER_MESSAGE, step.total)
      progress?.stored?.(stored, step)
    })
  }
}
