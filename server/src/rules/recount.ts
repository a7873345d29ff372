import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { sprintAt } from './apply-rules.ts'
import { type SprintTimes, sprintsOf } from './apply-rules.queries.ts'
import { evaluate, type Gift, type MemberStates } from './evaluate.ts'
import { readGiftKey } from './gift-keys.ts'
import { type BatchLimits, histories, type History } from './histories.ts'
import { knownSprintIds, type PastGift } from './history.queries.ts'
import { isAboutLists, type Rule } from './rule-kinds.ts'

export interface Change {
  before: number
  after: number
}

/** A member whose history was counted. */
export interface RecountedMember {
  address: string
  /** Entries to reverse. */
  reversed: PastGift[]
  /** Points to add. */
  given: Gift[]
  states: MemberStates
}

/** The points that rules would have given for past events, compared with those that they gave. */
export interface Recount {
  /** The number of counted events. */
  events: number
  /** Points before and after, by rule. */
  rules: Map<string, Change>
  /** The number of members whose points differ. */
  members: number
  /** The members with the largest differences, largest first. */
  largest: ({ address: string; difference: number } & Change)[]
}

export interface RecountRequest {
  spaceId: number
  rules: readonly Rule[]
  since: Date
  maxEvents: number
  batch?: BatchLimits
}

/** Rules of the kinds `daily` and `holder` are not counted again, because their events are not stored. */
export const isRecounted = (rule: Rule): boolean => !isAboutLists(rule)

/** Whether a ref belongs to a stored event. Refs of days and holders contain a colon (ticks.ts). */
const isStored = (ref: string): boolean => !ref.includes(':')

/** The number of members in `Recount.largest`. */
const MAX_LARGEST = 100

/**
 * Counts the claims, awards and logs of a space since a time with these rules, member by member. Only one batch of members
 * is in memory at a time, because the state of a rule for a member does not depend on other members.
 * @param onBatch receives the members of each batch
 * @throws ApiError too_many_events
 */
export async function recount(
  trx: Kysely<DB>,
  { spaceId, rules, since, maxEvents, batch }: RecountRequest,
  onBatch: (members: RecountedMember[]) => Promise<void> = async () => {},
): Promise<Recount> {
  const counted = rules.filter(isRecounted)
  const sprints = await sprintsOf(trx, spaceId)
  const known = await knownSprintIds(trx, spaceId)
  const found: Recount = { events: 0, rules: new Map(), members: 0, largest: [] }
  for await (const some of histories(trx, { spaceId, rules: counted, since, maxEvents, batch })) {
    const members = some.map((history) => {
      found.events += history.events.length
      return recountMember(counted, history, { sprints, known }, found)
    })
    found.largest = largestOf(found.largest)
    await onBatch(members)
  }
  return found
}

const largestOf = (differences: Recount['largest']): Recount['largest'] =>
  differences
    .toSorted((a, b) => Math.abs(b.difference) - Math.abs(a.difference) || (a.address < b.address ? -1 : 1))
    .slice(0, MAX_LARGEST)

interface Sprints {
  sprints: readonly SprintTimes[]
  known: ReadonlySet<number>
}

/** Compares the gifts that a member would have with the entries of the ledger. Entries that are equal stay. */
function recountMember(
  rules: readonly Rule[],
  { address, events, gifts }: History,
  { sprints, known }: Sprints,
  found: Recount,
): RecountedMember {
  const states: MemberStates = new Map()
  const given = new Map<string, Gift>()
  const own = { before: 0, after: 0 }
  const note = (ruleId: string, change: Change) => {
    const sum = found.rules.get(ruleId) ?? { before: 0, after: 0 }
    found.rules.set(ruleId, { before: sum.before + change.before, after: sum.after + change.after })
    own.before += change.before
    own.after += change.after
  }
  const nameOf = (ruleId: string, ref: string) => `${ruleId}\t${ref}`
  const keyed = gifts.flatMap((entry) => {
    const key = readGiftKey(entry.key)
    return key && isStored(key.ref) ? [{ ...entry, ruleId: key.ruleId, name: nameOf(key.ruleId, key.ref) }] : []
  })
  const withdrawn = new Set(keyed.flatMap(({ name, withdrawn }) => (withdrawn ? [name] : [])))
  for (const event of events)
    for (const gift of evaluate(rules, event, states)) {
      const name = nameOf(gift.rule.id, gift.ref)
      if (withdrawn.has(name)) continue
      given.set(name, gift)
      note(gift.rule.id, { before: 0, after: gift.points })
    }
  const reversed: PastGift[] = []
  for (const { ruleId, name, ...entry } of keyed) {
    if (entry.withdrawn) continue
    note(ruleId, { before: entry.points, after: 0 })
    const gift = given.get(name)
    const sprintId = gift?.rule.sprint ? sprintAt(sprints, gift.at) : 0
    const same = gift?.points === entry.points && (sprintId === entry.sprintId || !known.has(entry.sprintId))
    if (same) given.delete(name)
    else reversed.push(entry)
  }
  if (own.before !== own.after) {
    found.members += 1
    found.largest.push({ address, ...own, difference: own.after - own.before })
  }
  return { address, reversed, given: [...given.values()], states }
}
