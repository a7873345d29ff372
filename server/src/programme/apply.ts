import type { Transaction } from 'kysely'
import type { ContentKind, ContentRecord } from '../content/records/content-kinds.ts'
import { setPublicPage } from '../content/spaces/public-page.ts'
import { changeObject, createObject, type EditRules } from '../content/records/edit.ts'
import { readRecord, readSpaceFacts } from '../content/records/records.queries.ts'
import { naming } from '../content/records/refusals.ts'
import { copyTransaction, type CopyTransaction } from '../database/copy.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import { ApiError, type FieldProblem } from '../errors.ts'
import { isEmpty } from '../ingest/check.ts'
import { kinds } from '../ingest/kinds.ts'
import { SourceRefusedError } from '../sync/source.ts'
import type { AppliedObject } from './applied.ts'
import { asJson, differences, type FieldChange } from './differences.ts'
import type { DescribedObject } from './objects.ts'
import { ProgrammeRefusedError } from './problems.ts'
import { findUndescribed, nameOf, removeUndescribed } from './prune.ts'
import { applyRules } from './rules-of-space.ts'
import { applySource, type Environment, type SourceServices } from './source-of-credential.ts'

export interface Applied {
  objects: AppliedObject[]
  unchanged: number
}

export interface ApplyOptions {
  /** Computes the changes, and stores nothing. */
  diff: boolean
  environment?: Environment
  /** Removes objects of described spaces that no file describes: all, or those with these names (`quest GCold`). */
  prune?: boolean | ReadonlySet<string>
  /** Refuses removals that were not confirmed. Gets the names of everything that `prune` can remove. */
  checkRemovals?: (names: readonly string[]) => void
  /** Checks the permission, at the beginning of the transaction. */
  begin?: (trx: Transaction<DB>) => Promise<void>
}

/** Ends a transaction that only computes the changes to show. */
class OnlyDifferences extends Error {
  readonly applied: Applied

  constructor(applied: Applied) {
    super('The transaction is rolled back')
    this.applied = applied
  }
}

/**
 * Creates and changes the objects in one transaction. Without `prune`, objects that files do not describe stay.
 * @throws ProgrammeRefusedError
 */
export async function applyObjects(
  services: SourceServices & { database: Database },
  objects: readonly DescribedObject[],
  { diff, environment, begin, prune = false, checkRemovals }: ApplyOptions,
): Promise<Applied> {
  try {
    return await copyTransaction(services.database, async (copying) => {
      await begin?.(copying.kysely)
      const stored = await applyIn(copying, services, objects, environment)
      const removed = prune === false ? [] : await pruneIn(copying.kysely, services, objects, prune, checkRemovals)
      const applied = { ...stored, objects: [...stored.objects, ...removed] }
      if (diff) throw new OnlyDifferences(applied)
      return applied
    })
  } catch (error) {
    if (error instanceof OnlyDifferences) return error.applied
    throw error
  }
}

async function applyIn(
  copying: CopyTransaction,
  services: SourceServices,
  objects: readonly DescribedObject[],
  environment: Environment,
): Promise<Applied> {
  const results = new Map<DescribedObject, AppliedObject | undefined>()
  for (const object of objects) results.set(object, await located(object, () => store(copying, services, object)))
  const addChanges = async (object: DescribedObject, work: () => Promise<FieldChange[]>) => {
    const fields = await located(object, work)
    const result = results.get(object)
    if (fields.length === 0 || result?.action === 'created') return
    const { name } = (await readRecord(copying.kysely, object.kind, object.id)) as { name: string }
    results.set(object, result ? { ...result, fields: [...result.fields, ...fields] } : changed(object, name, fields))
  }
  // A source can name any other credential.
  for (const object of objects) {
    const { id, source } = object
    if (source === undefined) continue
    await addChanges(object, () => applySource(services, copying.kysely, id.text, source, environment))
  }
  // Rules name quests and credentials. They lock their spaces, in the order of all transactions.
  for (const object of objects.toSorted(bySpace)) {
    const { id, rules } = object
    if (rules) await addChanges(object, () => applyRules(services, copying.kysely, id.spaceId ?? 0, rules))
  }
  const all = [...results.values()].filter((result) => result !== undefined)
  return { objects: all, unchanged: objects.length - all.length }
}

async function pruneIn(
  trx: Transaction<DB>,
  services: SourceServices,
  objects: readonly DescribedObject[],
  which: true | ReadonlySet<string>,
  check?: ApplyOptions['checkRemovals'],
): Promise<AppliedObject[]> {
  const removed: AppliedObject[] = []
  const found = await findUndescribed(trx, objects)
  check?.(found.map(({ kind, id }) => nameOf(kind, id)))
  for (const one of found)
    if (which === true || which.has(nameOf(one.kind, one.id)))
      removed.push(await located(one.space, () => removeUndescribed(trx, services, one)))
  return removed
}

const bySpace = (a: DescribedObject, b: DescribedObject) => (a.id.spaceId ?? 0) - (b.id.spaceId ?? 0)

/** @returns undefined if nothing changed */
async function store(
  copying: CopyTransaction,
  services: SourceServices,
  object: DescribedObject,
): Promise<AppliedObject | undefined> {
  const { kind, id, record, slug } = object
  const trx = copying.kysely
  const slugBefore = slug === undefined ? undefined : ((await readSpaceFacts(trx, id.spaceId ?? 0))?.slug ?? null)
  const rules: EditRules = {
    allow: async () => {},
    more: async () => ((await setPublicPage(services, trx, id.spaceId ?? 0, slug)) ? ['slug'] : []),
  }
  const stored = await readRecord(trx, kind, id)
  if (!stored) {
    await createObject(copying, { services, kind }, record, rules)
    return { kind: kind.name, id: id.text, name: String(record.name), action: 'created', fields: [] }
  }
  if (slug === slugBefore && isSame(kind, asJson(stored), record)) return undefined
  const change = await changeObject(copying, { services, kind }, id, record, rules)
  if (!change) return undefined
  const [before, after] = [asJson(change.before), asJson(change.after)]
  const fields = change.fields.flatMap((field) =>
    field === 'slug'
      ? [{ field, before: slugBefore, after: slug }]
      : differences(field, before[field] ?? null, after[field] ?? null),
  )
  return changed(object, String(after.name), fields)
}

/** Whether the record has only stored values. Then the object does not have to be stored, which takes many statements. */
function isSame(kind: ContentKind, stored: ContentRecord, record: ContentRecord): boolean {
  // A status fixes a quest whose status the service moves.
  if (record.status !== undefined && stored.autoStatus === true) return false
  const { fields } = kinds[kind.records]
  return Object.entries(record).every(([name, value]) => {
    const spec = fields[name]
    const read = (one: unknown) => (isEmpty(one) ? spec?.fallback : spec?.read(one))
    return read(value) === read(stored[name])
  })
}

const changed = ({ kind, id }: DescribedObject, name: string, fields: FieldChange[]): AppliedObject => ({
  kind: kind.name,
  id: id.text,
  name,
  action: 'changed',
  fields,
})

/** Runs work whose rejections name the line of the object's file. */
async function located<T>({ problem }: DescribedObject, work: () => Promise<T>): Promise<T> {
  try {
    return await naming(work)
  } catch (error) {
    const found = problemsOf(error)
    throw found ? new ProgrammeRefusedError(found.map(({ field, message }) => problem(field, message))) : error
  }
}

function problemsOf(error: unknown): FieldProblem[] | undefined {
  if (error instanceof SourceRefusedError)
    return error.problems.map(({ path, message }) => ({ field: path === '' ? 'source' : `source.${path}`, message }))
  if (!(error instanceof ApiError)) return undefined
  const { problems } = error.details as { problems?: FieldProblem[] }
  return problems ?? [{ field: '', message: error.message }]
}
