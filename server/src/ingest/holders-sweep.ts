import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { ABANDONED_REPLACEMENT } from '../lifetimes.ts'
import {
  findStalledLists,
  findDeadLists,
  deleteHolders,
  deleteListRecord,
  abandonLists,
} from './replace-holders.queries.ts'

const BATCH = 10_000

/**
 * Deletes dead and abandoned holder lists in small batches. Several processes may run it at once; an interrupted run is
 * completed by the next one.
 * @returns the number of deleted holders
 */
export async function sweepHolderLists(kysely: Kysely<DB>, now: number, signal?: AbortSignal): Promise<number> {
  const stalled = await findStalledLists(kysely, new Date(now - ABANDONED_REPLACEMENT))
  for (const list of stalled) await kysely.transaction().execute((trx) => abandonLists(trx, [list]))
  let swept = 0
  for (const list of await findDeadLists(kysely)) {
    for (let after: string | null = ''; after !== null && !signal?.aborted;) {
      const { deleted, last } = await deleteHolders(kysely, list, after, BATCH)
      swept += deleted
      after = last
    }
    if (!signal?.aborted) await deleteListRecord(kysely, list)
  }
  return swept
}
