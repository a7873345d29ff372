import { fault } from '../texts/faults.ts'
import type { Kysely } from 'kysely'
import { type CopyTransaction, copyTransaction } from '../database/copy.ts'
import { isUniqueViolation } from '../database/sql-states.ts'
import type { DB } from '../database/tables.ts'
import { stagingOf } from '../distribution/staging.ts'
import type { SourceRow } from './check.ts'
import { encoderOf, type Kind } from './kind.ts'
import { ImportRefusedError, type Problems } from './problems.ts'
import {
  type PendingList,
  createPendingLists,
  countKept,
  type Filled,
  HOLDERS,
  fillLists,
  abandonLists,
  updateProgress,
  type ReplacementProgress,
  publishLists,
  takeOverLists,
  touchLists,
} from './replace-holders.queries.ts'
import { ImportFileError } from './source.ts'
import type { ImportDependencies, ImportProgress, ImportReport } from './import-rows.ts'
import { analyzeAfter, createStaging, stagingTarget } from './staging.queries.ts'

/** Holders per transaction. */
const CHUNK = 100_000

/**
 * Replaces the holder lists of the credentials in the rows. New lists are filled in transactions of bounded size. When
 * all rows are stored, one transaction makes all new lists current. Before that, clients see the old lists, and the
 * credentials have the status SYNCING. sweepHolderLists deletes the old lists. If the process is killed, the next run with
 * the same source skips the chunks that are already stored. A run that fails or is cancelled cannot be resumed.
 * @param source the hash of the file and of the credential ID; null if the run cannot be resumed
 * @throws ImportRefusedError if rows are invalid, ImportFileError if this run lost its lists; the old lists remain
 */
export async function replaceHolders(
  { database, clock, signal, beforeCommit }: ImportDependencies,
  kind: Kind,
  rows: AsyncIterable<SourceRow[]>,
  problems: Problems,
  progress?: ImportProgress,
  source: Buffer | null = null,
): Promise<ImportReport & { holders: number }> {
  const pendingLists = new Map<string, PendingList & { count: number }>()
  let touched = new Date(clock.now())
  const resumed = source && (await takeOverLists(database.kysely, source, touched))
  for (const list of resumed?.lists ?? []) pendingLists.set(list.credentialId, list)
  const progressStored: ReplacementProgress = {
    source,
    chunks: resumed?.chunks ?? 0,
    takeovers: resumed?.takeovers ?? 0,
  }
  let chunkNumber = 0
  const encode = encoderOf(kind, clock.now(), problems)

  async function fill(lines: string[], ids: Set<string>): Promise<void> {
    if (++chunkNumber <= progressStored.chunks) return
    const newIds = [...ids].filter((id) => !pendingLists.has(id))
    const newLists = await database.kysely.transaction().execute(async (trx) => {
      const now = await touchPendingLists(trx)
      return newIds.length === 0 ? [] : createPendingLists(trx, newIds, now, progressStored)
    })
    for (const list of newLists) pendingLists.set(list.credentialId, { ...list, count: 0 })
    for (const list of await store(lines.toSorted())) pendingLists.set(list.credentialId, list)
    progressStored.chunks = chunkNumber
  }

  /**
   * Copies directly into the new lists, which is fastest. Uses the staging table if a holder is also in an earlier
   * chunk.
   */
  async function store(sorted: string[]): Promise<(PendingList & { count: number })[]> {
    const distinct = sorted.filter((line, i) => line !== sorted[i - 1])
    try {
      const copyDirectly = async ({ kysely, copy }: CopyTransaction) => {
        await copy(HOLDERS, inPieces(distinct, pendingLists))
        return recordChunk(kysely, countLines(distinct))
      }
      return await copyTransaction(database, copyDirectly, signal)
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      const copyThroughStaging = async ({ kysely, copy }: CopyTransaction) => {
        const staging = stagingOf(database, kysely)
        await createStaging(kysely, staging, kind)
        await copy(stagingTarget(kind.fields), inPieces(distinct))
        await staging.analyze('staged')
        const filled = await fillLists(kysely, [...pendingLists.values()])
        await staging.end()
        return recordChunk(kysely, filled)
      }
      return copyTransaction(database, copyThroughStaging, signal)
    }
  }

  /** Records a chunk in the transaction that stores it. Returns the updated lists. */
  async function recordChunk(trx: Kysely<DB>, filled: readonly Filled[]): Promise<(PendingList & { count: number })[]> {
    const addedCounts = new Map(filled.map(({ credentialId, count }) => [credentialId, count]))
    const updated = [...pendingLists.values()].map((list) => ({
      ...list,
      count: list.count + (addedCounts.get(list.credentialId) ?? 0),
    }))
    if ((await updateProgress(trx, updated, { ...progressStored, chunks: chunkNumber })) < pendingLists.size)
      throw noLongerOurs()
    return updated
  }

  /** Records activity of the new lists. Throws if the sweeper has ended them, or another run has taken them over. */
  async function touchPendingLists(trx: Kysely<DB>): Promise<Date> {
    const now = new Date(clock.now())
    if ((await touchLists(trx, [...pendingLists.values()], touched, now, progressStored.takeovers)) < pendingLists.size)
      throw noLongerOurs()
    touched = now
    return now
  }

  try {
    const read = await eachChunk(rows, encode, problems, fill, progress)
    if (problems.count > 0) throw new ImportRefusedError(problems.first, problems.count)
    progress?.phase('publishing', read)
    const published = [...pendingLists.values()]
    const { former, kept } = await countKept(database.kysely, published)
    const holders = published.reduce((sum, list) => sum + list.count, 0)
    const report = { read, added: holders - kept, changed: 0, removed: Math.max(former - kept, 0), holders }
    await database.kysely.transaction().execute(async (trx) => {
      await publishLists(trx, published, await touchPendingLists(trx))
      if (read > 0) await beforeCommit?.(trx, report)
      signal?.throwIfAborted()
    })
    await analyzeAfter(database.kysely, kind, holders)
    return report
  } catch (error) {
    const abandon = database.kysely
      .transaction()
      .execute((trx) => abandonLists(trx, [...pendingLists.values()], progressStored.takeovers))
    // An error here must not hide the first error. If this transaction fails, the sweeper ends the lists later.
    await abandon.catch(() => {})
    throw error
  }
}

function noLongerOurs(): ImportFileError {
  return new ImportFileError(
    'The import was stopped: it made no progress for too long, or another import of the same file continued it.',
    fault('replacement_ended'),
  )
}

/**
 * Validates all rows. Passes chunks of valid rows to `fill`, but none after the first invalid row. Returns the
 * number of rows.
 */
async function eachChunk(
  rows: AsyncIterable<SourceRow[]>,
  encode: (row: SourceRow) => string | undefined,
  problems: Problems,
  fill: (lines: string[], credentialIds: Set<string>) => Promise<void>,
  progress: ImportProgress | undefined,
): Promise<number> {
  let read = 0
  let lines: string[] = []
  let ids = new Set<string>()
  const flush = async () => {
    if (lines.length > 0 && problems.count === 0) await fill(lines, ids)
    lines = []
    ids = new Set()
  }
  for await (const batch of rows) {
    for (const row of batch) {
      const line = encode(row)
      if (line === undefined) continue
      // Remove the line number and the field mask. What remains is the credential ID, a tab, the address and a line feed.
      const holder = line.slice(line.indexOf('\t', line.indexOf('\t') + 1) + 1)
      lines.push(holder)
      ids.add(holder.slice(0, holder.indexOf('\t')))
      if (lines.length >= CHUNK) await flush()
    }
    read += batch.length
    progress?.read(read)
  }
  await flush()
  return read
}

/** COPY text for the new lists; without `lists`, for the staging table. */
async function* inPieces(lines: string[], lists?: ReadonlyMap<string, PendingList>): AsyncGenerator<string> {
  for (let i = 0; i < lines.length; i += 5_000) {
    const rows = lines.slice(i, i + 5_000).map((line) => {
      if (!lists) return `0\t0\t${line}`
      const tab = line.indexOf('\t')
      return `${line.slice(0, tab)}\t${lists.get(line.slice(0, tab))?.generation}${line.slice(tab)}`
    })
    yield rows.join('')
  }
}

function countLines(lines: string[]): Filled[] {
  const counts = new Map<string, number>()
  for (const line of lines) {
    const id = line.slice(0, line.indexOf('\t'))
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return [...counts].map(([credentialId, count]) => ({ credentialId, count }))
}
