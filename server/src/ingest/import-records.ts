import { recordReader, type SourceRow } from './check.ts'
import { type KindName, prepareKind } from './kinds.ts'
import { Problems } from './problems.ts'
import type { Records } from './records.ts'
import { type ImportDependencies, type ImportReport, importRows } from './import-rows.ts'

export interface ImportOptions {
  /** The credential for holders without a `credentialId`. */
  credentialId?: string
}

const BATCH = 1_000

/**
 * Imports records of one kind. Validates and stores records in the same way as the lines of a file. Stores all records
 * or none.
 * @returns the numbers of records read, added and changed
 * @throws ImportRefusedError with up to 100 problems and their total number. The `line` of a problem is the position of
 * the record, and the first record has position 1.
 */
export async function importRecords<K extends KindName>(
  dependencies: ImportDependencies,
  kindName: K,
  records: Iterable<Records[K]> | AsyncIterable<Records[K]>,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const kind = await prepareKind(kindName, dependencies.database, options.credentialId)
  const problems = new Problems()
  const read = recordReader(kind.fields, problems)
  async function* rows(): AsyncGenerator<SourceRow[]> {
    let batch: SourceRow[] = []
    let line = 0
    for await (const record of records) {
      const row = read(record, ++line)
      if (row) batch.push(row)
      if (batch.length === BATCH) {
        yield batch
        batch = []
      }
    }
    yield batch
  }
  return importRows(dependencies, kind, rows(), problems)
}
