import type { Kysely } from 'kysely'
import type { DB } from '../../database/tables.ts'
import {
  beginListings,
  changedListings,
  countListings,
  deleteDeadListings,
  endListings,
  lockQuests,
  takeCatalogueVersion,
} from './listing.queries.ts'
import { DEAD_ROW_LIFETIME } from '../../lifetimes.ts'

const SWEEP_BATCH = 5_000

/**
 * Updates the listings of the given quests. A quest is listed unless it is Draft, Deleted or private. The catalogue gets a
 * new version only if a listed column changes.
 *
 * Call it once and last in a transaction: it locks the quests in the order of their ids, then the catalogue until the
 * commit, so that versions are in commit order.
 * @param trx a transaction that has already written the quests
 * @param now milliseconds since 1970
 * @returns the quests whose listing changed
 */
export async function relistQuests(trx: Kysely<DB>, questIds: readonly string[], now: number): Promise<string[]> {
  if (questIds.length === 0) return []
  await lockQuests(trx, questIds)
  const changed = await changedListings(trx, questIds)
  if (changed.length === 0) return []
  const version = await takeCatalogueVersion(trx)
  await endListings(trx, changed, version, new Date(now))
  await beginListings(trx, changed, version)
  await countListings(trx, changed, version)
  return changed
}

/** Deletes listings that no cursor can reach, in small batches. @returns the number of deleted listings */
export async function sweepQuestListings(kysely: Kysely<DB>, now: number): Promise<number> {
  const before = new Date(now - DEAD_ROW_LIFETIME)
  let deleted = 0
  for (;;) {
    const batch = await deleteDeadListings(kysely, before, SWEEP_BATCH)
    deleted += batch
    if (batch < SWEEP_BATCH) return deleted
  }
}
