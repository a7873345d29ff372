import type { Reader } from '@questboard/pg-read-pipeline'
import { type Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { createGroupCommit } from '../database/group-commit.ts'
import { ServiceError, unavailable } from '../errors.ts'
import { holdsLive, isDecidedLive } from '../resolvers/holders.ts'
import type { Context } from '../graphql/context.ts'
import type { Logger } from '../logging/log.ts'
import type { Random } from '../random.ts'
import { beginAwards } from '../ranking/awards.queries.ts'
import { reachSpace } from '../ranking/boards.queries.ts'
import { updateJoinedProfiles } from '../ranking/profile-changes.ts'
import { applyClaims, type ClaimOutcome, type QuestClaim } from './apply-claims.ts'
import { type Claim, groupsOf } from './decide-claims.ts'
import { findQuestSpace, reachClaimant, readConditions } from './claims.queries.ts'
import type { QuestCondition } from './conditions.ts'
import { type ConditionState, refusal } from './refusals.ts'

/** A claim before the APIs of its conditions were asked. */
export type NewClaim = Omit<Claim, 'answers'>

export type DecidedClaim = Exclude<ClaimOutcome, { status: 'not-queried' }>

/** Completes quests (docs/quests.md). Claims that wait for quests of the same space are stored in one transaction. */
export interface Claims {
  /**
   * Resolves when all claims are committed or refused, with the outcomes in their order.
   * @param who the sender; limits how much of the queue one sender can fill
   * @throws UNAVAILABLE if the queue is full or the database is unreachable; QUOTA_EXCEEDED if the sender's part is
   * full
   */
  submit(who: string, questId: string, claims: readonly NewClaim[]): Promise<DecidedClaim[]>
  /** The number of claims that are not stored yet. */
  waiting: () => number
}

export interface ClaimDependencies {
  database: Database
  clock: Clock
  random: Random
  log: Logger
  checkLive: Context['checkLive']
}

const CLAIMS_TOGETHER = 1_000
const MAX_WAITING = 20_000
const MAX_WAITING_PER_SENDER = 10_000

/** The conditions of a quest may change while APIs are asked. */
const ATTEMPTS = 3

/** Claims of one request whose APIs are asked at the same time. */
const ASKED_TOGETHER = 16

export function createClaims(deps: ClaimDependencies): Claims {
  const { database } = deps
  const queue = createGroupCommit<number, QuestClaim, ClaimOutcome>({
    items: 'claims',
    rowOf: ({ questId }) => questId,
    together: CLAIMS_TOGETHER,
    maxWaiting: MAX_WAITING,
    maxPerSender: MAX_WAITING_PER_SENDER,
    async store(spaceId, claims, lockWait) {
      await reachSpace(database, spaceId)
      const { outcomes, joined } = await database.kysely.transaction().execute(async (trx) => {
        await beginAwards(trx, lockWait)
        return applyClaims(trx, claims, deps)
      })
      return { outcomes, afterwards: () => updateJoinedProfiles(deps, joined) }
    },
  })

  async function submit(
    who: string,
    questId: string,
    claims: readonly NewClaim[],
    attempt = 1,
  ): Promise<DecidedClaim[]> {
    const [asked, spaceId] = await Promise.all([
      checkLiveSources(deps, questId, claims),
      findQuestSpace(database, questId),
      ...claims.map(({ address }) => reachClaimant(database, address)),
    ])
    if (spaceId === undefined) {
      const unknown = refusal('QUEST_NOT_FOUND', 'The quest does not exist')
      return claims.map(() => ({ status: 'refused', refusal: unknown }))
    }
    const ofQuest = asked.map((claim) => ({ ...claim, questId }))
    const outcomes = (await queue.submit(who, new Map([[spaceId, ofQuest]]))).get(spaceId) ?? []
    const left = outcomes.flatMap(({ status }, i) => (status === 'not-queried' ? i : []))
    if (left.length > 0) {
      if (attempt === ATTEMPTS) throw unavailable(new Error(`the conditions of ${questId} keep changing`))
      const again = await submit(
        who,
        questId,
        left.map((i) => claims[i] as NewClaim),
        attempt + 1,
      )
      for (const [place, i] of left.entries()) outcomes[i] = again[place] as DecidedClaim
    }
    return outcomes as DecidedClaim[]
  }
  return { submit: (who, questId, claims) => submit(who, questId, claims), waiting: queue.waiting }
}

/** Queries the APIs of the conditions of the quest for each claim. */
async function checkLiveSources(
  deps: ClaimDependencies,
  questId: string,
  claims: readonly NewClaim[],
): Promise<Claim[]> {
  const conditions = groupsOf(await readConditions(deps.database, questId))
    .flatMap((group) => group.conditions)
    .filter(({ credSource }) => isDecidedLive(credSource))
  const none = new Map<string, never>()
  if (conditions.length === 0) return claims.map((claim) => ({ ...claim, answers: none }))
  const asked: Claim[] = []
  for (let i = 0; i < claims.length; i += ASKED_TOGETHER)
    asked.push(
      ...(await Promise.all(
        claims.slice(i, i + ASKED_TOGETHER).map(async (claim) => ({
          ...claim,
          answers: await answersFor({ ...deps, reader: deps.database }, conditions, claim.address),
        })),
      )),
    )
  return asked
}

/** The results of the live APIs of the given conditions for an address, by credential. */
export async function answersFor(
  deps: { reader: Reader; checkLive: Context['checkLive'] },
  conditions: readonly QuestCondition[],
  address: string,
): Promise<Map<string, ConditionState | 'list'>> {
  const answers = new Map<string, ConditionState | 'list'>()
  for (const { credentialId, credSource, credType } of conditions) {
    if (!isDecidedLive(credSource) || answers.has(credentialId)) continue
    answers.set(credentialId, await answerOf(deps, { id: credentialId, credSource, credType }, address))
  }
  return answers
}

async function answerOf(
  deps: Parameters<typeof holdsLive>[0],
  credential: Parameters<typeof holdsLive>[1],
  address: string,
): Promise<ConditionState | 'list'> {
  try {
    const held = await holdsLive(deps, credential, address)
    return held === undefined ? 'list' : held ? 'met' : 'not-met'
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'UPSTREAM_UNAVAILABLE') return 'unavailable'
    throw error
  }
}
