import type { Kysely } from 'kysely'
import { isOperator } from '../../accounts/account.queries.ts'
import type { AccountCaller } from '../../api/route.ts'
import type { DB } from '../../database/tables.ts'
import { notFound, operatorRequired } from '../../errors.ts'
import type { ObjectId } from '../../objects/object-kinds.ts'
import type { Services } from '../../services.ts'
import type { ContentRecord } from '../records/content-kinds.ts'
import { findStarboardOwner, readStarboard } from '../records/records.queries.ts'

/** @throws ApiError not_found, permission_denied */
export async function requireOwner(kysely: Kysely<DB>, accountId: string, id: string | undefined): Promise<void> {
  const owner = id === undefined ? null : await findStarboardOwner(kysely, id)
  if (owner === undefined) throw notFound('Starboard')
  await requireOwnerOrOperator(kysely, accountId, owner)
}

/** @throws ApiError permission_denied */
async function requireOwnerOrOperator(kysely: Kysely<DB>, accountId: string, owner: string | null): Promise<void> {
  if (owner !== accountId && !(await isOperator(kysely, accountId))) throw operatorRequired()
}

/** The caller of a route whose path names a starboard. */
type StarboardCaller = Pick<AccountCaller, 'accountId'> & { services: Services; params: { id: ObjectId } }

/**
 * The starboard of the path, for its owner and operators: the `resource` of routes. A change checks the right again in its
 * transaction.
 * @throws ApiError not_found, permission_denied
 */
export async function ownStarboard({ services, accountId, params: { id } }: StarboardCaller): Promise<ContentRecord> {
  const { kysely } = services.database
  const starboard = await readStarboard(kysely, id)
  if (!starboard) throw notFound('Starboard')
  await requireOwnerOrOperator(kysely, accountId, starboard.ownerAccountId)
  return starboard.record
}
