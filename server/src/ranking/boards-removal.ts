import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import {
  forgetImportedName,
  forgetRankDays,
  lockRankDays,
  removeMember,
  spacesOfMember,
} from './boards-removal.queries.ts'
import { recordVersions } from './boards.ts'
import { lockSpaces } from './boards.queries.ts'

/**
 * Removes an address from all boards with its past ranks and its imported name. A later award adds it again.
 * @param address in canonical form
 * @returns the number of boards
 */
export async function removeFromBoards(trx: Kysely<DB>, clock: Clock, address: string): Promise<number> {
  // First, because updates of profiles lock the profile before the spaces.
  await forgetImportedName(trx, address)
  const standsIn = await spacesOfMember(trx, address)
  let removed = 0
  if (standsIn.length > 0) {
    await lockSpaces(trx, standsIn)
    await lockRankDays(trx, standsIn)
    const { boards, spaceIds } = await removeMember(trx, address, standsIn)
    await recordVersions(trx, spaceIds, clock)
    removed = boards
  }
  // After locking, so that ranks written in the meantime are deleted too.
  await forgetRankDays(trx, address)
  return removed
}
