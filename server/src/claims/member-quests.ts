import { questNotFound } from '../errors.ts'
import { requirePublic } from '../resolvers/private-quest.ts'
import { findCurrentQuest } from '../resolvers/quest/current-quest.ts'
import type { VisibleQuestRow } from '../resolvers/quest/quest.queries.ts'
import type { Claims, DecidedClaim } from './claims.ts'
import { type AllowedAddresses, chooseAddress, ensureOwnAddress } from './own-addresses.ts'
import {
  listCompletedAmong,
  listOwnQuests,
  type OwnQuestDependencies,
  type OwnQuestsPage,
  type OwnQuestsQuery,
} from './own-quests.ts'
import { type Readiness, type ReadinessDependencies, readReadiness } from './readiness.ts'
import type { Refusal } from './refusals.ts'

/** A quest that an account can see: the result of `MemberQuests.visible`. */
export type VisibleQuest = VisibleQuestRow

export interface MemberClaim {
  accountId: string
  quest: VisibleQuest
  /** The address as the client sent it. If absent, the first address of the account for this quest. */
  address?: string | undefined
  allowedAddresses: AllowedAddresses
  /** The key of the claim; the caller is its prefix. */
  key?: string | undefined
}

/** Quests from the view of a signed-in account. Private quests are visible to the team of their space. */
export interface MemberQuests {
  /** A quest that the account can see. @throws NOT_FOUND, PERMISSION_DENIED */
  visible(accountId: string, questId: string): Promise<VisibleQuest>
  /** @throws as `Claims.submit` */
  claim(claim: MemberClaim): Promise<DecidedClaim>
  /** @param address if absent, the first address of the account for this quest */
  readiness(accountId: string, quest: VisibleQuest, address: string | undefined): Promise<Readiness | Refusal>
  list(accountId: string, query: OwnQuestsQuery): Promise<OwnQuestsPage>
  /** The quests among `questIds` that the account has completed. */
  completedAmong(accountId: string, questIds: readonly string[]): Promise<string[]>
}

export interface MemberQuestDependencies extends ReadinessDependencies, OwnQuestDependencies {
  claims: Claims
}

export function createMemberQuests(deps: MemberQuestDependencies): MemberQuests {
  const { database, claims } = deps

  return {
    async visible(accountId, questId) {
      const found = await findCurrentQuest({ ...deps, reader: database }, questId)
      if (!found) throw questNotFound()
      await requirePublic({ reader: database, accountId }, found)
      return found
    },
    async claim({ accountId, quest, address: named, allowedAddresses, key }) {
      const own = await ensureOwnAddress(deps, accountId)
      const address = chooseAddress(quest, own.addresses, named, allowedAddresses)
      if (typeof address !== 'string') return { status: 'refused', refusal: address }
      const [outcome] = await claims.submit(accountId, quest.id, [{ address, accountId, key, actor: accountId }])
      return outcome as DecidedClaim
    },
    readiness: (accountId, quest, address) => readReadiness(deps, quest, accountId, address),
    list: (accountId, query) => listOwnQuests(deps, accountId, query),
    completedAmong: (accountId, questIds) => listCompletedAmong(deps, accountId, questIds),
  }
}
