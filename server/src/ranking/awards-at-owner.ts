import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import { CoordinatorNeeded } from '../distribution/coordinator-needed.ts'
import { isRefusal } from '../distribution/failed-read.ts'
import { type Applied, applyEvents } from './awards.ts'
import { type AwardEvent, beginAwards } from './awards.queries.ts'
import { hasListeners } from './board-events.ts'
import { reachSpace, spaceResponds } from './boards.queries.ts'

/** Stores awards in one transaction. `lockWait` is its lock timeout in milliseconds. */
export type AwardTransaction = (spaceId: number, events: readonly AwardEvent[], lockWait: number) => Promise<Applied>

/**
 * On a cluster, the node that owns a space coordinates the transactions of its awards, so that their number grows with the
 * nodes. The coordinator executes what the owner cannot (applyEvents), and everything without a cluster.
 */
export function createAwardTransaction({ database, clock }: { database: Database; clock: Clock }): AwardTransaction {
  /** Spaces whose last transaction needed the coordinator: it executes the next one, too, because more members may join. */
  const coordinated = new Set<number>()

  return async (spaceId, events, lockWait) => {
    await reachSpace(database, spaceId)
    const storeAt = (kysely: Kysely<DB>, atOwner: boolean) =>
      kysely.transaction().execute(async (trx) => {
        await beginAwards(trx, lockWait)
        const stored = await applyEvents(trx, spaceId, events, clock, { atOwner })
        // A webhook may have been created while the transaction waited for the lock of the space.
        if (atOwner && (await hasListeners(database, spaceId))) throw new CoordinatorNeeded('a webhook listens')
        return stored
      })
    let refusal: unknown
    const owner = coordinated.has(spaceId) ? undefined : database.owner(spaceResponds, [spaceId])
    if (owner && !(await hasListeners(database, spaceId)))
      try {
        const stored = await storeAt(owner.kysely, true)
        owner.committed()
        return stored
      } catch (error) {
        if (error instanceof CoordinatorNeeded) coordinated.add(spaceId)
        else if (isRefusal(error)) refusal = error
        else throw error
      }
    const stored = await storeAt(database.kysely, false)
    // If the coordinator fails, too, the awards can be the cause.
    if (refusal !== undefined) owner?.exclude(refusal)
    if (stored.joined.length === 0) coordinated.delete(spaceId)
    return stored
  }
}
