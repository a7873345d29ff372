import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { conflict } from '../errors.ts'
import { type Feed, feedOf, nextMember, noFeed } from './by-address.ts'
import type { RuleEvent } from './evaluate.ts'
import {
  type PastEvent,
  pastAwards,
  pastClaims,
  pastClaimsOf,
  type PastGift,
  pastGifts,
  pastLogs,
  type PastReferral,
  pastReferrals,
  pendingAmong,
  questIdsOf,
  reversedClaims,
} from './history.queries.ts'
import { countedLogs, logEventOf } from './logs.ts'
import type { PastLog } from './logs.queries.ts'
import { listensTo, type Rule } from './rule-kinds.ts'

/** The past of a member. */
export interface History {
  address: string
  /** In the order of time. */
  events: RuleEvent[]
  /** The points that rules gave. */
  gifts: PastGift[]
}

/** Limits of a batch. The history of one member is never divided. */
export interface BatchLimits {
  members: number
  rows: number
}

export const BATCH: BatchLimits = { members: 1_000, rows: 5_000 }

export interface HistoryRequest {
  spaceId: number
  rules: readonly Rule[]
  since: Date
  /**
   * The limit for the events of all members together. Each member also has at most this many referrals and entries of
   * rules.
   */
  maxEvents: number
  batch?: BatchLimits | undefined
}

/**
 * The past of all members of a space, one batch at a time, so that only one batch is in memory.
 * @throws ApiError too_many_events as soon as it has read more than `maxEvents`
 */
export async function* histories(
  trx: Kysely<DB>,
  { spaceId, rules, since, maxEvents, batch = BATCH }: HistoryRequest,
): AsyncGenerator<History[]> {
  const onClaims = rules.some((rule) => listensTo(rule, 'claim'))
  const questIds = onClaims ? await questIdsOf(trx, spaceId) : []
  const awards = rules.some((rule) => listensTo(rule, 'award')) ? feedOf(pastAwards(trx, spaceId, since)) : noFeed
  const claims = onClaims ? feedOf(pastClaims(trx, questIds, since)) : noFeed
  const referrals = rules.some(({ kind }) => kind === 'referral') ? feedOf(pastReferrals(trx, spaceId)) : noFeed
  const reversed = onClaims ? await reversedClaims(trx, spaceId, since) : new Set<string>()
  const lists = await countedLogs(trx, spaceId, rules)
  const logs = lists.length > 0 ? feedOf(pastLogs(trx, lists, since)) : noFeed
  const gifts = feedOf(pastGifts(trx, spaceId, since))
  const feeds: readonly Feed<unknown>[] = [awards, claims, referrals, logs, gifts]
  const tooMany = (what: string) => () =>
    conflict('too_many_events', `${what} has more than ${maxEvents} events since ${since.toISOString()}`)
  const budget: Budget = { left: maxEvents, tooMany: tooMany('The space') }
  const spend = async <Row>(feed: Feed<Row>, address: string): Promise<Row[]> => {
    const taken = await feed.take(address, budget.left, budget.tooMany)
    budget.left -= taken.length
    return taken
  }
  const ofMember = tooMany('A member of the space')
  for (;;) {
    const members: Member[] = []
    let rows = 0
    while (members.length < batch.members && rows < batch.rows) {
      const address = await nextMember(feeds)
      if (address === undefined) break
      const member = {
        address,
        awards: await spend(awards, address),
        claims: await spend(claims, address),
        referrals: await referrals.take(address, maxEvents, ofMember),
        logs: await spend(logs, address),
        gifts: await gifts.take(address, maxEvents, ofMember),
      }
      for (const some of [member.awards, member.claims, member.referrals, member.logs, member.gifts])
        rows += some.length
      members.push(member)
    }
    if (members.length === 0) return
    yield historiesOf(trx, { spaceId, questIds, since, reversed, budget }, members)
  }
}

interface Member {
  address: string
  awards: PastEvent[]
  claims: PastEvent[]
  referrals: PastReferral[]
  logs: PastLog[]
  gifts: PastGift[]
}

/** The remaining number of events that can be read. */
interface Budget {
  left: number
  tooMany: () => Error
}

interface Past {
  spaceId: number
  questIds: readonly string[]
  since: Date
  /** Claims that do not count. */
  reversed: ReadonlySet<string>
  budget: Budget
}

async function historiesOf(
  trx: Kysely<DB>,
  { spaceId, questIds, since, reversed, budget }: Past,
  members: readonly Member[],
): Promise<History[]> {
  const referred = members.flatMap(({ referrals }) => referrals.map((referral) => referral.referred))
  const found = await pastClaimsOf(trx, questIds, since, referred, budget.left)
  if (found.length > budget.left) throw budget.tooMany()
  budget.left -= found.length
  const theirs = Map.groupBy(found, ({ address }) => address)
  const all = [...members.flatMap(({ awards, claims }) => [awards, claims]), ...theirs.values()].flat()
  const pending = await pendingAmong(
    trx,
    spaceId,
    all.map(({ ref }) => ref),
  )
  const counted = (events: readonly PastEvent[] = []) =>
    events.filter(({ ref }) => !pending.has(ref) && !reversed.has(ref))
  return members.map(({ address, awards, claims, referrals, logs, gifts }) => ({
    address,
    gifts,
    events: [
      ...counted(awards).map((event) => eventOf('award', event)),
      ...counted(claims).map((event) => eventOf('claim', event)),
      ...logs.map(logEventOf),
      ...referrals.flatMap((referral) => referralsOf(referral, counted(theirs.get(referral.referred)))),
    ].toSorted(inOrder),
  }))
}

const eventOf = (kind: 'award' | 'claim', { ref, address, points, happenedAt, questId }: PastEvent): RuleEvent => ({
  kind,
  ref,
  address,
  points,
  at: happenedAt.getTime(),
  questId: questId ?? undefined,
})

const inOrder = (a: RuleEvent, b: RuleEvent) => a.at - b.at || (a.ref < b.ref ? -1 : 1)

/** The claims of a referred member, as events of the referrer. */
function referralsOf({ address, recordedAt, firstClaim }: PastReferral, claims: readonly PastEvent[]): RuleEvent[] {
  const later = claims
    .map((claim) => eventOf('claim', claim))
    .filter(({ at }) => at >= recordedAt.getTime())
    .toSorted(inOrder)
  const first = firstClaim ?? later[0]?.ref
  return later.map((claim) => ({ ...claim, kind: 'referral', address, first: claim.ref === first }))
}
