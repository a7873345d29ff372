import type { Kysely } from 'kysely'
import { isOperator } from '../../accounts/account.queries.ts'
import type { DB } from '../../database/tables.ts'
import { invalidField } from '../../errors.ts'
import { requireRight } from '../../teams/permissions.ts'
import { fault } from '../../texts/faults.ts'

/**
 * Operators can list the objects of all spaces; the team of a space can list the objects of this space.
 * @throws ApiError
 */
export async function requireListRight(
  kysely: Kysely<DB>,
  accountId: string,
  spaceId: number | undefined,
): Promise<void> {
  if (spaceId !== undefined) return void (await requireRight(kysely, accountId, spaceId, 'view'))
  if (!(await isOperator(kysely, accountId)))
    throw invalidField('spaceId', 'is missing: name a space of your teams', fault('missing'))
}
