import type { Transaction } from 'kysely'
import { copyTransaction } from '../../database/copy.ts'
import type { DB } from '../../database/tables.ts'
import { notFound } from '../../errors.ts'
import { type ObjectId, readObjectId } from '../../objects/object-kinds.ts'
import { deleteObject } from '../../objects/objects.ts'
import { lockAccountAndSession, type SessionServices } from '../../sessions/with-account.ts'
import type { ContentKind, ContentRecord } from './content-kinds.ts'
import { changeObject, createObject, type EditRules, note, titleOf } from './edit.ts'
import { readRecord } from './records.queries.ts'
import { changedMeanwhile, naming } from './refusals.ts'
import { versionOf } from './version.ts'

export interface Editing {
  services: SessionServices
  kind: ContentKind
}

/** Creates an object. @returns its id @throws ApiError that names the invalid fields; 409 id_taken */
export async function createContent(editing: Editing, wanted: ContentRecord, rules: EditRules): Promise<ObjectId> {
  const { actor, database } = editing.services
  return naming(() =>
    copyTransaction(database, async (copying) => {
      await lockAccountAndSession(copying.kysely, actor.accountId, actor)
      return createObject(copying, editing, wanted, rules)
    }),
  )
}

/**
 * Changes an object, unless another request has changed it since `version`. `versionMore` is data that the version
 * covers in addition to the record.
 * @throws ApiError that names the invalid fields; not_found; 409 changed_meanwhile
 */
export async function changeContent(
  editing: Editing,
  id: ObjectId,
  { version, ...changes }: ContentRecord & { version: string },
  { versionMore, ...rules }: EditRules & { versionMore?: (trx: Transaction<DB>) => Promise<unknown> },
): Promise<void> {
  const { services, kind } = editing
  const { actor, database } = services
  await naming(() =>
    copyTransaction(database, async (copying) => {
      const trx = copying.kysely
      await lockAccountAndSession(trx, actor.accountId, actor)
      await changeObject(copying, editing, id, changes, {
        ...rules,
        async check(stored) {
          if (version !== versionOf(kind, stored, await versionMore?.(trx))) throw changedMeanwhile()
        },
      })
    }),
  )
}

/** Deletes an object with its contents. @throws ApiError not_found; 409 in_use */
export async function deleteContent(
  { services, kind }: Editing,
  id: ObjectId,
  { allow }: Pick<EditRules, 'allow'>,
): Promise<void> {
  const { actor } = services
  await naming(() =>
    deleteObject(services, kind.name, id.text, {
      async begin(trx) {
        await lockAccountAndSession(trx, actor.accountId, actor)
        const stored = await readRecord(trx, kind, id)
        if (!stored) throw notFound(titleOf(kind))
        await allow(trx, stored, stored)
      },
      note: (trx, removed) => {
        const counts = Object.fromEntries(Object.entries(removed).map(([what, count]) => [what, String(count)]))
        return note(services, trx, 'data.deleted', { ...counts, kind: kind.name, id: id.text })
      },
    }),
  )
}

/** The id of a path. @throws ApiError not_found if no such id can exist */
export function requireId(kind: ContentKind, text: string): ObjectId {
  const id = readObjectId(kind.name, text)
  if (!id) throw notFound(titleOf(kind))
  return id
}
