import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { createGroupCommit, type GroupCommit } from '../database/group-commit.ts'
import type { Logger } from '../logging/log.ts'
import type { EventOutcome } from '../ranking/awards.ts'
import type { AwardEvent } from '../ranking/awards.queries.ts'
import { createAwardTransaction } from '../ranking/awards-at-owner.ts'
import { updateJoinedProfiles } from '../ranking/profile-changes.ts'
import { AWARDS_TOGETHER, MAX_QUEUED_AWARDS, MAX_QUEUED_AWARDS_PER_TOKEN } from './limits.ts'

/** Stores awards by space. */
export type AwardQueue = GroupCommit<number, AwardEvent, EventOutcome>

export function createAwardQueue(
  { database, clock, log }: { database: Database; clock: Clock; log: Logger },
  { together = AWARDS_TOGETHER, maxWaiting = MAX_QUEUED_AWARDS, maxPerSender = MAX_QUEUED_AWARDS_PER_TOKEN } = {},
): AwardQueue {
  const storeAwards = createAwardTransaction({ database, clock })
  return createGroupCommit({
    items: 'awards',
    together,
    maxWaiting,
    maxPerSender,
    async store(spaceId, events, lockWait) {
      const { outcomes, joined } = await storeAwards(spaceId, events, lockWait)
      return { outcomes, afterwards: () => updateJoinedProfiles({ database, clock, log }, joined) }
    },
  })
}
