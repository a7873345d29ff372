import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import {
  countMoved,
  createVersion,
  misplacedMembers,
  noteMoved,
  returnToBoards,
  takeFromBoards,
} from './banned-members.queries.ts'
import { emitMoves } from './board-events.ts'
import { namesOf } from './boards.queries.ts'

/**
 * Removes the banned members among these addresses from the boards of the spaces, and adds those whose ban has ended. Each
 * changed space gets one version, whose time the caller records. Points do not change, so the ledger gets no entry. The
 * caller has locked the spaces.
 * @returns the number of moved members
 */
export async function moveBannedMembers(
  trx: Kysely<DB>,
  clock: Clock,
  addresses: readonly string[],
  spaceIds: readonly number[],
): Promise<number> {
  const misplaced = await misplacedMembers(trx, addresses, spaceIds)
  const returning = misplaced.filter(({ banned }) => !banned)
  const names = await namesOf(trx, [...new Set(returning.map(({ address }) => address))])
  for (const [spaceId, moved] of Map.groupBy(misplaced, (member) => member.spaceId)) {
    const version = await createVersion(trx, spaceId)
    const [taken, returned] = [moved.filter(({ banned }) => banned), moved.filter(({ banned }) => !banned)]
    if (taken.length > 0) await takeFromBoards(trx, spaceId, version, taken)
    if (returned.length > 0) await returnToBoards(trx, spaceId, version, returned, names)
    await noteMoved(trx, spaceId, version, moved)
    await countMoved(trx, spaceId, moved)
    await emitMoves(trx, spaceId, moved, new Date(clock.now()))
  }
  return misplaced.length
}
