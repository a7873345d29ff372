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
 * Takes an address off every board, with its past ranks and the name that was imported for it. What is awarded to it
 * later puts it there again.
 * @param address in canonical form
 * @returns from how many boards
 */
export async function removeFromBoards(trx: Kysely<DB>, clock: Clock, address: string): Promise<number> {
  // First, as whoever shows a chosen name on boards holds the profile before the spaces.
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
  // With what was written down until the locks were had.
  await forgetRankDays(trx, address)
  return removed
}
