import type { Kysely } from 'kysely'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import { changeHolder, type CheckedHolder, storeCheck } from '../sync/checks.queries.ts'
import { emitSynced } from '../sync/sync-events.ts'
import { lockResult, type Origin } from './lock-result.ts'

/** The change of the list by a check. */
export type Change = 'added' | 'removed' | null

/**
 * Stores the result of a check, and changes the list with its count and its events, in one transaction. A result that
 * is older than the stored one changes nothing.
 * @param live whether the credential has no list
 * @throws as lockResult
 */
export async function recordCheck(
  { kysely }: Pick<Database, 'kysely'>,
  check: CheckedHolder,
  { live, origin }: { live: boolean; origin: Origin },
): Promise<Change> {
  return kysely.transaction().execute(async (trx) => {
    await lockResult(trx, check.credentialId, origin)
    return recordLocked(trx, check, { live })
  })
}

/** Like recordCheck, in a transaction that has locked the credential. */
export async function recordLocked(
  trx: Kysely<DB>,
  check: CheckedHolder,
  { live }: { live: boolean },
): Promise<Change> {
  const { credentialId, held, at } = check
  if (!(await storeCheck(trx, check)) || live || !(await changeHolder(trx, check))) return null
  await emitSynced(trx, credentialId, { added: held ? 1 : 0, removed: held ? 0 : 1 }, at)
  return held ? 'added' : 'removed'
}
