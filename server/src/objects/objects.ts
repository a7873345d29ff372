import { SharedApiError } from '../errors.ts'
import { type Fault, fault, unknownReference } from '../texts/faults.ts'
import type { Transaction } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import type { KindName } from '../ingest/kinds.ts'
import { lockCredentials } from '../ingest/replace-holders.queries.ts'
import { lockSpaces } from '../ranking/boards.queries.ts'
import { recordVersions } from '../ranking/boards.ts'
import { enterSprintRemoval } from '../ranking/ledger.queries.ts'
import { relistQuests } from '../ranking/quests/listing.ts'
import { retireId, retireSpaceId } from './ids.queries.ts'
import { type ObjectId, objectKinds, type ObjectName, readObjectId } from './object-kinds.ts'
import {
  countContents,
  deleteRows,
  deleteSubscriptions,
  exportRows,
  hideQuests,
  type ListedObject,
  type ObjectFilter,
  nextVersion,
  questsRequiring,
  questsOfSpace,
  releaseCredentials,
  selectObjects,
  type Within,
} from './objects.queries.ts'

export interface ObjectDependencies {
  database: Pick<Database, 'kysely'>
  clock: Clock
}

type ObjectErrorCode = 'INVALID_ARGUMENT' | 'NOT_FOUND' | 'CONFLICT' | 'PERMISSION_DENIED'

export class ObjectError extends SharedApiError<ObjectErrorCode> {
  override name = 'ObjectError'

  constructor(code: ObjectErrorCode, message: string, fault?: Fault) {
    super(code, message, undefined, fault)
  }
}

export const EVERYTHING: Within = { spaceIds: null, starboardIds: null, credentialIds: null }

export interface ObjectPage {
  items: ListedObject[]
  /** The start of the next page; null on the last page. */
  next: string | null
}

export async function listObjects(
  { database }: ObjectDependencies,
  name: ObjectName,
  { within = EVERYTHING, first, ...filter }: Partial<Omit<ObjectFilter, 'limit' | 'id'>> & { first: number },
): Promise<ObjectPage> {
  const rows = await selectObjects(database.kysely, name, { ...filter, within, limit: first + 1 })
  const page = rows.slice(0, first)
  return { items: page.map(withoutKeys), next: rows.length > first ? (page.at(-1)?.key ?? null) : null }
}

/** @throws ObjectError if the object does not exist or the caller cannot see it */
export async function showObject(
  { database }: ObjectDependencies,
  name: ObjectName,
  text: string,
  within = EVERYTHING,
): Promise<ListedObject & { contents: Record<string, number> }> {
  const { id, object } = await find(database, name, text, within)
  return { ...object, contents: await countContents(database.kysely, name, id) }
}

/**
 * Deletes an object with its contents (objectKinds: `removes`) in one transaction.
 * @param begin checks the permission, at the beginning of the transaction
 * @param note writes the audit entry in the transaction
 * @returns the numbers of deleted rows by kind
 */
export async function deleteObject(
  { database, clock }: ObjectDependencies,
  name: ObjectName,
  text: string,
  {
    within = EVERYTHING,
    begin,
    note,
  }: {
    within?: Within
    begin?: (trx: Transaction<DB>) => Promise<void>
    note: (trx: Transaction<DB>, removed: Record<string, number>) => Promise<void>
  },
): Promise<Record<string, number>> {
  const { id } = await find(database, name, text, within)
  return database.kysely.transaction().execute(async (trx) => {
    await begin?.(trx)
    return deleteIn(trx, clock, name, id, note)
  })
}

/** Deletes an object with its contents in a transaction of the caller. @returns the numbers of deleted rows by kind */
export async function deleteIn(
  trx: Transaction<DB>,
  clock: Clock,
  name: ObjectName,
  id: ObjectId,
  note: (trx: Transaction<DB>, removed: Record<string, number>) => Promise<void>,
): Promise<Record<string, number>> {
  const { text } = id
  const before: Record<string, number> = {}
  if (name === 'credential') {
    await refuseWhenAskedFor(trx, text)
    // So that no result of a check is stored after its contents are deleted.
    await lockCredentials(trx, [text])
  }
  if (name === 'quest') await hide(trx, [text], clock)
  if (name === 'space') {
    const quests = await questsOfSpace(trx, id.spaceId ?? 0)
    await hide(trx, quests, clock)
    for (const quest of quests) await deleteRows(trx, 'quest', { text: quest })
    if (quests.length > 0) before.quests = quests.length
    const released = await releaseCredentials(trx, id.spaceId ?? 0)
    if (released > 0) before.credentialsWithoutCurator = released
  }
  if (id.spaceId !== undefined) await lockSpaces(trx, [id.spaceId])
  if (name === 'sprint' && id.spaceId !== undefined) {
    await nextVersion(trx, id.spaceId)
    await enterSprintRemoval(trx, id.spaceId, id.sprintId ?? 0, new Date(clock.now()))
  }
  const subscriptions = await deleteSubscriptions(trx, `${name}:${text}`)
  if (name === 'space') await retireSpaceId(trx, id.spaceId ?? 0)
  if (name === 'sprint') await retireId(trx, { spaceId: id.spaceId ?? 0 }, id.sprintId ?? 0)
  const deleted = await deleteRows(trx, name, id)
  if (deleted === undefined) throw notFound(name, text)
  if (name === 'sprint' && id.spaceId !== undefined) await recordVersions(trx, [id.spaceId], clock)
  const removed = { ...before, ...deleted, ...(subscriptions > 0 && { webhookSubscriptions: subscriptions }) }
  await note(trx, removed)
  return removed
}

/** @throws ObjectError if the object does not exist or the caller cannot see it */
export async function requireObject(
  { database }: Pick<ObjectDependencies, 'database'>,
  name: ObjectName,
  text: string,
  within = EVERYTHING,
): Promise<ObjectId> {
  return (await find(database, name, text, within)).id
}

/** @throws ObjectError if the export is not possible */
export async function requireExport(
  { database }: ObjectDependencies,
  name: ObjectName,
  text: string,
  { within = EVERYTHING, kind }: { within?: Within; kind?: string | undefined },
): Promise<{ id: ObjectId; wanted: KindName }> {
  const { exports } = objectKinds[name]
  const wanted = (kind ?? exports[0]) as KindName
  if (!exports.includes(wanted))
    throw new ObjectError(
      'INVALID_ARGUMENT',
      `kind: a ${name} is exported as ${exports.join(', ')}.`,
      fault('not_one_of', { allowed: exports }),
    )
  return { id: (await find(database, name, text, within)).id, wanted }
}

/** Passes the records of one kind to `use`, in one snapshot, for an NDJSON file that can be imported. */
export async function exportObject<Result>(
  deps: ObjectDependencies,
  name: ObjectName,
  text: string,
  options: { within?: Within; kind?: string | undefined },
  use: (records: AsyncIterable<Record<string, unknown>>) => Promise<Result>,
): Promise<Result> {
  const { id, wanted } = await requireExport(deps, name, text, options)
  return deps.database.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((trx) => use(exportRows(trx, name, wanted, id)))
}

async function find(
  database: ObjectDependencies['database'],
  name: ObjectName,
  text: string,
  within: Within,
): Promise<{ id: ObjectId; object: ListedObject }> {
  const id = readObjectId(name, text)
  if (id === undefined)
    throw new ObjectError(
      'INVALID_ARGUMENT',
      `The id of a ${name} must be ${objectKinds[name].allowedId}.`,
      unknownReference(text),
    )
  const [row] = await selectObjects(database.kysely, name, { within: EVERYTHING, limit: 1, id: text })
  if (row === undefined) throw notFound(name, text)
  const [seen] = await selectObjects(database.kysely, name, { within, limit: 1, id: text })
  if (seen === undefined) throw new ObjectError('PERMISSION_DENIED', `This token cannot use the ${name} ${text}.`)
  return { id, object: withoutKeys(row) }
}

const notFound = (name: ObjectName, text: string) => new ObjectError('NOT_FOUND', `The ${name} ${text} does not exist.`)

function withoutKeys(row: ListedObject & { key: string; scope: string }): ListedObject {
  const { id, name, ...fields } = row
  const shown = Object.entries(fields).filter(([field]) => field !== 'key' && field !== 'scope')
  return { id, name, ...Object.fromEntries(shown) }
}

async function hide(trx: Transaction<DB>, questIds: readonly string[], clock: Clock): Promise<void> {
  await hideQuests(trx, questIds)
  await relistQuests(trx, questIds, clock.now())
}

async function refuseWhenAskedFor(trx: Transaction<DB>, credentialId: string): Promise<void> {
  const quests = await questsRequiring(trx, credentialId)
  if (quests.length > 0)
    throw new ObjectError(
      'CONFLICT',
      `Quests require the credential ${credentialId}: ${quests.join(', ')}. Change or delete them first.`,
      fault('required_by_quests', { quests: quests.join(', ') }),
    )
}
