import { queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { change, queryClient } from './session.ts'

/** `syncing` and `unavailable`: it is not known whether the condition is met. */
export type ConditionState = 'met' | 'not-met' | 'syncing' | 'unavailable'

/** The reason why a quest refuses a claim (docs/quests.md). */
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
  /** The page where a member can meet the condition; may be empty. */
  link: string
  state: ConditionState
  /** The kind of identities that can meet the condition. */
  kind: string | null
  /** Whether the account has an identity of this kind. */
  linked: boolean
  /** Whether the source can check this account at once. */
  checkable: boolean
  /** The actions that are available to the member. */
  act: 'quiz' | 'visit' | null
}

export interface ConditionGroup {
  id: string
  name: string
  relation: string
  met: boolean
  conditions: QuestCondition[]
}

/** The conditions of a quest that the account does not meet. */
export interface Readiness {
  state: 'completed' | 'ready' | 'refused'
  /** The address that a claim would use. */
  address: string | null
  /** The kind of address that completes the quest; null for any kind. */
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

export interface QuizQuestion {
  question: string
  type: 'single' | 'several' | 'text'
  options?: string[]
}

export interface Quiz {
  questions: QuizQuestion[]
  passMark: number
  version: string
  attempts: { allowed: number; left: number; nextAttemptAt: string | null }
  passed: boolean
}

export interface QuizResult {
  passed: boolean
  right: number | null
  attemptsLeft: number
  nextAttemptAt: string | null
}

const part = encodeURIComponent

export const quizQuery = (questId: string, credentialId: string) =>
  queryOptions({
    queryKey: ['quests', questId, 'quiz', credentialId],
    queryFn: () => send<Quiz>('GET', `${pathOf(questId)}/quizzes/${part(credentialId)}`),
  })

export interface QuizAnswers {
  version: string
  answers: string[][]
  address?: string | undefined
}

/** Sends the answers to a quiz. Reads the condition and its attempts again. */
export async function answerQuiz(questId: string, credentialId: string, answers: QuizAnswers): Promise<QuizResult> {
  try {
    const path = `${pathOf(questId)}/quizzes/${part(credentialId)}/attempts`
    return await change<QuizResult>('POST', path, answers)
  } finally {
    await queryClient.invalidateQueries({ queryKey: ['quests'] })
  }
}

/** A link that records the visit of this account. */
export const linkToVisit = (questId: string, credentialId: string, address?: string) =>
  change<{ url: string; expiresAt: string }>(
    'POST',
    `${pathOf(questId)}/visits/${part(credentialId)}`,
    address === undefined ? {} : { address },
  )

export const readAgain = (questId: string) => queryClient.invalidateQueries({ queryKey: ['quests', questId] })

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
