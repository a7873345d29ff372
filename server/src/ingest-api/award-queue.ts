import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { createGroupCommit, type GroupCommit } from '../database/group-commit.ts'
import type { Logger } from '../logging/log.ts'
import { applyEvents, type EventOutcome } from '../ranking/awards.ts'
import type { AwardEvent } from '../ranking/awards.queries.ts'
import { updateJoinedProfiles } from '../ranking/profile-changes.ts'
import { beginAwards } from '../ranking/awards.queries.ts'
import { reachSpace } from '../ranking/boards.queries.ts'
import { AWARDS_TOGETHER, MAX_QUEUED_AWARDS, MAX_QUEUED_AWARDS_PER_TOKEN } from './limits.ts'

/** Stores awards by space. */
export type AwardQueue = GroupCommit<number, AwardEvent, EventOutcome>

export function createAwardQueue(
  { database, clock, log }: { database: Database; clock: Clock; log: Logger },
  { together = AWARDS_TOGETHER, maxWaiting = MAX_QUEUED_AWARDS, maxPerSender = MAX_QUEUED_AWARDS_PER_TOKEN } = {},
): AwardQueue {
  return createGroupCommit({
    items: 'awards',
    together,
    maxWaiting,
    maxPerSender,
    async store(spaceId, events, lockWait) {
      await reachSpace(database, spaceId)
      const { outcomes, joined } = await database.kysely.transaction().execute(async (trx) => {
        await beginAwards(trx, lockWait)
        return applyEvents(trx, spaceId, events, clock)
      })
      return { outcomes, afterwards: () => updateJoinedProfiles({ database, clock, log }, joined) }
    },
  })
}
