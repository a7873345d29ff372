import { kindOfHolders } from '../resolvers/holders.ts'
import type { VisibleQuestRow } from '../resolvers/quest/quest.queries.ts'
import { answersFor, type ClaimDependencies } from './claims.ts'
import { readClaimants } from './claimants.ts'
import { accountsOf, type LockedQuest, readConditions } from './claims.queries.ts'
import { isMet } from './conditions.ts'
import { decideClaims, type Decisions, groupsOf } from './decide-claims.ts'
import { findParticipation, type Participation, readConditionCredentials, readQuest } from './member-quests.queries.ts'
import { addressesFor, chooseAddress, ensureOwnAddress, isAddressKind, type OwnAddress } from './own-addresses.ts'
import type { ConditionState, Refusal } from './refusals.ts'

export interface ConditionReadiness {
  expression: string
  credentialId: string
  credential: string
  /** The URL where the condition can be met; empty if unknown. */
  link: string
  state: ConditionState
  /** The kind of identities that can meet the condition. */
  kind: string | undefined
  /** Whether the account has an identity of this kind, or needs none. */
  linked: boolean
  /** Whether the source of the credential can be asked about one identity. */
  checkable: boolean
  /** The action with which the account can meet the condition on the pages: `quiz` or `visit`. */
  act: string | undefined
}

export interface ReadinessDependencies extends ClaimDependencies {
  /** The abilities of a kind of source. */
  abilityOf: (kind: string) => { checks: boolean; identityKind: string | undefined; act: string | undefined }
}

export interface GroupReadiness {
  id: string
  name: string
  relation: string
  met: boolean
  conditions: ConditionReadiness[]
}

/** The conditions that an account still has to meet for a quest. */
export interface Readiness {
  quest: VisibleQuestRow
  /** The address that a claim would use. */
  address: string | undefined
  /** The addresses that the account can choose from. */
  addresses: OwnAddress[]
  completion: Participation | undefined
  /** The reason why a claim would be refused now; undefined if it would be accepted, or if the quest is completed. */
  refusal: Refusal | undefined
  groups: GroupReadiness[]
}

/** Decides a claim of an account without storing it. */
export async function readReadiness(
  deps: ReadinessDependencies,
  quest: VisibleQuestRow,
  accountId: string,
  named: string | undefined,
): Promise<Readiness | Refusal> {
  const { kysely } = deps.database
  const own = await ensureOwnAddress(deps, accountId)
  const chosen = chooseAddress(quest, own.addresses, named, 'all')
  if (typeof chosen !== 'string' && named !== undefined) return chosen
  const address = typeof chosen === 'string' ? chosen : undefined
  const row = (await readQuest(deps.database, quest.id)) as LockedQuest
  const conditions = groupsOf(await readConditions(deps.database, quest.id)).flatMap((group) => group.conditions)
  const answers = await answersFor({ ...deps, reader: deps.database }, conditions, address ?? '')
  const claim = { address: address ?? '', ...(address !== undefined && { accountId }), answers }
  const claimants = await readClaimants(kysely, row.space_id, [claim])
  const [[decisions], names, credentials] = await Promise.all([
    decideClaims(kysely, [{ quest: row, claims: [claim] }], { now: new Date(deps.clock.now()), claimants }),
    accountsOf(kysely, [], [accountId]),
    readConditionCredentials(deps.database, [...new Set(conditions.map(({ credentialId }) => credentialId))]),
  ])
  const { decided, groups, stateOf } = decisions as Decisions
  const completion = await findParticipation(deps.database, quest.id, {
    accountId,
    names: names.map(({ name }) => name),
  })
  const refusalOf = (): Refusal | undefined => {
    if (completion) return undefined
    if (typeof chosen !== 'string') return chosen
    const [one] = decided
    return typeof one === 'object' && 'reason' in one ? one : undefined
  }
  return {
    quest,
    address,
    addresses: addressesFor(quest, own.addresses),
    completion,
    refusal: refusalOf(),
    groups: groups.map((group) => ({
      id: group.id,
      name: group.name,
      relation: group.relation,
      met: isMet(group, (condition) => stateOf(condition, 0) === 'met'),
      conditions: group.conditions.map((condition) => {
        const { name = '', link = '', source = null } = credentials.get(condition.credentialId) ?? {}
        const ability = source === null ? undefined : deps.abilityOf(source)
        const kind = ability?.identityKind ?? kindOfHolders(condition.credType)
        return {
          expression: condition.expression,
          credentialId: condition.credentialId,
          credential: name,
          link,
          state: stateOf(condition, 0) ?? 'unavailable',
          kind,
          linked: kind !== undefined && (own.kinds.has(kind) || (ability?.act !== undefined && isAddressKind(kind))),
          checkable: ability?.checks ?? false,
          act: ability?.act,
        }
      }),
    })),
  }
}
