import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import type { Context } from '../graphql/context.ts'
import type { Logger } from '../logging/log.ts'
import type { Random } from '../random.ts'
import { isOnList } from '../resolvers/holders.queries.ts'
import { isDecidedLive, soughtIn } from '../resolvers/holders.ts'
import { maySee } from '../resolvers/private-quest.ts'
import {
  findQuest,
  isTransitionDue,
  type QuestPosition,
  readCatalogue,
  readListed,
  type QuestRow,
} from '../resolvers/quest/quest.queries.ts'
import { accountsOf, readConditions } from './claims.queries.ts'
import { type QuestCondition, type QuestGroup } from './conditions.ts'
import { groupsOf } from './decide-claims.ts'
import { findParticipation, listClaimsOf, type Participation } from './member-quests.queries.ts'
import { addressesFor, ensureOwnAddress, type OwnAddress } from './own-addresses.ts'
import type { ConditionState } from './refusals.ts'

export const OWN_QUEST_STATES = ['ready', 'almost', 'completed', 'open'] as const
export type OwnQuestState = (typeof OWN_QUEST_STATES)[number]

export interface OwnQuestDependencies {
  database: Database
  clock: Clock
  log: Logger
  random: Random
  applyDueTransitions: Context['applyDueTransitions']
}

export interface OwnQuestsQuery {
  /** If it is undefined, all Active quests that are ready, close or completed. */
  state: OwnQuestState | undefined
  first: number
  after: QuestPosition | undefined
}

/** A quest with the progress of an account. */
export interface OwnQuest {
  quest: QuestRow
  state: OwnQuestState
  /** The conditions that the groups need, those that are met, and those that are not known. */
  conditions: { needed: number; met: number; unknown: number }
  completion: Participation | undefined
}

export interface OwnQuestsPage {
  list: OwnQuest[]
  next: QuestPosition | undefined
}

/** Quests that one request reads at most; a page that reads as many may be short. */
const MAX_READ = 100

export async function listOwnQuests(
  deps: OwnQuestDependencies,
  accountId: string,
  query: OwnQuestsQuery,
): Promise<OwnQuestsPage> {
  return query.state === 'completed' ? listCompleted(deps, accountId, query) : listActive(deps, accountId, query)
}

/** The quests among `questIds` that the account has completed. */
export async function listCompletedAmong(
  { database }: OwnQuestDependencies,
  accountId: string,
  questIds: readonly string[],
): Promise<string[]> {
  database.reachAll() // the aliases of an account can be on every node
  const mine = { accountId, names: (await accountsOf(database.kysely, [], [accountId])).map(({ name }) => name) }
  const found = await Promise.all(questIds.map((id) => findParticipation(database, id, mine)))
  return questIds.filter((_, i) => found[i] !== undefined)
}

/** Active public quests, newest first. */
async function listActive(
  deps: OwnQuestDependencies,
  accountId: string,
  { state, first, after }: OwnQuestsQuery,
): Promise<OwnQuestsPage> {
  const { database, clock } = deps
  if (!after && (await isTransitionDue(database, new Date(clock.now())))) await deps.applyDueTransitions()
  const filter = { spaceId: undefined, statuses: ['Active'], types: [] }
  const { version } = await readCatalogue(database, filter)
  const rows = await readListed(database, version, filter, after, MAX_READ + 1)
  const progress = await readProgressOf(deps, accountId)
  const list: OwnQuest[] = []
  for (let read = 0; read < MAX_READ;) {
    const chunk = rows.slice(read, Math.min(read + first, MAX_READ))
    const quests = await Promise.all(chunk.map(async (row) => (row.hidden ? undefined : progress(row))))
    for (const [i, row] of chunk.entries()) {
      read++
      const one = quests[i]
      if (one && (state === undefined ? one.state !== 'open' : one.state === state)) list.push(one)
      if (read === rows.length) return { list, next: undefined }
      if (list.length === first || read === MAX_READ)
        return { list, next: { createdAt: row.created_at.getTime(), id: row.id } }
    }
    if (chunk.length === 0) break
  }
  return { list, next: undefined }
}

/** Claims of the account, newest first, without those of quests that are hidden now. */
async function listCompleted(
  { database }: OwnQuestDependencies,
  accountId: string,
  { first, after }: OwnQuestsQuery,
): Promise<OwnQuestsPage> {
  const place = after && { claimedAt: after.createdAt, questId: after.id }
  const claims = await listClaimsOf(database.kysely, accountId, place, first + 1)
  const page = claims.slice(0, first)
  const quests = await Promise.all(
    page.map(async ({ quest_id }) => {
      const quest = await findQuest(database, quest_id)
      return quest && (await maySee({ reader: database, accountId }, quest)) ? quest : undefined
    }),
  )
  const last = claims.length > first ? page.at(-1) : undefined
  return {
    list: page.flatMap((completion, i) => {
      const quest = quests[i]
      if (!quest) return []
      return [{ quest, state: 'completed', conditions: { needed: 0, met: 0, unknown: 0 }, completion }]
    }),
    next: last && { createdAt: last.claimed_at.getTime(), id: last.quest_id },
  }
}

/** Reads the progress of an account from holder lists alone. Live APIs are not queried, so their state is unknown. */
async function readProgressOf(
  deps: OwnQuestDependencies,
  accountId: string,
): Promise<(quest: QuestRow) => Promise<OwnQuest>> {
  const { database } = deps
  const own = await ensureOwnAddress(deps, accountId)
  const names = await accountsOf(database.kysely, [], [accountId])
  const mine = { accountId, names: names.map(({ name }) => name) }
  const known = new Map<string, Promise<ConditionState>>()

  function stateOf(condition: QuestCondition, address: string): Promise<ConditionState> {
    const key = `${condition.credentialId} ${address}`
    const state = known.get(key) ?? readState(condition, address)
    known.set(key, state)
    return state
  }

  async function readState(condition: QuestCondition, address: string): Promise<ConditionState> {
    const { credentialId: id, credSource, credType, synced } = condition
    if (isDecidedLive(credSource)) return 'unavailable'
    if (!synced) return 'syncing'
    return (await isOnList(database, soughtIn({ id, credSource, credType }, address))).held ? 'met' : 'not-met'
  }

  return async (quest) => {
    const [completion, rows] = await Promise.all([
      findParticipation(database, quest.id, mine),
      readConditions(database, quest.id),
    ])
    const groups = groupsOf(rows)
    const address = firstAddress(quest, own.addresses)
    const states = await Promise.all(
      groups.map((group) => Promise.all(group.conditions.map((condition) => stateOf(condition, address)))),
    )
    const conditions = countConditions(groups, states)
    return { quest, state: completion ? 'completed' : stateByCounts(conditions, address), conditions, completion }
  }
}

const firstAddress = (quest: QuestRow, own: readonly OwnAddress[]): string => addressesFor(quest, own)[0]?.address ?? ''

/** A group with ANY needs one condition. */
function countConditions(
  groups: readonly QuestGroup[],
  states: readonly (readonly ConditionState[])[],
): OwnQuest['conditions'] {
  const total = { needed: 0, met: 0, unknown: 0 }
  for (const [i, { relation }] of groups.entries()) {
    const ofGroup = states[i] ?? []
    const met = ofGroup.filter((state) => state === 'met').length
    const unknown = ofGroup.filter((state) => state === 'syncing' || state === 'unavailable').length
    const needed = relation === 'ALL' ? ofGroup.length : 1
    total.needed += needed
    total.met += Math.min(met, needed)
    total.unknown += Math.min(unknown, needed - Math.min(met, needed))
  }
  return total
}

/** `almost`: at least one condition is met, and at most one needed condition is known to be unmet. */
function stateByCounts({ needed, met, unknown }: OwnQuest['conditions'], address: string): OwnQuestState {
  if (address === '') return 'open'
  if (met === needed) return 'ready'
  return met > 0 && needed - met - unknown <= 1 ? 'almost' : 'open'
}
