import type { AccountCaller } from '../../api/route.ts'
import { limitByAccount } from '../../rate-limit/limit-by-account.ts'
import { snapshotsByAccount } from '../../rate-limit/rate-limit.ts'
import type { Services } from '../../services.ts'
import type { Within } from '../../snapshots/snapshots.queries.ts'
import { requireRight } from '../../teams/permissions.ts'

type Caller = Pick<AccountCaller, 'accountId'> & { services: Services; params: { id: number } }

/** The space of the path, if the account manages it. @throws ApiError */
export async function managedSpace({ services, accountId, params: { id } }: Caller): Promise<Within> {
  await requireRight(services.database.kysely, accountId, id, 'manage')
  return { spaceIds: [id], credentialIds: [] }
}

/** For previews and new snapshots, which are limited. @throws ApiError */
export async function spaceToSeal(caller: Caller): Promise<Within> {
  const space = await managedSpace(caller)
  await limitByAccount(caller.services, snapshotsByAccount, caller.accountId)
  return space
}
