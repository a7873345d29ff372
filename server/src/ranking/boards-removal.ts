import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import type { Random } from '../random.ts'
import {
  forgetImportedName,
  forgetRankDays,
  lockRankDays,
  removeBannedMember,
  removeMember,
  spacesOfMember,
} from './boards-removal.queries.ts'
import { recordVersions } from './boards.ts'
import { lockSpaces } from './boards.queries.ts'
import { ERASED, saltedName } from './ledger.ts'
import { openMonth, pseudonymize, pseudonymizeKeys, spacesOfEntries, takeSalt } from './ledger.queries.ts'
import { cancelTimedAwards, spacesOfTimedAwards } from './timed-awards.queries.ts'

/**
 * Removes an address from all boards with its past ranks and its imported name, and replaces it in the ledger. A later
 * award adds it again.
 * @param address in canonical form
 * @returns the number of boards
 */
export async function removeFromBoards(
  trx: Kysely<DB>,
  { clock, random }: { clock: Clock; random: Random },
  address: string,
): Promise<number> {
  // Profiles come first, because updates of profiles lock the profile before the spaces.
  await forgetImportedName(trx, address)
  const finders = [spacesOfMember, spacesOfTimedAwards, spacesOfEntries]
  const found = new Set<number>()
  for (const find of finders) for (const spaceId of await find(trx, address)) found.add(spaceId)
  const spaces = [...found].toSorted((a, b) => a - b)
  const changed = new Set<number>()
  let removed = 0
  if (spaces.length > 0) {
    await lockSpaces(trx, spaces)
    await lockRankDays(trx, spaces)
    const now = new Date(clock.now())
    await openMonth(trx, now)
    const { boards, spaceIds } = await removeMember(trx, address, spaces, now)
    const kept = await removeBannedMember(trx, address, spaces, now)
    const timedIn = await spacesOfTimedAwards(trx, address)
    for (const spaceId of timedIn) await cancelTimedAwards(trx, spaceId, address, now)
    for (const spaceId of [...spaceIds, ...kept, ...timedIn]) changed.add(spaceId)
    removed = boards + kept.length
  }
  // Runs after the locks, so that ranks written in the meantime are deleted too.
  await forgetRankDays(trx, address)
  const unsalted = `${ERASED}${random.bytes(16).toString('hex')}`
  for (const spaceId of spaces) {
    const salt = await takeSalt(trx, spaceId, address)
    await pseudonymize(trx, spaceId, address, salt ? saltedName(address, salt) : unsalted)
  }
  await pseudonymizeKeys(trx, address, unsalted)
  await recordVersions(trx, [...changed], clock)
  return removed
}
