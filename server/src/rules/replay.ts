import { fault } from '../texts/faults.ts'
import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { conflict, invalidField, notFound } from '../errors.ts'
import { applyEvents } from '../ranking/awards.ts'
import { type AwardEvent, beginAwards } from '../ranking/awards.queries.ts'
import { recordVersions } from '../ranking/boards.ts'
import { lockSpace } from '../ranking/boards.queries.ts'
import { nowOf } from '../services.ts'
import { countPending, sprintAt } from './apply-rules.ts'
import { deleteStates, type SprintTimes, sprintsOf, storeStates } from './apply-rules.queries.ts'
import type { Gift } from './evaluate.ts'
import { giftKey, REPLAY_REVERSAL } from './gift-keys.ts'
import { countPendingLogs } from './logs.ts'
import { identifyClaims, knownSprintIds, type PastGift, questIdsOf } from './history.queries.ts'
import { type Change, isRecounted, recount, type Recount, type RecountedMember } from './recount.ts'
import type { Rule } from './rule-kinds.ts'
import {
  LOCK_WAIT,
  noteRules,
  requireRuleSet,
  requireSubjects,
  type RuleAuthor,
  type RuleDependencies,
} from './rule-sets.ts'
import { incrementReplays, findSpaceRules, type RulesOfSpace, spaceExists } from './rule-sets.queries.ts'

/** The differences between the points of members. */
export interface Differences {
  since: string
  events: number
  /** By rule, including earlier rules that gave points. Rules of the kinds `daily` and `holder` are not counted again. */
  rules: ({ id: string } & Change)[]
  /** The number of members whose points differ. */
  members: number
  /** The 100 members with the largest differences, largest first. */
  differences: ({ address: string; difference: number } & Change)[]
}

export interface ReplayRequest {
  /** Default: the time of the first version of the rules. It must not be later. Without rules, the default is 1970. */
  since?: Date | undefined
  maxEvents: number
}

/**
 * Compares the points that rules would have given with those that the current rules gave. Changes nothing.
 * @throws ApiError invalid_argument, not_found, too_many_events
 */
export async function dryRun(
  { database }: Pick<RuleDependencies, 'database'>,
  spaceId: number,
  rules: readonly Rule[],
  { since, maxEvents }: ReplayRequest,
): Promise<Differences> {
  return database.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      await requireSpace(trx, spaceId)
      await requireSubjects(trx, spaceId, rules)
      const start = startOf(await findSpaceRules(trx, spaceId), since) ?? new Date(0)
      return differencesOf(await recount(trx, { spaceId, rules, since: start, maxEvents }), start)
    })
}

/**
 * Counts past events again with the current rules of a space: reverses points that they would not have given, and
 * adds missing points. Awards and claims of the space wait until the transaction ends.
 * @throws ApiError invalid_argument, not_found, too_many_events, logs_pending, out_of_range
 */
export async function replayRules(
  deps: RuleDependencies,
  trx: Transaction<DB>,
  spaceId: number,
  { since, maxEvents, author }: ReplayRequest & { author: RuleAuthor },
): Promise<{ differences: Differences; joined: string[] }> {
  await beginAwards(trx, LOCK_WAIT)
  if (!(await lockSpace(trx, spaceId, deps.clock))) throw notFound('Space')
  const set = await requireRuleSet(trx, spaceId)
  const { rules, version } = set
  const start = startOf(await findSpaceRules(trx, spaceId), since) ?? nowOf(deps)
  await countPending(deps, trx, spaceId)
  await countPendingLogs(deps, trx, set)
  await identifyClaims(trx, await questIdsOf(trx, spaceId), deps.random.uuid())
  const space = { spaceId, version, replay: await incrementReplays(trx, spaceId) }
  const sprints = { times: await sprintsOf(trx, spaceId), known: await knownSprintIds(trx, spaceId) }
  const recountedIds = rules.filter(isRecounted).map(({ id }) => id)
  await deleteStates(trx, spaceId, recountedIds)
  const joined: string[] = []
  const counted = await recount(trx, { spaceId, rules, since: start, maxEvents }, async (members) => {
    joined.push(...(await store(deps, trx, space, sprints, members)))
  })
  const differences = differencesOf(counted, start)
  await recordVersions(trx, [spaceId], deps.clock)
  await noteRules(deps, trx, 'rules.replayed', author, {
    space: String(spaceId),
    version: String(version),
    since: differences.since,
    members: String(differences.members),
  })
  return { differences, joined }
}

/** @throws ApiError invalid_argument */
function startOf(stored: RulesOfSpace | undefined, since: Date | undefined): Date | undefined {
  if (since && stored && since > stored.firstAt)
    throw invalidField(
      'since',
      `must not be after the first version of the rules, ${stored.firstAt.toISOString()}`,
      fault('too_late', { latest: stored.firstAt.toISOString() }),
    )
  return since ?? stored?.firstAt
}

async function requireSpace(trx: Transaction<DB>, spaceId: number): Promise<void> {
  if (!(await spaceExists(trx, spaceId))) throw notFound('Space')
}

const differencesOf = ({ events, rules, members, largest }: Recount, since: Date): Differences => ({
  since: since.toISOString(),
  events,
  rules: [...rules].map(([id, change]) => ({ id, ...change })),
  members,
  differences: largest,
})

const EVENTS_PER_STATEMENT = 2_000

interface Sprints {
  times: readonly SprintTimes[]
  known: ReadonlySet<number>
}

/** Stores a batch of members. @returns the members that are new on a board */
async function store(
  deps: RuleDependencies,
  trx: Transaction<DB>,
  space: { spaceId: number; version: number; replay: number },
  sprints: Sprints,
  members: readonly RecountedMember[],
): Promise<string[]> {
  const events = members.flatMap(({ reversed, given }) => [
    ...reversed.map((entry) => reversalOf(entry, sprints.known)),
    ...given.map((gift) => awardOf(gift, space, gift.rule.sprint ? sprintAt(sprints.times, gift.at) : 0)),
  ])
  const joined: string[] = []
  for (let i = 0; i < events.length; i += EVENTS_PER_STATEMENT) {
    const applied = await applyEvents(trx, space.spaceId, events.slice(i, i + EVENTS_PER_STATEMENT), deps.clock, {
      moreVersions: true,
    })
    for (const outcome of applied.outcomes)
      if (outcome.status === 'refused')
        throw conflict('out_of_range', `A replay ${outcome.reason}. Nothing was stored`, outcome.fault)
    joined.push(...applied.joined)
  }
  const states = members.flatMap(({ address, states }) =>
    [...states].map(([ruleId, state]) => ({ ruleId, address, ...state })),
  )
  await storeStates(trx, space.spaceId, states)
  return joined
}

const reversalOf = (entry: PastGift, sprints: ReadonlySet<number>): AwardEvent => ({
  key: `${REPLAY_REVERSAL}${entry.id}`,
  sprintId: sprints.has(entry.sprintId) ? entry.sprintId : 0,
  address: entry.address,
  points: -entry.points,
  source: 'reversal',
  reverses: entry.id,
  reason: 'The rules of the space were replayed',
})

const awardOf = (
  { rule, ref, address, points }: Gift,
  { version, replay }: { version: number; replay: number },
  sprintId: number,
): AwardEvent => ({
  key: giftKey({ ruleId: rule.id, version, ref, replay }),
  sprintId,
  address,
  points,
  source: 'rule',
  reason: rule.description,
})
