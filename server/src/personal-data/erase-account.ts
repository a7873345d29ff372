import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { ownsApps } from '../oauth/app.queries.ts'
import { tryToUpdateProfiles } from '../ranking/profile-changes.ts'
import { noteAddressesOf } from '../ranking/profile-changes.queries.ts'
import { lockAccount } from '../accounts/account.queries.ts'
import { deleteAccount } from '../accounts/delete-account.queries.ts'
import { conflict } from '../errors.ts'
import { type RequestServices, requireLiveSession } from '../sessions/with-account.ts'

/**
 * Deletes an account and removes its name from boards.
 * @param note records the deletion in the same transaction
 * @returns whether the account existed
 * @throws ApiError 409 owns_apps, because the apps have other users; 401 sign_in_required if the session was ended
 */
export async function eraseAccount(
  deps: Parameters<typeof tryToUpdateProfiles>[0] & Pick<RequestServices, 'actor'>,
  accountId: string,
  note?: (transaction: Transaction<DB>) => Promise<void>,
): Promise<boolean> {
  const addresses = await deps.database.kysely.transaction().execute(async (transaction) => {
    if (!(await lockAccount(transaction, accountId))) return undefined
    if (deps.actor) await requireLiveSession(transaction, { ...deps.actor, accountId })
    if (await ownsApps(transaction, accountId))
      throw conflict('owns_apps', 'Delete your apps first; their users would lose them without notice')
    const shown = await noteAddressesOf(transaction, accountId)
    await deleteAccount(transaction, accountId)
    await note?.(transaction)
    return shown
  })
  if (addresses === undefined) return false
  await tryToUpdateProfiles(deps, addresses)
  return true
}
