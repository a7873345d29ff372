import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { type Adjustments, AS_WRITTEN, checkAdjustments } from './adjustments.ts'
import { detect, everyKind, kindOfHeader } from './detect.ts'
import type { Kind } from './kind.ts'
import { type KindName, prepareKind } from './kinds.ts'
import { measureReplacement } from './kinds/holders.queries.ts'
import { Problems, quoteValue } from './problems.ts'
import { readRows } from './read-rows.ts'
import { replaceHolders } from './replace-holders.ts'
import { type ImportDependencies, type ImportProgress, type ImportReport, importRows } from './import-rows.ts'
import { ImportFileError, linesOf, openSource, type Source } from './source.ts'
import { fault } from '../texts/faults.ts'

export interface ImportFileOptions {
  standardInput: Readable
  /** The name by which the kind is detected; default: the path. */
  name?: string | undefined
  /** If undefined, detected from the file name or the fields. */
  kind?: KindName | undefined
  /** The credential of holders whose lines name none. */
  credentialId?: string | undefined
  /** Replaces the holders of the credentials instead of adding to them. */
  replace?: boolean | undefined
  adjustments?: Adjustments | undefined
  /** The rules of the lines; default: those of the kind. */
  rules?: Kind | undefined
  /** Validates and counts all lines, and stores nothing. */
  dryRun?: boolean | undefined
  progress?: FileProgress | undefined
  /** Runs in the transaction that stores the file. */
  beforeCommit?: ((transaction: Transaction<DB>, report: StoredFile) => Promise<void>) | undefined
}

export interface StoredFile extends ImportReport {
  kind: KindName
}

export interface FileProgress extends ImportProgress {
  opened(source: Source, kind: KindName): void
}

/**
 * Imports a CSV, NDJSON or holder list file (`-`: standard input), gzipped or not. All lines are stored, or none.
 * @throws ImportFileError if the file as a whole is invalid, ImportRefusedError if lines are invalid
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
  const { kind: name, format } = detect(options.name ?? path, firstLine, told, adjustments)
  if (name !== 'holders' && ofHolders)
    throw new ImportFileError(
      `${options.replace ? '--replace' : '--credential'} applies only to holders, and this file contains ${name}. ` +
        `Leave it out: ${name} are updated by their keys.`,
      fault('only_holders', { kind: name }),
    )
  const isNamed = options.credentialId !== undefined
  if (format.type === 'list' && (isNamed ? isBinary : isNoData)(firstLine.trim()))
    throw new ImportFileError(
      `The file contains no data that can be imported; it ${isBinary(firstLine) ? 'is a binary file' : `begins with ${quoteValue(firstLine.trim())}`}. ` +
        'Supported formats are CSV with a header, NDJSON and lists of holders (docs/import.md).',
      fault('no_data'),
    )
  if (format.type === 'list' && told === undefined && /[,;\t]/.test(firstLine.trim()))
    throw new ImportFileError(
      `The name and the fields of the file match no single kind. Add --kind.\n${everyKind()}`,
      fault('unknown_kind'),
    )
  if (format.type === 'list' && options.credentialId === undefined)
    throw new ImportFileError(
      'The first line is neither JSON nor a header with known fields. ' +
        `If the file is a plain list of holders, add --credential ID.\n${everyKind()}`,
      fault('needs_credential'),
    )
  if (format.type === 'list') refuseHeader(firstLine, adjustments)
  const kind = options.rules ?? (await prepareKind(name, database, options.credentialId))
  checkAdjustments(name, kind.fields, adjustments)
  options.progress?.opened(source, name)
  const problems = new Problems()
  const rows = readRows(format, lines, kind.fields, problems, adjustments)
  const beforeCommit = (transaction: Transaction<DB>, counts: ImportReport) =>
    options.beforeCommit?.(transaction, { ...counts, kind: name }) ?? Promise.resolve()
  const storing = { ...dependencies, beforeCommit }
  const report: ImportReport =
    options.replace && !options.dryRun
      ? await replaceHolders(storing, kind, rows, problems, options.progress, await sourceOf(path, options))
      : await importRows(
          storing,
          options.replace ? replaced(kind) : kind,
          rows,
          problems,
          options.progress,
          options.dryRun,
        )
  if (report.read === 0) throw new ImportFileError('The file has a header but no records.', fault('no_records'))
  return { ...report, kind: name }
}

/** Counts the changes if the staged holders replaced the lists. Stores no change. */
const replaced = (kind: Kind): Kind => ({ ...kind, merge: (trx) => measureReplacement(trx) })

/** The beginning of a first line that an error names, in characters. */
const MAX_SHOWN_HEADER = 1000

/** A list has one column, so a first line with several columns is an unknown header. */
function refuseHeader(firstLine: string, { map }: Adjustments): void {
  const columns = columnsOf(firstLine.slice(0, MAX_SHOWN_HEADER))
  if (columns.length > 1)
    throw new ImportFileError(
      `The first line is not a header with known fields: ${columns.map((column) => quoteValue(column.trim())).join(', ')}. ` +
        `Name the column of the holders, such as --map ${columns[0]?.trim().replaceAll('"', '')}=address, and ignore the others with --ignore-unknown.`,
      fault('unknown_columns', { columns: columns.map((column) => column.trim()).join(', ') }),
    )
  if (map.size > 0) throw new ImportFileError(`The file has no column that --map names: ${[...map.keys()].join(', ')}.`)
}

const columnsOf = (firstLine: string) => firstLine.trim().split(/[,;\t]/)

const isBinary = (line: string) => /[\0-\x08\ufffd]/.test(line)

/** Whether a line is a heading, markup, a program, binary data or prose. */
const isNoData = (line: string) =>
  isBinary(line) || /^[#<]|^\/[/*]/.test(line) || (/ /.test(line) && !/[,;\t]/.test(line))

/** The hash of the file and of the credential ID; null for standard input, which cannot be read again. */
async function sourceOf(path: string, { credentialId }: ImportFileOptions): Promise<Buffer | null> {
  if (path === '-') return null
  const hash = createHash('sha256').update(`holders of ${credentialId ?? ''}\n`)
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest()
}

/** Reads up to the first non-blank line. The returned `lines` include the lines read. */
async function peekLine(
  lines: AsyncGenerator<string[]>,
): Promise<{ firstLine: string; lines: AsyncIterable<string[]> }> {
  const seen: string[][] = []
  let firstLine: string | undefined
  while (firstLine === undefined) {
    const next = await lines.next()
    if (next.done) throw new ImportFileError('The file is empty.', fault('empty_file'))
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
