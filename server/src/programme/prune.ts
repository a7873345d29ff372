import type { Transaction } from 'kysely'
import { type ContentKind, contentKinds } from '../content/records/content-kinds.ts'
import { note } from '../content/records/edit.ts'
import { readRecordsOf } from '../content/records/records.queries.ts'
import type { DB } from '../database/tables.ts'
import { deleteIn } from '../objects/objects.ts'
import type { ObjectId } from '../objects/object-kinds.ts'
import type { AppliedObject } from './applied.ts'
import { type DescribedObject, idOf } from './objects.ts'
import type { SourceServices } from './source-of-credential.ts'

/** Quests name credentials, so they are removed first. */
const REMOVED = [
  { list: 'quests', kind: contentKinds.quest },
  { list: 'credentials', kind: contentKinds.credential },
  { list: 'sprints', kind: contentKinds.sprint },
] as const

export interface Undescribed {
  kind: ContentKind
  id: ObjectId
  name: string
  /** The object of the file with the list, for errors. */
  space: DescribedObject
}

/**
 * The objects of described spaces that no file describes. A list that the file of a space does not contain is not
 * compared, and spaces and starboards are never removed.
 */
export async function findUndescribed(
  trx: Transaction<DB>,
  objects: readonly DescribedObject[],
): Promise<Undescribed[]> {
  const described = new Set(objects.map(({ kind, id }) => nameOf(kind, id)))
  const found: Undescribed[] = []
  for (const { list, kind } of REMOVED)
    for (const space of objects.filter(({ lists }) => lists?.includes(list)))
      for (const record of await readRecordsOf(trx, kind.name, space.id.spaceId ?? 0)) {
        const id = idOf(kind, record)
        if (id && !described.has(nameOf(kind, id))) found.push({ kind, id, name: String(record.name), space })
      }
  return found
}

/** Removes an object like the commands `delete`, with an entry in the log. */
export async function removeUndescribed(
  trx: Transaction<DB>,
  services: SourceServices,
  { kind, id, name }: Undescribed,
): Promise<AppliedObject> {
  const contents = await deleteIn(trx, services.clock, kind.name, id, (trx, removed) => {
    const counts = Object.fromEntries(Object.entries(removed).map(([what, count]) => [what, String(count)]))
    return note(services, trx, 'data.deleted', { ...counts, kind: kind.name, id: id.text })
  })
  return { kind: kind.name, id: id.text, name, action: 'removed', fields: [], contents }
}

export const nameOf = (kind: Pick<ContentKind, 'name'>, id: Pick<ObjectId, 'text'>): string => `${kind.name} ${id.text}`
