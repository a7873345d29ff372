import type { CopyTransaction } from '../database/copy.ts'
import { stagingOf } from '../distribution/staging.ts'
import { recordReader } from './check.ts'
import { encoderOf } from './kind.ts'
import { type KindName, kinds } from './kinds.ts'
import { ImportRefusedError, Problems } from './problems.ts'
import { retryOnConflict } from './retry.queries.ts'
import type { ImportDependencies, ImportReport } from './import-rows.ts'
import { createStaging, findDuplicates, findProblems, stagingTarget } from './staging.queries.ts'

/** Kinds that need no other data than their records. */
export type StorableKind = Exclude<KindName, 'holders' | 'points' | 'awards'>

/** Validates the fields of records without the database. The `line` of a problem is a position, from 1. */
function encodeRecords(kindName: StorableKind, records: readonly unknown[], now: number, problems: Problems) {
  const kind = kinds[kindName]
  const read = recordReader(kind.fields, problems)
  const encode = encoderOf(kind, now, problems)
  return records.map((record, index) => {
    const row = read(record, index + 1)
    return row && encode(row)
  })
}

/**
 * Validates and stores a few records like the lines of a file, in the transaction of the caller.
 * @throws ImportRefusedError
 */
export async function storeRecords(
  { kysely, copy }: CopyTransaction,
  { database, clock }: Pick<ImportDependencies, 'database' | 'clock'>,
  kindName: StorableKind,
  records: readonly unknown[],
): Promise<ImportReport> {
  const kind = kinds[kindName]
  const now = clock.now()
  const problems = new Problems()
  const rows = encodeRecords(kindName, records, now, problems)
  if (problems.count > 0) throw new ImportRefusedError(problems.first, problems.count)
  const staging = stagingOf(database, kysely)
  await createStaging(kysely, staging, kind)
  await copy(
    stagingTarget(kind.fields),
    (async function* () {
      yield rows.join('')
    })(),
  )
  await staging.analyze('staged')
  await kind.lock?.(kysely)
  for (const rule of kind.rules) problems.addFound(await findProblems(kysely, rule))
  if (kind.key) problems.addFound(await findDuplicates(kysely, kind.key, sameKey))
  if (problems.count > 0) throw new ImportRefusedError(problems.first, problems.count)
  const counts = await retryOnConflict(kysely, () => kind.merge(kysely, { clock, now: new Date(now), staging }))
  await staging.end()
  return { read: records.length, added: counts.added, changed: counts.changed }
}

const sameKey = (first: string): string => `has the same key as record ${first}`
