import type { Kysely } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import { holdAccount } from '../accounts/account.queries.ts'
import type { DB } from '../database/tables.ts'
import { type ApiError, conflict, signInRequired } from '../errors.ts'
import { lockSource } from '../sync/sources.queries.ts'

/** The account that requested a result, and the stored source of the result. */
export interface Origin {
  accountId: string
  source: unknown
}

const sourceChanged = () =>
  conflict('source_changed', 'The source of this credential has just changed; nothing was recorded. Try again')

/**
 * Locks the account and the credential of a result, so that neither ends before the result is stored. A result of a
 * source that was replaced or removed in the meantime must not count.
 * @throws ApiError 401 sign_in_required if the account has ended; 409 if the source has changed
 */
export async function lockResult(
  trx: Kysely<DB>,
  credentialId: string,
  { accountId, source }: Origin,
  changed: () => ApiError = sourceChanged,
): Promise<void> {
  if (!(await holdAccount(trx, accountId))) throw signInRequired()
  const now = await lockSource(trx, credentialId)
  if (!now || !isDeepStrictEqual(now.source, source)) throw changed()
}
