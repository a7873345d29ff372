import type { Within } from '../../snapshots/snapshots.queries.ts'
import { managedSpace, type SpaceCaller } from '../../teams/permissions.ts'

/** The snapshots of the space in the path, if the account manages the space. @throws ApiError */
export async function snapshotScope(caller: SpaceCaller): Promise<Within> {
  await managedSpace(caller)
  return { spaceIds: [caller.params.id], credentialIds: [] }
}
