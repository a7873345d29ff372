/** Automatic status changes by time and cap (docs/ranking.md). */

export type QuestStatus = 'Draft' | 'Active' | 'NotStarted' | 'Expired' | 'CapReached' | 'Deleted'

export type TransitionReason = 'start' | 'end' | 'cap' | 'published'

/** The inputs of a status. Times in milliseconds since 1970, null if unset; `cap` 0 means unlimited. */
export interface QuestState {
  status: QuestStatus
  /** If false, the status never changes automatically. */
  autoStatus: boolean
  startTime: number | null
  endTime: number | null
  cap: number
  participantsCount: number
}

/** The columns of `quests` that decide the status. */
export interface QuestStateRow {
  status: QuestStatus
  auto_status: boolean
  start_time: Date | null
  end_time: Date | null
  cap: number
  participants_count: number
}

export const stateOfQuest = (row: QuestStateRow): QuestState => ({
  status: row.status,
  autoStatus: row.auto_status,
  startTime: row.start_time?.getTime() ?? null,
  endTime: row.end_time?.getTime() ?? null,
  cap: row.cap,
  participantsCount: row.participants_count,
})

export interface QuestTransition {
  from: QuestStatus
  to: QuestStatus
  reason: TransitionReason
  /** The time at which it was due: the start or end time, or `now` for a cap and for publishing. */
  at: number
}

export function nextStatus(quest: QuestState, now: number): QuestTransition | undefined {
  if (!quest.autoStatus) return undefined
  const { status: from, startTime, endTime } = quest
  const ended = endTime !== null && endTime <= now
  switch (from) {
    case 'Draft':
      return { from, to: startTime !== null && startTime > now ? 'NotStarted' : 'Active', reason: 'published', at: now }
    case 'NotStarted':
      if (startTime !== null && startTime > now) return undefined
      return { from, to: 'Active', reason: 'start', at: startTime ?? now }
    case 'Active':
      if (ended) return { from, to: 'Expired', reason: 'end', at: endTime }
      if (isFull(quest)) return { from, to: 'CapReached', reason: 'cap', at: now }
      return undefined
    case 'CapReached':
      return ended ? { from, to: 'Expired', reason: 'end', at: endTime } : undefined
    case 'Expired':
    case 'Deleted':
      return undefined
  }
}

/**
 * All transitions that are due, in order.
 * @param enteredAt the time at which the quest entered its current status, if known. Later transitions get no earlier time.
 */
export function dueTransitions(quest: QuestState, now: number, enteredAt = -Infinity): QuestTransition[] {
  const steps: QuestTransition[] = []
  let state = quest
  for (let next = nextStatus(state, now); next; next = nextStatus(state, now)) {
    steps.push({ ...next, at: Math.max(next.at, steps.at(-1)?.at ?? enteredAt) })
    state = { ...state, status: next.to }
  }
  return steps
}

/** The current status, including transitions that are not applied yet. */
export function statusAt(quest: QuestState, now: number): QuestStatus {
  return dueTransitions(quest, now).at(-1)?.to ?? quest.status
}

/** The time of the next check: 0 for at once, null if no time changes the status. */
export function nextTransitionAt(quest: QuestState): number | null {
  if (!quest.autoStatus) return null
  switch (quest.status) {
    case 'Draft':
      return 0
    case 'NotStarted':
      return quest.startTime ?? 0
    case 'Active':
      return isFull(quest) ? 0 : quest.endTime
    case 'CapReached':
      return quest.endTime
    case 'Expired':
    case 'Deleted':
      return null
  }
}

function isFull(quest: QuestState): boolean {
  return quest.cap > 0 && quest.participantsCount >= quest.cap
}
