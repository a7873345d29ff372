import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { applyEvents } from '../ranking/awards.ts'
import type { AwardEvent } from '../ranking/awards.queries.ts'
import { lockSpace } from '../ranking/boards.queries.ts'
import { type LockedQuest, readSpace, type StoredClaim } from './claims.queries.ts'
import { awardKey } from '../ranking/quest-award-keys.ts'
import type { AcceptedClaim } from './decide-claims.ts'

export interface Awarded {
  /** The running sprint of the space; 0 if none is running. */
  sprintId: number
  refused: ReadonlyMap<StoredClaim, string>
  joined: string[]
  /** Whether rules of the space need its claims. The space is locked then. */
  rules: boolean
}

interface QuestAwards {
  quest: LockedQuest
  accepted: readonly (AcceptedClaim & { claim_id: string })[]
}

/** Awards the points of quests of one space. No other function does this. */
export async function awardPoints(
  trx: Kysely<DB>,
  spaceId: number,
  quests: readonly QuestAwards[],
  clock: Clock,
): Promise<Awarded> {
  const nothing = { sprintId: 0, refused: new Map<StoredClaim, string>(), joined: [], rules: false }
  if (quests.every(({ accepted }) => accepted.length === 0)) return nothing
  const now = new Date(clock.now())
  const awards = quests.flatMap(({ quest, accepted }) =>
    quest.loyalty_points > 0 ? accepted.map((claim) => ({ claim, event: eventOf(quest, claim) })) : [],
  )
  // Locks the space before the current sprint is read, so that the sprint cannot be deleted before the commit.
  if (awards.length > 0) await lockSpace(trx, spaceId, clock)
  const { sprintId, rules } = await readSpace(trx, spaceId, now)
  if (awards.length === 0) {
    if (rules) await lockSpace(trx, spaceId, clock)
    return { ...nothing, rules }
  }
  const events = awards.map(({ event }) => ({ ...event, sprintId }))
  const { outcomes, joined } = await applyEvents(trx, spaceId, events, clock)
  const refused = awards.flatMap(({ claim }, i) => {
    const outcome = outcomes[i]
    return outcome?.status === 'refused' ? [[claim, `The quest ${outcome.reason}`] as const] : []
  })
  return { sprintId, refused: new Map(refused), joined, rules }
}

const eventOf = (
  quest: LockedQuest,
  { address, points, actor, claim_id }: QuestAwards['accepted'][number],
): Omit<AwardEvent, 'sprintId'> => ({
  key: awardKey(quest.quest_id, claim_id),
  address,
  points,
  source: 'quest',
  actor,
  reason: quest.name,
})
