import type { Context } from '../../graphql/context.ts'
import { checkAddress } from '../checked-address.ts'
import { holds } from '../holders.ts'
import { type ConditionRow, type GroupRow, readGroups, type RewardRow } from './quest.queries.ts'

export interface CredentialGroup {
  id: string
  name: string
  conditionRelation: string
  conditions: { expression: string; eligible: boolean }[]
  rewards: { expression: string; eligible: boolean; rewardType: string; rewardCount: number }[]
}

/**
 * Evaluates the groups of a quest for an address, from the current holder lists. An empty address is
 * never eligible. @throws Invalid address
 */
export async function evaluateGroups(context: Context, questId: string, address: string): Promise<CredentialGroup[]> {
  return evaluate(context, await readGroups(context.reader, questId), address)
}

/** The groups of a quest, stored or not. */
export interface StoredGroups {
  groups: readonly GroupRow[]
  conditions: readonly ConditionRow[]
  rewards: readonly RewardRow[]
}

/** Evaluates groups like those of a stored quest. @throws Invalid address */
export async function evaluate(
  context: Pick<Context, 'reader' | 'checkLive' | 'clock'>,
  { groups, conditions, rewards }: StoredGroups,
  address: string,
): Promise<CredentialGroup[]> {
  const credentials = new Map(conditions.map((condition) => [condition.credential_id, condition]))
  const given = address.trim() !== ''
  if (given) checkAddress('address', address, [...new Set(conditions.map(({ credType }) => credType))])
  const held = new Set<string>()
  if (given)
    await Promise.all(
      [...credentials].map(async ([id, { credSource, credType }]) => {
        if ((await holds(context, { id, credSource, credType }, address)).held) held.add(id)
      }),
    )
  return groups.map(({ id, name, conditionRelation }) => {
    const ofGroup = conditions
      .filter((condition) => condition.group_id === id)
      .map(({ expression, credential_id }) => ({ expression, eligible: held.has(credential_id) }))
    const met = given && groupMet(conditionRelation, ofGroup)
    const earned = rewards
      .filter((reward) => reward.group_id === id)
      .map(({ expression, rewardType, reward_count }) => ({
        expression,
        eligible: met,
        rewardType,
        rewardCount: met ? reward_count : 0,
      }))
    return { id, name, conditionRelation, conditions: ofGroup, rewards: earned }
  })
}

/** Without conditions, ALL is met and ANY is not. */
export function groupMet(relation: string, conditions: readonly { eligible: boolean }[]): boolean {
  return relation === 'ALL' ? conditions.every((one) => one.eligible) : conditions.some((one) => one.eligible)
}
