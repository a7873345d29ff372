import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { isDecidedLive, soughtIn } from '../resolvers/holders.ts'
import { areOnList } from '../resolvers/holders.queries.ts'
import { stateOfQuest, statusAt } from '../resolvers/quest/quest-status.ts'
import type { Claimants } from './claimants.ts'
import {
  type ConditionRow,
  conditionsOfLocked,
  findClaims,
  type FoundClaims,
  type LockedQuest,
  type SoughtClaims,
  type StoredClaim,
} from './claims.queries.ts'
import { type QuestCondition, type QuestGroup, refusalByConditions } from './conditions.ts'
import { type ConditionState, type Refusal, refusal } from './refusals.ts'

/** A request to complete a quest for an address. */
export interface Claim {
  /** In canonical form (addresses.ts). */
  address: string
  /** The account of the caller. If absent, the account that is linked to the address is used. */
  accountId?: string | undefined
  /** The key of the request, with the caller as a prefix. A repeated request with the same key is a duplicate. */
  key?: string | undefined
  /** The id of the ingest token or account that sent the claim. The ledger stores it. */
  actor?: string | undefined
  /** The results of the APIs, by credential; `list` if the credential has no API, so that its list decides. */
  answers: ReadonlyMap<string, ConditionState | 'list'>
}

/** An accepted claim, with the actor for its ledger entry. */
export type AcceptedClaim = StoredClaim & Pick<Claim, 'actor'>

export type Decided = { status: 'applied' | 'duplicate'; stored: StoredClaim } | Refusal | 'not-queried'

export interface Decisions {
  /** One per claim, in the order of the claims. */
  decided: Decided[]
  accepted: AcceptedClaim[]
  groups: QuestGroup[]
  /** The state of a condition for the claim with this index; undefined if its API was not queried. */
  stateOf: (condition: QuestCondition, index: number) => ConditionState | undefined
}

/** The claims of one locked quest. */
export interface ClaimsOfQuest {
  quest: LockedQuest
  claims: readonly Claim[]
}

/** Checks the claims of each quest in order, and stores nothing. Reads what several quests need in one statement. */
export async function decideClaims(
  kysely: Kysely<DB>,
  parts: readonly ClaimsOfQuest[],
  { now, claimants }: { now: Date; claimants: Claimants },
): Promise<Decisions[]> {
  const rows = await conditionsOfLocked(
    kysely,
    parts.map(({ quest }) => quest.quest_id),
  )
  const conditions = Map.groupBy(rows, ({ quest_id }) => quest_id)
  const found = await findClaims(
    kysely,
    parts.map((part) => soughtBy(part, claimants)),
  )
  const decisions: Decisions[] = []
  for (const part of parts) {
    const questId = part.quest.quest_id
    const groups = groupsOf(conditions.get(questId) ?? [])
    const held = await readHolders(kysely, groups, part.claims)
    const earlier = earlierOf(found.get(questId), claimants)
    decisions.push(decideOfQuest(part, { groups, held, earlier, now, claimants }))
  }
  return decisions
}

interface Known {
  groups: QuestGroup[]
  /** Whether the claim with this index is on the list of the condition. */
  held: (condition: QuestCondition, index: number) => boolean
  earlier: Earlier
  now: Date
  claimants: Claimants
}

function decideOfQuest({ quest, claims }: ClaimsOfQuest, { groups, held, earlier, now, claimants }: Known): Decisions {
  const stateOf = (condition: QuestCondition, index: number) =>
    stateFor(condition, claims[index] as Claim, held(condition, index))
  let participants = quest.participants_count
  const accepted: AcceptedClaim[] = []
  const decided = claims.map((claim, index): Decided => {
    const accountId = claim.accountId ?? claimants.accountOf(claim.address)
    const before = earlier.find(claim, accountId)
    if (before) return before
    if (claim.accountId !== undefined && !claimants.addressesOf(claim.accountId).includes(claim.address))
      return notLinked()
    if (claimants.isBanned(claim.address, accountId))
      return refusal('BANNED', 'The address or its account is banned from the quests of this space')
    const closed = refusalByQuest(quest, participants, now.getTime())
    if (closed) return closed
    const isNotQueried = groups.some(({ conditions }) =>
      conditions.some(({ credSource, credentialId }) => isDecidedLive(credSource) && !claim.answers.has(credentialId)),
    )
    if (isNotQueried) return 'not-queried'
    const unmet = refusalByConditions(groups, (condition) => stateOf(condition, index))
    if (unmet) return unmet
    participants++
    const stored = {
      address: claim.address,
      account_id: accountId ?? null,
      key: claim.key ?? null,
      points: quest.loyalty_points,
      sprint_id: 0,
      claimed_at: now,
      actor: claim.actor,
    }
    earlier.add(stored)
    accepted.push(stored)
    return { status: 'applied', stored }
  })
  return { decided, accepted, groups, stateOf }
}

/** Addresses of other accounts and of no account get the same refusal, so it reveals nothing about other accounts. */
export const notLinked = () =>
  refusal('ADDRESS_NOT_LINKED', 'The address is not one of the addresses that the account can use here')

/** The refusal because of the quest's times, cap or status, if any. */
function refusalByQuest(quest: LockedQuest, participants: number, now: number): Refusal | undefined {
  const state = stateOfQuest(quest)
  const { startTime, endTime, cap } = state
  const status = statusAt(state, now)
  if (startTime !== null && now < startTime && status !== 'Draft' && status !== 'Deleted')
    return refusal('NOT_STARTED', `The quest starts at ${new Date(startTime).toISOString()}`)
  if (endTime !== null && now >= endTime && status !== 'Draft' && status !== 'Deleted')
    return refusal('ENDED', `The quest ended at ${new Date(endTime).toISOString()}`)
  if (cap > 0 && participants >= cap)
    return refusal('CAP_REACHED', `The quest has ${participants} participants; allowed: ${cap}`)
  if (status !== 'Active') return refusal('QUEST_NOT_ACTIVE', `The quest is ${status}; it must be Active`)
  return undefined
}

export function groupsOf(rows: readonly ConditionRow[]): QuestGroup[] {
  const groups = new Map<string, QuestGroup>()
  for (const row of rows) {
    const group = groups.get(row.group_id) ?? {
      id: row.group_id,
      name: row.group_name,
      relation: row.relation,
      conditions: [],
    }
    groups.set(row.group_id, group)
    if (row.expression !== null)
      group.conditions.push({
        expression: row.expression,
        credentialId: row.credential_id,
        credType: row.cred_type,
        credSource: row.cred_source,
        synced: row.synced,
      })
  }
  return [...groups.values()]
}

/** Uses the result of the live API if the credential has one, and otherwise the list if it is current. */
function stateFor(condition: QuestCondition, claim: Claim, onList: boolean): ConditionState | undefined {
  const result = isDecidedLive(condition.credSource) ? claim.answers.get(condition.credentialId) : 'list'
  if (result !== 'list') return result
  if (!condition.synced) return 'syncing'
  return onList ? 'met' : 'not-met'
}

/** Checks for all claims whether the addresses are on the lists of the conditions. Runs one statement per list. */
async function readHolders(
  trx: Kysely<DB>,
  groups: readonly QuestGroup[],
  claims: readonly Claim[],
): Promise<(condition: QuestCondition, index: number) => boolean> {
  const lists = new Map<string, boolean[]>()
  for (const { credentialId, credSource, credType } of groups.flatMap(({ conditions }) => conditions)) {
    if (lists.has(credentialId)) continue
    const sought = claims.map(({ address }) => soughtIn({ id: credentialId, credSource, credType }, address))
    lists.set(credentialId, await areOnList(trx, sought))
  }
  return ({ credentialId }, index) => lists.get(credentialId)?.[index] ?? false
}

interface Earlier {
  /**
   * Returns the earlier claim if `claim` repeats it. Returns a refusal if `claim` conflicts with an earlier claim or
   * participation.
   */
  find(claim: Claim, accountId: string | undefined): Decided | undefined
  add(claim: StoredClaim): void
}

/** What finds the earlier claims and participations of the addresses and of their accounts. */
function soughtBy({ quest, claims }: ClaimsOfQuest, { accountOf, addressesOf }: Claimants): SoughtClaims {
  const addresses = claims.map(({ address }) => address)
  const accountIds = [...new Set(claims.flatMap(({ address, accountId }) => accountId ?? accountOf(address) ?? []))]
  return {
    questId: quest.quest_id,
    addresses: [...new Set([...addresses, ...accountIds.flatMap(addressesOf)])],
    accountIds,
    keys: [...new Set(claims.flatMap(({ key }) => key ?? []))],
  }
}

function earlierOf(found: FoundClaims | undefined, { addressesOf }: Claimants): Earlier {
  const byAddress = new Map<string, StoredClaim>()
  const byAccount = new Map<string, StoredClaim>()
  const byKey = new Map<string, StoredClaim>()
  const participants = found?.participants ?? new Set<string>()
  const add = (claim: StoredClaim) => {
    byAddress.set(claim.address, claim)
    if (claim.account_id !== null) byAccount.set(claim.account_id, claim)
    if (claim.key !== null) byKey.set(claim.key, claim)
  }
  for (const claim of found?.claims ?? []) add(claim)
  return {
    find({ address, key, accountId: caller }, accountId) {
      const sameKey = key === undefined ? undefined : byKey.get(key)
      if (sameKey && (sameKey.address === address || (caller !== undefined && sameKey.account_id === caller)))
        return { status: 'duplicate', stored: sameKey }
      if (sameKey) return refusal('KEY_USED', 'The key was used for another address of this quest')
      if (byAddress.has(address) || participants.has(address))
        return refusal('ALREADY_CLAIMED', 'The address is already a participant of the quest')
      if (accountId === undefined) return undefined
      if (
        byAccount.has(accountId) ||
        addressesOf(accountId).some((name) => byAddress.has(name) || participants.has(name))
      )
        return refusal('ALREADY_CLAIMED', 'Another address of the same account is already a participant of the quest')
      return undefined
    },
    add,
  }
}
