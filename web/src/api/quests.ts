import { queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { change, queryClient } from './session.ts'

/** `syncing` and `unavailable`: it is not known whether the condition is met. */
export type ConditionState = 'met' | 'not-met' | 'syncing' | 'unavailable'

/** Why a quest refuses a claim (docs/quests.md). */
export interface Refusal {
  reason: string
  rule: string
  /** Whether the same claim can be accepted later. */
  retry: boolean
}

export interface Completion {
  address: string
  /** Null for an imported participant. */
  points: number | null
  sprintId: number | null
  claimedAt: string
}

export interface QuestCondition {
  expression: string
  credentialId: string
  credential: string
  /** Where to meet the condition; may be empty. */
  link: string
  state: ConditionState
  /** The kind of identities that can meet the condition. */
  kind: string | null
  /** Whether the account has an identity of this kind. */
  linked: boolean
  /** Whether the source can check this account at once. */
  checkable: boolean
}

export interface ConditionGroup {
  id: string
  name: string
  relation: string
  met: boolean
  conditions: QuestCondition[]
}

/** What the account still needs for a quest. */
export interface Readiness {
  state: 'completed' | 'ready' | 'refused'
  /** The address that a claim would use. */
  address: string | null
  /** The kind of address that completes the quest; null: any. */
  kind: string | null
  addresses: { kind: string; address: string }[]
  completion: Completion | null
  refusal: (Refusal & { message: string }) | null
  groups: ConditionGroup[]
}

const pathOf = (questId: string) => `/api/quests/${encodeURIComponent(questId)}`

/** `address`: a linked address, or empty for the default. */
export const readinessQuery = (questId: string, address: string) =>
  queryOptions({
    queryKey: ['quests', questId, 'readiness', address],
    queryFn: () => {
      const query = address === '' ? '' : `?${new URLSearchParams({ address })}`
      return send<Readiness>('GET', `${pathOf(questId)}/readiness${query}`)
    },
  })

export interface Verification {
  /** Null if the source could not decide. */
  held: boolean | null
  checkedAt: string
}

/** Checks a condition at its source. */
export async function verifyCondition(questId: string, credentialId: string, address?: string): Promise<Verification> {
  const body = { credentialId, ...(address !== undefined && { address }) }
  const result = await change<Verification>('POST', `${pathOf(questId)}/verifications`, body)
  await queryClient.invalidateQueries({ queryKey: ['quests'] })
  return result
}

/** Completes a quest. */
export async function claimQuest(questId: string, address: string | null): Promise<Completion> {
  try {
    const body = address === null ? {} : { address }
    return (await change<{ completion: Completion }>('POST', `${pathOf(questId)}/claim`, body)).completion
  } finally {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['quests'] }),
      queryClient.invalidateQueries({ queryKey: ['graph', 'quest', questId] }),
      queryClient.invalidateQueries({ queryKey: ['my'] }),
    ])
  }
}
