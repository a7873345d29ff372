import { limitByAccount } from '../../rate-limit/limit-by-account.ts'
import { snapshotsByAccount } from '../../rate-limit/rate-limit.ts'
import type { Within } from '../../snapshots/snapshots.queries.ts'
import { managedSpace, type SpaceCaller } from '../../teams/permissions.ts'

/** The snapshots of the space in the path, if the account manages the space. @throws ApiError */
export async function snapshotScope(caller: SpaceCaller): Promise<Within> {
  await managedSpace(caller)
  return { spaceIds: [caller.params.id], credentialIds: [] }
}

/** For previews and new snapshots, which are limited. @throws ApiError */
export async function limitedSnapshotScope(caller: SpaceCaller): Promise<Within> {
  const scope = await snapshotScope(caller)
  await limitByAccount(caller.services, snapshotsByAccount, caller.accountId)
  return scope
}
