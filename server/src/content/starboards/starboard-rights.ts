import type { Kysely } from 'kysely'
import { isOperator } from '../../accounts/account.queries.ts'
import type { AccountCaller } from '../../api/route.ts'
import type { DB } from '../../database/tables.ts'
import { notFound, operatorRequired } from '../../errors.ts'
import type { ObjectId } from '../../objects/object-kinds.ts'
import type { Services } from '../../services.ts'
import { findStarboardOwner } from '../records/records.queries.ts'

/** @throws ApiError not_found, permission_denied */
export async function requireOwner(kysely: Kysely<DB>, accountId: string, id: string | undefined): Promise<void> {
  const owner = id === undefined ? null : await findStarboardOwner(kysely, id)
  if (owner === undefined) throw notFound('Starboard')
  if (owner !== accountId && !(await isOperator(kysely, accountId))) throw operatorRequired()
}

/** The caller of a route whose path names a starboard. */
type StarboardCaller = Pick<AccountCaller, 'accountId'> & { services: Services; params: { id: ObjectId } }

/**
 * The `resource` of routes for operators and the owner of the starboard in the path. A change checks the right again in its
 * transaction.
 * @throws ApiError not_found, permission_denied
 */
export const ownStarboard = ({ services, accountId, params: { id } }: StarboardCaller): Promise<void> =>
  requireOwner(services.database.kysely, accountId, id.text)
