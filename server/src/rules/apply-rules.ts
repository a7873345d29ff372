import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import type { Logger } from '../logging/log.ts'
import { type AwardEvent, beginAwards } from '../ranking/awards.queries.ts'
import { applyEvents } from '../ranking/awards.ts'
import { recordVersions } from '../ranking/boards.ts'
import { lockSpace } from '../ranking/boards.queries.ts'
import {
  type PendingEvent,
  readStates,
  type SprintTimes,
  sprintsOf,
  storeStates,
  takeEvents,
} from './apply-rules.queries.ts'
import { evaluate, type Gift, type MemberStates, type RuleEvent } from './evaluate.ts'
import { giftKey } from './gift-keys.ts'
import type { Rule } from './rule-kinds.ts'
import { findReferrals, noteFirstClaims, type Referral } from './referrals.queries.ts'
import { findRuleSet } from './rule-sets.queries.ts'

/** Small, because awards of the space wait for a batch. */
const BATCH = 1_000

export interface ApplyDependencies {
  clock: Clock
  log: Logger
}

/** The result of a batch. */
export interface Counted {
  /** The number of events that were removed from the queue. */
  events: number
  /** Members that are new on a board. */
  joined: string[]
}

/**
 * Counts some events of a space. An event leaves the queue in the transaction that stores its gifts, under the lock of the
 * space, so it counts exactly once.
 */
export async function countEvents(
  deps: ApplyDependencies,
  trx: Kysely<DB>,
  spaceId: number,
  lockWait: number,
): Promise<Counted> {
  await beginAwards(trx, lockWait)
  await lockSpace(trx, spaceId, deps.clock)
  const counted = await countBatch(deps, trx, spaceId)
  if (counted.events > 0) await recordVersions(trx, [spaceId], deps.clock)
  return counted
}

/** Counts all events of a space that the caller has locked. The caller records the time of the last version. */
export async function countPending(deps: ApplyDependencies, trx: Kysely<DB>, spaceId: number): Promise<void> {
  while ((await countBatch(deps, trx, spaceId)).events > 0);
}

async function countBatch(deps: ApplyDependencies, trx: Kysely<DB>, spaceId: number): Promise<Counted> {
  const set = await findRuleSet(trx, spaceId)
  const taken = await takeEvents(trx, spaceId, BATCH)
  if (!set || taken.length === 0) return { events: taken.length, joined: [] }
  const referrals = await readReferrals(trx, spaceId, set.rules, taken)
  const firsts: { address: string; claimId: string }[] = []
  const events = taken.flatMap((event) => {
    const own = eventOf(event)
    const referral = event.kind === 'claim' ? referrals.get(event.address) : undefined
    if (!referral) return [own]
    const first = referral.firstClaim === null
    if (first) {
      referral.firstClaim = event.ref
      firsts.push({ address: event.address, claimId: event.ref })
    }
    return [own, { ...own, kind: 'referral' as const, address: referral.referrer, first }]
  })
  await noteFirstClaims(trx, spaceId, firsts)
  const states = await openStates(trx, spaceId, set.rules, events)
  const gifts = events.flatMap((event) => evaluate(set.rules, event, states.of(event.address)))
  await states.store()
  const joined = await storeGifts(deps, trx, { spaceId, version: set.version }, gifts)
  return { events: taken.length, joined }
}

const eventOf = ({ kind, ref, address, points, questId, happenedAt }: PendingEvent): RuleEvent => ({
  kind,
  ref,
  address,
  points,
  at: happenedAt.getTime(),
  questId: questId ?? undefined,
})

async function readReferrals(
  trx: Kysely<DB>,
  spaceId: number,
  rules: readonly Rule[],
  taken: readonly PendingEvent[],
): Promise<Map<string, Referral>> {
  if (!rules.some(({ kind }) => kind === 'referral')) return new Map()
  const claimants = taken.flatMap(({ kind, address }) => (kind === 'claim' ? address : []))
  return findReferrals(trx, spaceId, [...new Set(claimants)])
}

/** The states of members while gifts are added to them, under the lock of the space. */
export interface OpenStates {
  of(address: string): MemberStates
  /** Stores the states that changed. */
  store(): Promise<void>
}

export async function openStates(
  trx: Kysely<DB>,
  spaceId: number,
  rules: readonly Rule[],
  members: readonly { address: string }[],
): Promise<OpenStates> {
  const remembering = rules.filter((rule) => rule.cap !== undefined || rule.kind === 'streak').map(({ id }) => id)
  const addresses = [...new Set(members.map(({ address }) => address))]
  const stored = remembering.length === 0 ? [] : await readStates(trx, spaceId, remembering, addresses)
  const before = new Map<string, MemberStates>()
  const now = new Map<string, MemberStates>()
  for (const { ruleId, address, caps, runs } of stored)
    for (const states of [before, now]) {
      const own = states.get(address) ?? (new Map() as MemberStates)
      states.set(address, own.set(ruleId, { caps, runs }))
    }
  return {
    of(address) {
      const own = now.get(address) ?? (new Map() as MemberStates)
      now.set(address, own)
      return own
    },
    store: () =>
      storeStates(
        trx,
        spaceId,
        [...now].flatMap(([address, own]) =>
          [...own].flatMap(([ruleId, state]) => {
            const earlier = before.get(address)?.get(ruleId)
            return earlier && isDeepStrictEqual({ ...earlier }, { ...state }) ? [] : [{ ruleId, address, ...state }]
          }),
        ),
      ),
  }
}

/**
 * Enters gifts in the ledger and on the boards. A transaction can call it several times, and records the time of the last
 * version at its end (recordVersions).
 * @returns the members that are new on a board
 */
export async function storeGifts(
  { clock, log }: ApplyDependencies,
  trx: Kysely<DB>,
  { spaceId, version, replay }: { spaceId: number; version: number; replay?: number | undefined },
  gifts: readonly Gift[],
): Promise<string[]> {
  if (gifts.length === 0) return []
  const sprints = gifts.some(({ rule }) => rule.sprint) ? await sprintsOf(trx, spaceId) : []
  const awards = gifts.map((gift): AwardEvent => ({
    key: giftKey({ ruleId: gift.rule.id, version, ref: gift.ref, replay }),
    sprintId: gift.rule.sprint ? sprintAt(sprints, gift.at) : 0,
    address: gift.address,
    points: gift.points,
    source: 'rule',
    reason: gift.rule.description,
  }))
  const { outcomes, joined } = await applyEvents(trx, spaceId, awards, clock, { moreVersions: true })
  for (const [index, outcome] of outcomes.entries())
    if (outcome.status === 'refused')
      log.warn({ spaceId, rule: gifts[index]?.rule.id, reason: outcome.field }, 'the points of a rule do not fit')
  return joined
}

/** The running sprint with the latest start at a time; 0 if no sprint runs. */
export const sprintAt = (sprints: readonly SprintTimes[], at: number): number =>
  sprints.find(({ startTime, endTime }) => startTime.getTime() <= at && (endTime === null || endTime.getTime() > at))
    ?.sprintId ?? 0
