/** What an endpoint can ask to hear of, with a line for people. docs/webhooks.md shows an example of each. */
export const eventTypes = {
  'points.awarded': 'points were awarded, at or above the threshold of the endpoint',
  'rank.entered': 'members came into the first places of a board',
  'rank.left': 'members went out of the first places of a board',
  'quest.status_changed': 'a quest of a space changed its status',
  'credential.synced': 'the holders of a credential were brought in from their source',
  'credential.sync_failed': 'the holders of a credential could not be brought in; the last good list stays',
} as const

export type EventType = keyof typeof eventTypes

export const EVENT_TYPES = Object.keys(eventTypes) as EventType[]

/** Sent when the owner asks for it, whatever the endpoint listens to. */
export const TEST_EVENT = 'webhook.test'

/** Which boards of its spaces an endpoint's rank events are about. */
export const BOARDS = ['all', 'overall', 'sprints'] as const

/** Places that can be watched, at most. */
export const MOST_TOP = 1_000

/** Members in one message, at most: a message stays below 20 kB, as Standard Webhooks advises. */
export const MEMBERS_A_MESSAGE = 100

/** What `data` holds, by type. */
export interface EventData {
  'points.awarded': {
    spaceId: number
    /** The space's board version that holds the points; grows with every change. */
    version: number
    /** `award`: as they were awarded; `import`: by how much an import raised the overall total. */
    cause: 'award' | 'import'
    awards: AwardedPoints[]
    /** Members beyond those that one transaction reports; only an import has this many. */
    omitted: number
  }
  'rank.entered': TopBoard & { members: EnteredMember[] }
  'rank.left': TopBoard & { members: LeftMember[] }
  'quest.status_changed': {
    spaceId: number
    questId: string
    name: string
    /** null: the quest is new. */
    from: string | null
    to: string
    reason: string
    /** When it fell due. */
    changedAt: string
  }
  'credential.synced': {
    credentialId: string
    name: string
    itemCount: number
    added: number
    removed: number
  }
  'credential.sync_failed': {
    credentialId: string
    name: string
    /** `failed`: it will be tried again. `held`: an operator has to confirm how many holders would go. */
    state: 'failed' | 'held'
    /** Only for the account that owns the credential or the space of its curator; else null. */
    reason: string | null
  }
  'webhook.test': { webhookId: string; text: string }
}

export interface AwardedPoints {
  address: string
  username: string
  sprintId: number | null
  points: number
  /** On the overall board, after the transaction. */
  total: number
}

/** Either a board of a space (sprint null: overall) or a starboard. */
export type TopBoard = { top: number; version: number } & (
  { spaceId: number; sprintId: number | null } | { starboardId: string }
)

export interface EnteredMember {
  /** On boards of spaces; on starboards it is `handle`. */
  address?: string
  handle?: string
  username: string
  rank: number
  points?: number
  score?: string
}

export interface LeftMember {
  address?: string
  handle?: string
  username: string
  previousRank: number
  points?: number
  score?: string | null
}

/** The body of a delivery: `type`, `timestamp`, `data` (Standard Webhooks). */
export function payloadOf<Type extends keyof EventData>(type: Type, at: Date, data: EventData[Type]): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data })
}
