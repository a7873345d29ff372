import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { ABANDONED_REPLACEMENT } from '../lifetimes.ts'
import {
  abandonedClaims,
  deadGenerations,
  deleteHolders,
  forgetGeneration,
  giveUpClaims,
} from './replace-holders.queries.ts'

const BATCH = 10_000

/**
 * Deletes dead and abandoned holder lists in small batches. Several processes may run it at once; an interrupted run is
 * completed by the next one.
 * @returns the number of deleted holders
 */
export async function sweepHolderLists(kysely: Kysely<DB>, now: number, signal?: AbortSignal): Promise<number> {
  const abandoned = await abandonedClaims(kysely, new Date(now - ABANDONED_REPLACEMENT))
  for (const claim of abandoned) await kysely.transaction().execute((trx) => giveUpClaims(trx, [claim]))
  let swept = 0
  for (const list of await deadGenerations(kysely)) {
    for (let after: string | null = ''; after !== null && !signal?.aborted;) {
      const { deleted, last } = await deleteHolders(kysely, list, after, BATCH)
      swept += deleted
      after = last
    }
    if (!signal?.aborted) await forgetGeneration(kysely, list)
  }
  return swept
}
