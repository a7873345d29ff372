import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { conflict } from '../errors.ts'
import { sprintAt } from './apply-rules.ts'
import { sprintsOf } from './apply-rules.queries.ts'
import { evaluate, type Gift, type MemberStates, type RuleEvent } from './evaluate.ts'
import { readGiftKey } from './gift-keys.ts'
import {
  allReferrals,
  knownSprintIds,
  type PastEvent,
  type PastGift,
  pastAwards,
  pastClaims,
  pastGifts,
  pendingRefs,
} from './history.queries.ts'
import { isTicking, listensTo, type Rule } from './rule-kinds.ts'

/** The points of the past that rules would have given, compared with those that they gave. */
export interface Recount {
  /** Events that were counted. */
  events: number
  /** Entries to take back. */
  reversed: PastGift[]
  /** Points to give. */
  given: Gift[]
  /** The final state of each member that has one. */
  states: Map<string, MemberStates>
  /** Points before and after, by rule. */
  rules: Map<string, Change>
  /** The members whose points differ. */
  members: Map<string, Change>
}

export interface Change {
  before: number
  after: number
}

/** Rules about days and lists are not counted again, because their events are not stored. */
export const isRecounted = (rule: Rule): boolean => !isTicking(rule)

const NO_REFERRALS: Awaited<ReturnType<typeof allReferrals>> = new Map()

/** Refs of days and holders contain a colon (ticks.ts). */
const isStored = (ref: string): boolean => !ref.includes(':')

/**
 * Counts the claims and awards of a space since a time with these rules, in the order of time. Keeps all events in memory.
 * @throws ApiError too_many_events
 */
export async function recount(
  trx: Kysely<DB>,
  { spaceId, rules, since, maxEvents }: { spaceId: number; rules: readonly Rule[]; since: Date; maxEvents: number },
): Promise<Recount> {
  const counted = rules.filter(isRecounted)
  const byMember = await readEvents(trx, { spaceId, rules: counted, since, maxEvents })
  const states = new Map<string, MemberStates>()
  const wanted = new Map<string, Gift>()
  let events = 0
  for (const [address, own] of byMember) {
    const memory: MemberStates = new Map()
    events += own.length
    for (const event of own.toSorted(inOrder))
      for (const gift of evaluate(counted, event, memory)) wanted.set(`${gift.rule.id}\t${gift.ref}`, gift)
    if (memory.size > 0) states.set(address, memory)
  }
  return { events, states, ...(await compare(trx, spaceId, since, wanted)) }
}

const inOrder = (a: RuleEvent, b: RuleEvent) => a.at - b.at || (a.ref < b.ref ? -1 : 1)

async function readEvents(
  trx: Kysely<DB>,
  { spaceId, rules, since, maxEvents }: { spaceId: number; rules: readonly Rule[]; since: Date; maxEvents: number },
): Promise<Map<string, RuleEvent[]>> {
  const pending = await pendingRefs(trx, spaceId)
  const byMember = new Map<string, RuleEvent[]>()
  let count = 0
  const add = (event: RuleEvent) => {
    if (++count > maxEvents)
      throw conflict('too_many_events', `The space has more than ${maxEvents} events since ${since.toISOString()}`)
    const own = byMember.get(event.address)
    if (own) own.push(event)
    else byMember.set(event.address, [event])
  }
  const eventOf = (kind: RuleEvent['kind'], { ref, address, points, happenedAt, questId }: PastEvent): RuleEvent => ({
    kind,
    ref,
    address,
    points,
    at: happenedAt.getTime(),
    questId: questId ?? undefined,
  })
  if (rules.some((rule) => listensTo(rule, 'award')))
    for await (const some of pastAwards(trx, spaceId, since))
      for (const event of some) if (!pending.has(event.ref)) add(eventOf('award', event))
  if (!rules.some((rule) => listensTo(rule, 'claim'))) return byMember
  const referrals = rules.some(({ kind }) => kind === 'referral') ? await allReferrals(trx, spaceId) : NO_REFERRALS
  const referred = new Map<string, RuleEvent[]>()
  for await (const some of pastClaims(trx, spaceId, since))
    for (const past of some) {
      if (pending.has(past.ref)) continue
      const event = eventOf('claim', past)
      add(event)
      const referral = referrals.get(past.address)
      if (referral && referral.recordedAt.getTime() <= event.at)
        referred.set(past.address, [...(referred.get(past.address) ?? []), event])
    }
  for (const [address, claims] of referred) {
    const referral = referrals.get(address)
    if (!referral) continue
    const { referrer, firstClaim } = referral
    const first = firstClaim ?? claims.toSorted(inOrder)[0]?.ref
    for (const claim of claims) add({ ...claim, kind: 'referral', address: referrer, first: claim.ref === first })
  }
  return byMember
}

/** Compares wanted gifts with the entries of the ledger. Equal ones stay. */
async function compare(
  trx: Kysely<DB>,
  spaceId: number,
  since: Date,
  wanted: Map<string, Gift>,
): Promise<Pick<Recount, 'reversed' | 'given' | 'rules' | 'members'>> {
  const sprints = await sprintsOf(trx, spaceId)
  const known = await knownSprintIds(trx, spaceId)
  const rules = new Map<string, Change>()
  const members = new Map<string, Change>()
  const note = (ruleId: string, address: string, change: Change) => {
    for (const [sums, key] of [
      [rules, ruleId],
      [members, address],
    ] as const) {
      const sum = sums.get(key) ?? { before: 0, after: 0 }
      sums.set(key, { before: sum.before + change.before, after: sum.after + change.after })
    }
  }
  const reversed: PastGift[] = []
  const given = new Map(wanted)
  for (const gift of wanted.values()) note(gift.rule.id, gift.address, { before: 0, after: gift.points })
  for await (const some of pastGifts(trx, spaceId, since))
    for (const entry of some) {
      const key = readGiftKey(entry.key)
      if (!key || !isStored(key.ref)) continue
      note(key.ruleId, entry.address, { before: entry.points, after: 0 })
      const name = `${key.ruleId}\t${key.ref}`
      const gift = given.get(name)
      const sprintId = gift?.rule.sprint ? sprintAt(sprints, gift.at) : 0
      const same =
        gift?.points === entry.points &&
        gift.address === entry.address &&
        (sprintId === entry.sprintId || !known.has(entry.sprintId))
      if (same) given.delete(name)
      else reversed.push(entry)
    }
  for (const [address, { before, after }] of members) if (before === after) members.delete(address)
  return { reversed, given: [...given.values()], rules, members }
}
