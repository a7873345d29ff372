import type { Transaction } from 'kysely'
import { audit } from '../../audit/audit.ts'
import type { CopyTransaction } from '../../database/copy.ts'
import type { DB } from '../../database/tables.ts'
import { fieldConflict, invalidField, notFound } from '../../errors.ts'
import { storeRecords } from '../../ingest/store-records.ts'
import { type ObjectId, readObjectId } from '../../objects/object-kinds.ts'
import type { Services } from '../../services.ts'
import { changedRecord, type ContentKind, type ContentRecord, editableFields } from './content-kinds.ts'
import { withId } from './new-ids.ts'
import { lockRecord, readRecord } from './records.queries.ts'
import { wrongFormat } from '../../texts/faults.ts'

/** For the log: the account that changes content and the network of its request, or a command. */
export interface Author {
  accountId: string
  network: string
  by?: 'command'
}

export interface AuthoredServices extends Pick<Services, 'clock' | 'database' | 'random' | 'log'> {
  actor: Author
}

export interface Authored {
  services: AuthoredServices
  kind: ContentKind
}

/** Data that is stored with the record, and the permission check. All functions run in the transaction of the change. */
export interface EditRules {
  /** @throws ApiError if the account may not store this; `stored` is undefined for a new object */
  allow: (trx: Transaction<DB>, record: ContentRecord, stored: ContentRecord | undefined) => Promise<unknown>
  /** Stores data that the record does not contain. @returns the names of its fields that changed */
  more?: (trx: Transaction<DB>, id: ObjectId) => Promise<string[]>
}

export interface Change {
  before: ContentRecord
  after: ContentRecord
  fields: string[]
}

/** Creates an object in the transaction of the caller. @returns its id @throws ImportRefusedError; 409 id_taken */
export async function createObject(
  copying: CopyTransaction,
  { services, kind }: Authored,
  wanted: ContentRecord,
  { allow, more }: EditRules,
): Promise<ObjectId> {
  const trx = copying.kysely
  await allow(trx, wanted, undefined)
  const record = await withId(trx, services.random, kind, wanted)
  const { added } = await storeRecords(copying, services, kind.records, [record])
  const id = idOf(kind, record)
  // If the id exists, the import changes that object, and the transaction is rolled back.
  if (added !== 1)
    throw fieldConflict(kind.key.at(-1) ?? 'id', 'id_taken', `The ${kind.name} ${id.text} exists; choose another id`)
  await more?.(trx, id)
  await note(services, trx, 'data.created', { kind: kind.name, id: id.text, ...spaceOf(record) })
  return id
}

/**
 * Changes an object in the transaction of the caller. `check` runs after the permission check.
 * @returns undefined if nothing changed @throws ImportRefusedError; not_found
 */
export async function changeObject(
  copying: CopyTransaction,
  { services, kind }: Authored,
  id: ObjectId,
  changes: ContentRecord,
  { allow, more, check }: EditRules & { check?: (stored: ContentRecord) => Promise<void> },
): Promise<Change | undefined> {
  const trx = copying.kysely
  await lockRecord(trx, kind, id)
  const before = await readRecord(trx, kind, id)
  if (!before) throw notFound(titleOf(kind))
  const record = changedRecord(kind, before, changes)
  await allow(trx, record, before)
  await check?.(before)
  const { changed } = await storeRecords(copying, services, kind.records, [record])
  const others = (await more?.(trx, id)) ?? []
  if (changed === 0 && others.length === 0) return undefined
  const after = (await readRecord(trx, kind, id)) ?? {}
  const fields = [...changedFields(kind, before, after), ...others]
  const details = { kind: kind.name, id: id.text, ...spaceOf(record), fields: fields.join(', ') }
  await note(services, trx, 'data.changed', details)
  return { before, after, fields }
}

function idOf(kind: ContentKind, record: ContentRecord): ObjectId {
  const text = kind.key.map((field) => String(record[field])).join('-')
  const id = readObjectId(kind.name, text)
  if (!id) throw invalidField(kind.key.at(-1) ?? 'id', 'cannot be used', wrongFormat('object_id'))
  return id
}

function changedFields(kind: ContentKind, before: ContentRecord, after: ContentRecord): string[] {
  const text = (record: ContentRecord, name: string) => JSON.stringify(record[name] ?? null)
  return editableFields(kind).flatMap(([name]) => (text(before, name) === text(after, name) ? [] : [name]))
}

export const titleOf = ({ name }: ContentKind) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

function spaceOf(record: ContentRecord): { space?: string } {
  const space = record.spaceId ?? record.curatorSpaceId
  return typeof space === 'number' || typeof space === 'string' ? { space: String(space) } : {}
}

export function note(
  services: AuthoredServices,
  trx: Transaction<DB>,
  event: 'data.created' | 'data.changed' | 'data.deleted',
  details: Record<string, string>,
): Promise<void> {
  const { accountId, network, by } = services.actor
  return audit(services, { accountId, event, network, details: by === undefined ? details : { ...details, by } }, trx)
}
