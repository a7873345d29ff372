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
import { readCredentialFacts, readRecord } from '../records/records.queries.ts'
import { spaceIn } from '../records/spaces-of-records.ts'

const kind = contentKinds.credential

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

/** Requires a right for a stored credential. @throws ApiError not_found, permission_denied */
export async function requireStoredCredentialRight(
  kysely: Kysely<DB>,
  accountId: string,
  id: string,
  right: Right,
): Promise<void> {
  const record = await readRecord(kysely, kind, { text: id })
  if (!record) throw notFound('Credential')
  const curatorSpaceId = spaceIn(kind, record, 'curatorSpaceId')
  await requireCredentialRight(kysely, accountId, { id, curatorSpaceId }, right)
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
 * The `resource` of routes that need a right for the credential in the path. A change checks the right again in its
 * transaction.
 * @throws ApiError not_found, permission_denied
 */
const credentialWith =
  (right: Right) =>
  ({ services, accountId, params: { id } }: CredentialCaller): Promise<void> =>
    requireStoredCredentialRight(services.database.kysely, accountId, id.text, right)

export const visibleCredential = credentialWith('view')
export const editableCredential = credentialWith('edit')
