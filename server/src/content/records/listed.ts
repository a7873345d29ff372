import type { Kysely } from 'kysely'
import { isOperator } from '../../accounts/account.queries.ts'
import type { DB } from '../../database/tables.ts'
import { invalidField } from '../../errors.ts'
import { requireRight } from '../../teams/permissions.ts'

/** Operators list all objects, teams those of a space. @throws ApiError */
export async function requireListed(kysely: Kysely<DB>, accountId: string, spaceId: number | undefined): Promise<void> {
  if (spaceId !== undefined) return void (await requireRight(kysely, accountId, spaceId, 'view'))
  if (!(await isOperator(kysely, accountId))) throw invalidField('spaceId', 'is missing: name a space of your teams')
}
