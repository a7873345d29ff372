import type { Field } from '../../ingest/fields.ts'
import { kinds } from '../../ingest/kinds.ts'
import type { StorableKind } from '../../ingest/store-records.ts'
import type { ObjectName } from '../../objects/object-kinds.ts'

/** A kind of object that people edit. Its fields and rules are those of an import kind. */
export interface ContentKind {
  name: ObjectName
  records: StorableKind
  /** The fields of the key. */
  key: readonly string[]
  /** Fields of the import kind that people cannot edit: the service or a mirror sets them. */
  maintained: readonly string[]
}

export const contentKinds = {
  space: { name: 'space', records: 'spaces', key: ['spaceId'], maintained: [] },
  sprint: { name: 'sprint', records: 'sprints', key: ['spaceId', 'sprintId'], maintained: [] },
  starboard: { name: 'starboard', records: 'starboards', key: ['id'], maintained: [] },
  credential: {
    name: 'credential',
    records: 'credentials',
    key: ['id'],
    maintained: ['syncStatus', 'lastUpdate', 'lastSync'],
  },
  quest: { name: 'quest', records: 'quests', key: ['id'], maintained: ['participantsCount'] },
} as const satisfies Record<ObjectName, ContentKind>

/** The fields that people edit, by name; without the key. */
export function editableFields({ records, key, maintained }: ContentKind): [string, Field][] {
  return Object.entries(kinds[records].fields).filter(([name]) => !key.includes(name) && !maintained.includes(name))
}

export type ContentRecord = Record<string, unknown>

/**
 * The record to store for a change. Fields that the change does not name keep their value. If a change of a quest sets a
 * status without autoStatus, the status is fixed. With autoStatus and without a status, the service sets the status.
 */
export function changedRecord(kind: ContentKind, stored: ContentRecord, changes: ContentRecord): ContentRecord {
  const record = { ...stored, ...changes }
  for (const name of kind.maintained) delete record[name]
  if (kind.name !== 'quest') return record
  if (changes.status !== undefined && changes.autoStatus === undefined) delete record.autoStatus
  else if (changes.status === undefined && record.autoStatus === true) delete record.status
  return record
}
