import type { Kysely } from 'kysely'
import { type CopyTransaction, copyTransaction } from '../database/copy.ts'
import { isUniqueViolation } from '../database/sql-states.ts'
import type { DB } from '../database/tables.ts'
import { stagingOf } from '../distribution/staging.ts'
import type { SourceRow } from './check.ts'
import { encoderOf, type Kind } from './kind.ts'
import { ImportRefusedError, type Problems } from './problems.ts'
import {
  type Claim,
  claimGenerations,
  countKept,
  type Filled,
  HOLDERS,
  fillClaims,
  giveUpClaims,
  noteChunk,
  type Progress,
  publishClaims,
  takeOverClaims,
  touchClaims,
} from './replace-holders.queries.ts'
import { ImportFileError } from './source.ts'
import type { ImportDependencies, ImportProgress, ImportReport } from './run-import.ts'
import { analyzeAfter, createStaging, stagingTarget } from './staging.queries.ts'

/** Holders per transaction. */
const CHUNK = 100_000

/**
 * Replaces the holder lists of the credentials in the rows. New lists are filled in transactions of bounded size while
 * the current lists remain in use. If all rows are valid, all new lists become current at once. Until then only the
 * status SYNCING is visible. sweepHolderLists deletes the old lists. An interrupted run is resumed by the next run with
 * the same source, which skips the stored chunks.
 * @param source SHA-256 of the file; undefined if it cannot be read again
 * @throws ImportRefusedError with all problems; the old lists remain
 */
export async function replaceHolders(
  { database, clock, signal, stored }: ImportDependencies,
  kind: Kind,
  rows: AsyncIterable<SourceRow[]>,
  problems: Problems,
  progress?: ImportProgress,
  source: Buffer | null = null,
): Promise<ImportReport & { holders: number }> {
  const claims = new Map<string, Claim & { count: number }>()
  let touched = new Date(clock.now())
  const left = source && (await takeOverClaims(database.kysely, source, touched))
  for (const claim of left?.claims ?? []) claims.set(claim.credentialId, claim)
  const done: Progress = { source, chunks: left?.chunks ?? 0, takeovers: left?.takeovers ?? 0 }
  let chunk = 0
  const encode = encoderOf(kind, clock.now(), problems)

  async function fill(lines: string[], ids: Set<string>): Promise<void> {
    if (++chunk <= done.chunks) return
    const unclaimed = [...ids].filter((id) => !claims.has(id))
    const fresh = await database.kysely.transaction().execute(async (trx) => {
      const now = await keepClaims(trx)
      return unclaimed.length === 0 ? [] : claimGenerations(trx, unclaimed, now, done)
    })
    for (const claim of fresh) claims.set(claim.credentialId, { ...claim, count: 0 })
    for (const claim of await store(lines.toSorted())) claims.set(claim.credentialId, claim)
    done.chunks = chunk
  }

  /**
   * Copies directly into the new lists, which is fastest. Uses the staging table if a holder is also in an earlier
   * chunk.
   */
  async function store(sorted: string[]): Promise<(Claim & { count: number })[]> {
    const distinct = sorted.filter((line, i) => line !== sorted[i - 1])
    try {
      const straight = async ({ kysely, copy }: CopyTransaction) => {
        await copy(HOLDERS, inPieces(distinct, claims))
        return note(kysely, countLines(distinct))
      }
      return await copyTransaction(database, straight, signal)
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      const staged = async ({ kysely, copy }: CopyTransaction) => {
        const staging = stagingOf(database, kysely)
        await createStaging(kysely, staging, kind)
        await copy(stagingTarget(kind.fields), inPieces(distinct))
        await staging.analyze('staged')
        const filled = await fillClaims(kysely, [...claims.values()])
        await staging.end()
        return note(kysely, filled)
      }
      return copyTransaction(database, staged, signal)
    }
  }

  /** Records a chunk in the transaction that stores it. Returns the updated claims. */
  async function note(trx: Kysely<DB>, filled: readonly Filled[]): Promise<(Claim & { count: number })[]> {
    const gained = new Map(filled.map(({ credentialId, count }) => [credentialId, count]))
    const grown = [...claims.values()].map((claim) => ({
      ...claim,
      count: claim.count + (gained.get(claim.credentialId) ?? 0),
    }))
    if ((await noteChunk(trx, grown, { ...done, chunks: chunk })) < claims.size) throw noLongerOurs()
    return grown
  }

  /** Keeps the claims alive. Throws if a sweeper has ended them. */
  async function keepClaims(trx: Kysely<DB>): Promise<Date> {
    const now = new Date(clock.now())
    if ((await touchClaims(trx, [...claims.values()], touched, now, done.takeovers)) < claims.size) throw noLongerOurs()
    touched = now
    return now
  }

  try {
    const read = await eachChunk(rows, encode, problems, fill, progress)
    if (problems.count > 0) throw new ImportRefusedError(problems.first, problems.count)
    progress?.phase('publishing', read)
    const published = [...claims.values()]
    const { former, kept } = await countKept(database.kysely, published)
    const holders = published.reduce((sum, claim) => sum + claim.count, 0)
    const report = { read, added: holders - kept, changed: 0, removed: Math.max(former - kept, 0), holders }
    await database.kysely.transaction().execute(async (trx) => {
      await publishClaims(trx, published, await keepClaims(trx))
      if (read > 0) await stored?.(trx, report)
      signal?.throwIfAborted()
    })
    await analyzeAfter(database.kysely, kind, holders)
    return report
  } catch (error) {
    // Ignore errors, because the first error is the cause. The sweeper ends claims that are not kept alive.
    const giveUp = database.kysely
      .transaction()
      .execute((trx) => giveUpClaims(trx, [...claims.values()], done.takeovers))
    await giveUp.catch(() => {})
    throw error
  }
}

function noLongerOurs(): ImportFileError {
  return new ImportFileError(
    'The replacement was aborted: it made no progress for too long, or another run of the same file replaced it.',
  )
}

/** Validates all rows, and passes valid ones on in chunks until the first invalid one. Returns the number of rows. */
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
      // Without line number and field mask: `credential \t address`.
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

/** COPY text for the lists, if claims are given, else for the staging table. */
async function* inPieces(lines: string[], claims?: ReadonlyMap<string, Claim>): AsyncGenerator<string> {
  for (let i = 0; i < lines.length; i += 5_000) {
    const rows = lines.slice(i, i + 5_000).map((line) => {
      if (!claims) return `0\t0\t${line}`
      const tab = line.indexOf('\t')
      return `${line.slice(0, tab)}\t${claims.get(line.slice(0, tab))?.generation}${line.slice(tab)}`
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
