import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { lockSpaces } from '../ranking/boards.queries.ts'
import { enterOpenings, nextOpening, noteOpening } from './openings.queries.ts'
import { openMonth } from '../ranking/ledger.queries.ts'

/** Small, because awards of the space wait during a step. */
const BATCH = 2_000

/**
 * Enters some of the balances that members had before the ledger began.
 * @returns the number of boards that may have more: 0 or 1
 */
export async function enterSomeOpenings(kysely: Kysely<DB>, clock: Clock): Promise<number> {
  const first = await nextOpening(kysely)
  if (!first) return 0
  return kysely.transaction().execute(async (trx) => {
    await lockSpaces(trx, [first.spaceId])
    // Read again under the lock, because another instance may have continued.
    const opening = await nextOpening(trx, first.spaceId)
    if (!opening) return 1
    // The time after the lock, because the month of an earlier time can be sealed.
    const time = new Date(clock.now())
    await openMonth(trx, time)
    await noteOpening(trx, opening, await enterOpenings(trx, opening, BATCH, time))
    return 1
  })
}
