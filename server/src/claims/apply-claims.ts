import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Random } from '../random.ts'
import type { DB } from '../database/tables.ts'
import { nextStatus, stateOfQuest } from '../resolvers/quest/quest-status.ts'
import { emitCompletions } from '../ranking/quests/events.ts'
import { noteClaims } from '../ranking/rule-events.queries.ts'
import { settleQuests } from '../ranking/quests/transitions.ts'
import { type Awarded, awardPoints } from './award-claims.ts'
import { readClaimants } from './claimants.ts'
import { type LockedQuest, lockQuest, type StoredClaim, storeClaims } from './claims.queries.ts'
import { type AcceptedClaim, type Claim, type Decided, decideClaims, type Decisions } from './decide-claims.ts'
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
  | { status: 'not-queried' }

export interface QuestClaim extends Claim {
  questId: string
}

export interface AppliedClaims {
  /** One outcome per claim, in the order of the claims. */
  outcomes: ClaimOutcome[]
  /** Members that are new on a board. The caller passes them to updateJoinedProfiles. */
  joined: string[]
}

/** The claims of one quest among those of a transaction. */
interface Part {
  quest: LockedQuest
  claims: QuestClaim[]
}

interface DecidedPart extends Part {
  decided: Decided[]
  accepted: IdentifiedClaim[]
}

type IdentifiedClaim = AcceptedClaim & { claim_id: string }

/**
 * Checks claims in order. For each accepted claim, stores the participant, the count, the points and the events. Locks
 * quests in the order of their ids, and then their spaces. All transactions that lock both use this order, so they do not
 * deadlock.
 */
export async function applyClaims(
  trx: Kysely<DB>,
  claims: readonly QuestClaim[],
  deps: { clock: Clock; random: Random },
): Promise<AppliedClaims> {
  const byQuest = Map.groupBy(claims, ({ questId }) => questId)
  const parts: Part[] = []
  for (const questId of [...byQuest.keys()].toSorted()) {
    const quest = await lockQuest(trx, questId)
    if (quest) parts.push({ quest, claims: byQuest.get(questId) ?? [] })
  }
  const now = new Date(deps.clock.now())
  const outcomes = new Map<QuestClaim, ClaimOutcome>()
  const joined: string[] = []
  const due: string[] = []
  const bySpace = Map.groupBy(parts, ({ quest }) => quest.space_id)
  for (const spaceId of [...bySpace.keys()].toSorted((a, b) => a - b)) {
    const decided = await decideParts(trx, spaceId, bySpace.get(spaceId) ?? [], { now, random: deps.random })
    const awarded = await awardPoints(trx, spaceId, decided, deps.clock)
    joined.push(...awarded.joined)
    const completed = completionsOf(decided, awarded)
    await storeClaims(trx, completed, now)
    if (awarded.rules) await noteClaims(trx, spaceId, completed, now)
    await emitCompletions(trx, spaceId, completed, now)
    for (const { quest, completions } of completed) if (isDue(quest, completions.length, now)) due.push(quest.quest_id)
    for (const part of decided)
      for (const [i, claim] of part.claims.entries())
        outcomes.set(claim, outcomeOf(part.decided[i] as Decided, awarded.refused))
  }
  await settleQuests(trx, due, now.getTime())
  const unknown = refusal('QUEST_NOT_FOUND', 'The quest does not exist')
  return { outcomes: claims.map((claim) => outcomes.get(claim) ?? { status: 'refused', refusal: unknown }), joined }
}

async function decideParts(
  trx: Kysely<DB>,
  spaceId: number,
  parts: readonly Part[],
  { now, random }: { now: Date; random: Random },
): Promise<DecidedPart[]> {
  const claimants = await readClaimants(
    trx,
    spaceId,
    parts.flatMap(({ claims }) => claims),
  )
  const decisions = await decideClaims(trx, parts, { now, claimants })
  return parts.map((part, i) => {
    const { decided, accepted } = decisions[i] as Decisions
    // Random, because a hash of the address would still identify an erased member in the ledger.
    return { ...part, decided, accepted: accepted.map((claim) => Object.assign(claim, { claim_id: random.uuid() })) }
  })
}

/** The quests with accepted claims whose points the board can hold. Notes the sprint of each of these claims. */
const completionsOf = (parts: readonly DecidedPart[], { sprintId, refused }: Awarded) =>
  parts.flatMap(({ quest, accepted }) => {
    const completions = accepted.filter((claim) => !refused.has(claim))
    for (const claim of completions) claim.sprint_id = quest.loyalty_points > 0 ? sprintId : 0
    return completions.length > 0 ? [{ quest, questId: quest.quest_id, completions }] : []
  })

/** Whether the status of a quest changes with its new claims. */
const isDue = (quest: LockedQuest, added: number, now: Date) =>
  nextStatus({ ...stateOfQuest(quest), participantsCount: quest.participants_count + added }, now.getTime()) !==
  undefined

function outcomeOf(decided: Decided, refused: Awarded['refused']): ClaimOutcome {
  if (decided === 'not-queried') return { status: decided }
  if ('reason' in decided) return { status: 'refused', refusal: decided }
  const problem = refused.get(decided.stored)
  if (problem !== undefined) return { status: 'refused', refusal: refusal('POINTS_OUT_OF_RANGE', problem) }
  return { status: decided.status, completion: completionOf(decided.stored) }
}

const completionOf = ({ address, points, sprint_id, claimed_at }: StoredClaim): Completion => ({
  address,
  points,
  sprintId: sprint_id || null,
  claimedAt: claimed_at,
})
