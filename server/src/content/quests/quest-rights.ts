import type { Kysely } from 'kysely'
import type { AccountCaller } from '../../api/route.ts'
import type { DB } from '../../database/tables.ts'
import { notFound } from '../../errors.ts'
import type { ObjectId } from '../../objects/object-kinds.ts'
import type { Services } from '../../services.ts'
import { findEffectiveRole, mayDo, requireRight } from '../../teams/permissions.ts'
import { contentKinds, type ContentRecord } from '../records/content-kinds.ts'
import { readRecord } from '../records/records.queries.ts'

/** Drafts and private quests are hidden from other accounts. @throws ApiError not_found */
export async function requireVisible(kysely: Kysely<DB>, accountId: string, spaceId: number): Promise<void> {
  const standing = await findEffectiveRole(kysely, accountId, spaceId)
  if (standing === null || !mayDo(standing, 'view')) throw notFound('Quest')
}

/** The caller of a route whose path names a quest. */
type QuestCaller = Pick<AccountCaller, 'accountId'> & { services: Services; params: { id: ObjectId } }

/** The quest of the path, for the team of its space. @throws ApiError not_found */
export async function questOfTeam({ services, accountId, params: { id } }: QuestCaller): Promise<ContentRecord> {
  const { kysely } = services.database
  const quest = await readRecord(kysely, contentKinds.quest, id)
  if (!quest) throw notFound('Quest')
  await requireVisible(kysely, accountId, Number(quest.spaceId))
  return quest
}

/**
 * The quest of the path, for the editors of its space. A change checks the right again in its transaction.
 * @throws ApiError not_found, permission_denied
 */
export async function editableQuest(caller: QuestCaller): Promise<ContentRecord> {
  const quest = await questOfTeam(caller)
  await requireRight(caller.services.database.kysely, caller.accountId, Number(quest.spaceId), 'edit')
  return quest
}
