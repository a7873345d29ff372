import type { Kysely } from 'kysely'
import { isOperator } from '../../accounts/account.queries.ts'
import type { DB } from '../../database/tables.ts'
import { ApiError, notFound } from '../../errors.ts'
import { requireRight } from '../../teams/permissions.ts'
import type { Right } from '../../teams/roles.ts'
import { readCredentialFacts } from '../records/records.queries.ts'

/**
 * Requires the right in the space that curates a credential. The account that owns the credential has all rights. For
 * credentials without a curator, operators have them, too. @throws ApiError not_found, permission_denied
 */
export async function requireCredentialRight(
  kysely: Kysely<DB>,
  accountId: string,
  credential: { id?: string; curatorSpaceId: number | undefined },
  right: Right,
): Promise<void> {
  const { id, curatorSpaceId } = credential
  const facts = id === undefined ? undefined : await readCredentialFacts(kysely, id)
  if (id !== undefined && !facts) throw notFound('Credential')
  if (facts?.ownerAccountId === accountId) return
  if (curatorSpaceId !== undefined) return void (await requireRight(kysely, accountId, curatorSpaceId, right))
  if (!(await isOperator(kysely, accountId)))
    throw new ApiError('permission_denied', 'Only operators may do this with a credential that no space curates')
}
