/** The events to which an endpoint can subscribe, with descriptions. docs/webhooks.md shows an example of each. */
export const eventTypes = {
  'points.awarded': 'points were awarded, at least the minimum of the webhook',
  'rank.entered': 'members entered the first places of a board',
  'rank.left': 'members left the first places of a board',
  'quest.status_changed': 'a quest of a space changed its status',
  'quest.completed': 'members completed a quest of a space',
  'credential.synced': 'the holders of a credential were imported from their source',
  'credential.sync_failed': 'the import of holders from a source failed or is held; the old list remains',
} as const

export type EventType = keyof typeof eventTypes

export const EVENT_TYPES = Object.keys(eventTypes) as EventType[]

/** Sent on request of the owner, regardless of the event types of the endpoint. */
export const TEST_EVENT = 'webhook.test'

/** The boards of a space that emit rank events for an endpoint. */
export const BOARDS = ['all', 'overall', 'sprints'] as const

/** The highest `top` of an endpoint. */
export const MAX_TOP = 1_000

/** Members per message, so that a message stays below 20 kB, as Standard Webhooks recommends. */
export const MEMBERS_PER_MESSAGE = 100

/** The type of `data` by event type. */
export interface EventData {
  'points.awarded': {
    spaceId: number
    /** The version of the boards of the space that has the points. It grows with every change. */
    version: number
    /**
     * `award`: the awarded points; `availability`: the points of an earlier award that became available; `import`: the
     * increase of the overall total by an import; `reversal` and `expiry`: the negative points of a reversed or expired award.
     */
    cause: AwardCause
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
    /** Null if the quest is new. */
    from: string | null
    to: string
    reason: string
    /** The time at which the transition was due. */
    changedAt: string
  }
  'quest.completed': {
    spaceId: number
    questId: string
    name: string
    /** Members in the order of their claims. */
    completions: CompletedQuest[]
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
    /** `failed`: the run is retried. `held`: an operator must confirm the number of holders that would be removed. */
    state: 'failed' | 'held'
    /** Only for accounts that own or manage the credential (owners.queries.ts); null for others. */
    reason: string | null
  }
  'webhook.test': { webhookId: string; text: string }
}

export type AwardCause = 'award' | 'availability' | 'import' | 'reversal' | 'expiry'

export interface AwardedPoints {
  address: string
  username: string
  sprintId: number | null
  points: number
  /** The points on the overall board after the transaction. */
  total: number
}

export interface CompletedQuest {
  address: string
  /** The points awarded with the claim. */
  points: number
  sprintId: number | null
  claimedAt: string
}

/** Either a board of a space (`sprintId` is null for the overall board) or a starboard. */
export type TopBoard = { top: number; version: number } & (
  { spaceId: number; sprintId: number | null } | { starboardId: string }
)

export interface EnteredMember {
  /** Set on boards of spaces; members of starboards have `handle`. */
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
