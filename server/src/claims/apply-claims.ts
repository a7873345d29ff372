import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Random } from '../random.ts'
import type { DB } from '../database/tables.ts'
import { nextStatus } from '../features/quest/quest.rules.ts'
import { applyEvents } from '../ranking/award-events.ts'
import type { AwardEvent } from '../ranking/award-events.queries.ts'
import { lockSpace } from '../ranking/boards.queries.ts'
import { emitCompletions } from '../ranking/quest-events.ts'
import { noteClaims } from '../ranking/rule-events.queries.ts'
import { settleQuests } from '../ranking/quest-transitions.ts'
import { type LockedQuest, lockQuest, readSpace, type StoredClaim, storeClaims } from './claims.queries.ts'
import { type AcceptedClaim, type Claim, decideClaims, stateOfQuest } from './decide-claims.ts'
import { type Refusal, refusal } from './refusals.ts'

export interface Completion {
  address: string
  points: number
  /** Null if the space had no current sprint. */
  sprintId: number | null
  claimedAt: Date
}

export type ClaimOutcome =
  | { status: 'applied' | 'duplicate'; completion: Completion }
  | { status: 'refused'; refusal: Refusal }
  /** The conditions of the quest have changed, so the API of a new condition was not queried. */
  | { status: 'unasked' }

export interface AppliedClaims {
  /** One outcome per claim, in the order of the claims. */
  outcomes: ClaimOutcome[]
  /** Members that are new on a board. The caller passes them to updateJoinedProfiles. */
  joined: string[]
}

/**
 * Checks claims of one quest in order. For each accepted claim, stores the participant, the count, the points and the
 * events. Locks the quest before its space. All transactions that lock both use this order, so they do not deadlock.
 */
export async function applyClaims(
  trx: Kysely<DB>,
  questId: string,
  claims: readonly Claim[],
  deps: { clock: Clock; random: Random },
): Promise<AppliedClaims> {
  const quest = await lockQuest(trx, questId)
  if (!quest) {
    const unknown = refusal('QUEST_NOT_FOUND', 'The quest does not exist')
    return { outcomes: claims.map(() => ({ status: 'refused', refusal: unknown })), joined: [] }
  }
  const now = new Date(deps.clock.now())
  const { decided, accepted: all } = await decideClaims(trx, quest, claims, now)
  // Random, because a hash of the address would still identify an erased member in the ledger.
  const accepted = all.map((claim) => Object.assign(claim, { claim_id: deps.random.uuid() }))
  const { sprintId, refused, joined, rules } = await awardPoints(trx, quest, accepted, deps.clock)
  const completed = accepted.filter((claim) => !refused.has(claim))
  for (const claim of completed) claim.sprint_id = sprintId
  if (completed.length > 0) {
    await storeClaims(trx, questId, completed, { sprintId, now })
    await emitCompletions(trx, questId, completed, now)
    const events = completed.map(({ claim_id: claimId, address, points }) => ({ claimId, address, points }))
    if (rules) await noteClaims(trx, quest.space_id, questId, events, now)
    const after = { ...stateOfQuest(quest), participantsCount: quest.participants_count + completed.length }
    if (nextStatus(after, now.getTime())) await settleQuests(trx, [questId], now.getTime())
  }
  const outcomes = decided.map((one): ClaimOutcome => {
    if (one === 'unasked') return { status: one }
    if ('reason' in one) return { status: 'refused', refusal: one }
    const problem = refused.get(one.stored)
    if (problem !== undefined) return { status: 'refused', refusal: refusal('POINTS_OUT_OF_RANGE', problem) }
    return { status: one.status, completion: completionOf(one.stored) }
  })
  return { outcomes, joined }
}

interface Awarded {
  sprintId: number
  refused: ReadonlyMap<StoredClaim, string>
  joined: string[]
  /** Whether rules of the space need its claims. The space is locked then. */
  rules: boolean
}

/** Awards the points of a quest. No other function does this. */
async function awardPoints(
  trx: Kysely<DB>,
  quest: LockedQuest,
  claims: readonly (AcceptedClaim & { claim_id: string })[],
  clock: Clock,
): Promise<Awarded> {
  const nothing = { sprintId: 0, refused: new Map<StoredClaim, string>(), joined: [], rules: false }
  if (claims.length === 0) return nothing
  const now = new Date(clock.now())
  // Locks the space before the current sprint is read, so that the sprint cannot be deleted before the commit.
  if (quest.loyalty_points > 0) await lockSpace(trx, quest.space_id, clock)
  const { sprintId, rules } = await readSpace(trx, quest.space_id, now)
  if (quest.loyalty_points === 0) {
    if (rules) await lockSpace(trx, quest.space_id, clock)
    return { ...nothing, rules }
  }
  const events = claims.map(({ address, points, actor, claim_id }): AwardEvent => ({
    // The tab keeps it apart from the keys of operators.
    key: `claim\t${quest.quest_id}\t${claim_id}`,
    sprintId,
    address,
    points,
    source: 'quest',
    actor,
    reason: quest.name,
  }))
  const { outcomes, joined } = await applyEvents(trx, quest.space_id, events, clock)
  const refused = claims.flatMap((claim, i) => {
    const outcome = outcomes[i]
    return outcome?.status === 'refused' ? [[claim, `The quest ${outcome.reason}`] as const] : []
  })
  return { sprintId, refused: new Map(refused), joined, rules }
}

const completionOf = ({ address, points, sprint_id, claimed_at }: StoredClaim): Completion => ({
  address,
  points,
  sprintId: sprint_id || null,
  claimedAt: claimed_at,
})
