import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { type Adjustments, AS_WRITTEN, checkAdjustments } from './adjustments.ts'
import { detect, everyKind, kindOfHeader } from './detect.ts'
import { type KindName, prepareKind } from './kinds.ts'
import { Problems, shown } from './problems.ts'
import { readRows } from './read-rows.ts'
import { replaceHolders } from './replace-holders.ts'
import { type ImportDependencies, type ImportProgress, type ImportReport, runImport } from './run-import.ts'
import { ImportFileError, linesOf, openSource, type Source } from './source.ts'

export interface ImportFileOptions {
  standardInput: Readable
  /** What the file holds; without it the file's name or its fields tell. */
  kind?: KindName | undefined
  /** The credential of holders whose lines name none. */
  credentialId?: string | undefined
  /** The holders take the place of those that their credentials have, instead of joining them. */
  replace?: boolean | undefined
  /** How the columns of the file become fields. */
  adjustments?: Adjustments | undefined
  /** Check everything, and store nothing. A replacement is checked as an addition. */
  dryRun?: boolean | undefined
  progress?: FileProgress | undefined
  /** Works in the transaction that stores the file, before its commit. */
  stored?: ((transaction: Transaction<DB>, report: StoredFile) => Promise<void>) | undefined
}

/** What a file brought in. */
export interface StoredFile extends ImportReport {
  kind: KindName
}

export interface FileProgress extends ImportProgress {
  opened(source: Source, kind: KindName): void
}

/**
 * Imports a file (`-`: standard input): CSV, NDJSON, or a list of holders; gzipped or not; all or nothing.
 * @throws ImportFileError when the file as a whole cannot be imported, ImportRefusedError when lines of it are bad
 */
export async function importFile(
  dependencies: ImportDependencies,
  path: string,
  options: ImportFileOptions,
): Promise<StoredFile> {
  const { database, signal } = dependencies
  const source = await openSource(path, { standardInput: options.standardInput, signal })
  const { firstLine, lines } = await peekLine(linesOf(source.bytes))
  const ofHolders = options.credentialId !== undefined || options.replace === true
  const adjustments = options.adjustments ?? AS_WRITTEN
  const told = options.kind ?? (ofHolders ? (kindOfHeader(firstLine, adjustments) ?? 'holders') : undefined)
  const { kind: name, format } = detect(path, firstLine, told, adjustments)
  if (name !== 'holders' && ofHolders)
    throw new ImportFileError(
      `${options.replace ? '--replace' : '--credential'} goes with holders alone, and this file holds ${name}. ` +
        `Leave it out: ${name} are updated by their keys.`,
    )
  const isNamed = options.credentialId !== undefined
  if (format.type === 'list' && (isNamed ? isBinary : isNoData)(firstLine.trim()))
    throw new ImportFileError(
      `The file holds nothing that can be imported; it ${isBinary(firstLine) ? 'is a binary file' : `begins with ${shown(firstLine.trim())}`}. ` +
        'CSV with a header, NDJSON and lists of holders can be: docs/import.md describes them.',
    )
  if (format.type === 'list' && options.credentialId === undefined)
    throw new ImportFileError(
      'The first line is neither JSON nor a header with known fields. ' +
        `If the file is a plain list of holders, add --credential ID.\n${everyKind()}`,
    )
  if (format.type === 'list') refuseHeader(firstLine, adjustments)
  const kind = await prepareKind(name, database, options.credentialId)
  checkAdjustments(name, kind.fields, adjustments)
  options.progress?.opened(source, name)
  const problems = new Problems()
  const rows = readRows(format, lines, kind.fields, problems, adjustments)
  const stored = (transaction: Transaction<DB>, counts: ImportReport) =>
    options.stored?.(transaction, { ...counts, kind: name }) ?? Promise.resolve()
  const storing = { ...dependencies, stored }
  const { read, added, changed }: ImportReport =
    options.replace && !options.dryRun
      ? await replaceHolders(storing, kind, rows, problems, options.progress, await sourceOf(path, options))
      : await runImport(storing, kind, rows, problems, options.progress, options.dryRun)
  if (read === 0) throw new ImportFileError('The file has a header but no records.')
  return { read, added, changed, kind: name }
}

/** A list has one column: a first line with several is a header that nothing is known of. */
function refuseHeader(firstLine: string, { map }: Adjustments): void {
  const columns = firstLine.trim().split(/[,;\t]/)
  if (columns.length > 1)
    throw new ImportFileError(
      `The first line is no header with known fields: ${columns.map((column) => shown(column.trim())).join(', ')}. ` +
        `Name the column of the holders, such as --map ${columns[0]?.trim().replaceAll('"', '')}=address, and pass over the others with --ignore-unknown.`,
    )
  if (map.size > 0) throw new ImportFileError(`The file has no column that --map names: ${[...map.keys()].join(', ')}.`)
}

const isBinary = (line: string) => /[\0-\x08\ufffd]/.test(line)

/** A heading, markup, a program, bytes that are no text, or words without anything between columns. */
const isNoData = (line: string) =>
  isBinary(line) || /^[#<]|^\/[/*]/.test(line) || (/ /.test(line) && !/[,;\t]/.test(line))

/** What a replacement that was killed is found again by: the file's content and the credential that was named. */
async function sourceOf(path: string, { credentialId }: ImportFileOptions): Promise<Buffer | null> {
  if (path === '-') return null
  const hash = createHash('sha256').update(`holders of ${credentialId ?? ''}\n`)
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest()
}

/** Reads up to the first line that is not blank; the lines that come back are all lines. */
async function peekLine(
  lines: AsyncGenerator<string[]>,
): Promise<{ firstLine: string; lines: AsyncIterable<string[]> }> {
  const seen: string[][] = []
  let firstLine: string | undefined
  while (firstLine === undefined) {
    const next = await lines.next()
    if (next.done) throw new ImportFileError('The file is empty.')
    seen.push(next.value)
    firstLine = next.value.find((line) => line.trim() !== '')
  }
  return {
    firstLine,
    lines: (async function* () {
      yield* seen
      yield* lines
    })(),
  }
}
