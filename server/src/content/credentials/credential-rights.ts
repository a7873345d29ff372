import type { Kysely } from 'kysely'
import { isOperator } from '../../accounts/account.queries.ts'
import type { AccountCaller } from '../../api/route.ts'
import type { DB } from '../../database/tables.ts'
import { ApiError, notFound } from '../../errors.ts'
import type { ObjectId } from '../../objects/object-kinds.ts'
import type { Services } from '../../services.ts'
import { requireRight } from '../../teams/permissions.ts'
import type { Right } from '../../teams/roles.ts'
import { contentKinds } from '../records/content-kinds.ts'
import { readCredential, type StoredCredential } from '../records/records.queries.ts'
import { spaceIn } from '../records/spaces-of-records.ts'

/**
 * Requires the right in the space that curates a credential. The account that owns the credential has all rights. For
 * credentials without a curator, operators have them, too. @throws ApiError not_found, permission_denied
 */
export async function requireCredentialRight(
  kysely: Kysely<DB>,
  accountId: string,
  credential: { ownerAccountId?: string | null; curatorSpaceId: number | undefined },
  right: Right,
): Promise<void> {
  const { ownerAccountId, curatorSpaceId } = credential
  if (ownerAccountId === accountId) return
  if (curatorSpaceId !== undefined) return void (await requireRight(kysely, accountId, curatorSpaceId, right))
  if (!(await isOperator(kysely, accountId)))
    throw new ApiError('permission_denied', 'Only operators may do this with a credential that no space curates')
}

/** @returns the stored credential for which it checked the right @throws ApiError not_found, permission_denied */
export async function requireStoredCredentialRight(
  kysely: Kysely<DB>,
  accountId: string,
  id: string,
  right: Right,
): Promise<StoredCredential> {
  const credential = await readCredential(kysely, { text: id })
  if (!credential) throw notFound('Credential')
  const { record, ownerAccountId } = credential
  const curatorSpaceId = spaceIn(contentKinds.credential, record, 'curatorSpaceId')
  await requireCredentialRight(kysely, accountId, { ownerAccountId, curatorSpaceId }, right)
  return credential
}

/** Why an account without the right for a credential gets 403: the `missingRight` of route descriptions. */
export const missingCredentialRights = {
  view: 'the account is not in the team of the space that curates the credential',
  edit: 'the account may not edit the credential',
  manage: 'the account does not manage the space that curates the credential',
} as const

/** The caller of a route whose path names a credential. */
type CredentialCaller = Pick<AccountCaller, 'accountId'> & { services: Services; params: { id: ObjectId } }

/**
 * The credential of the path, for accounts with the right: the `resource` of routes. A change checks the right again in its
 * transaction.
 * @throws ApiError not_found, permission_denied
 */
const credentialWith =
  (right: Right) =>
  ({ services, accountId, params: { id } }: CredentialCaller): Promise<StoredCredential> =>
    requireStoredCredentialRight(services.database.kysely, accountId, id.text, right)

export const visibleCredential = credentialWith('view')
export const editableCredential = credentialWith('edit')
