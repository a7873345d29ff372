import type { KindName } from '../ingest/kinds.ts'

/** The objects that operators can list, show, export and delete. */
export const objectNames = ['space', 'sprint', 'starboard', 'credential', 'quest'] as const
export type ObjectName = (typeof objectNames)[number]

/** The id of an object as text and as key columns. The id of a sprint contains its space: `40-1`. */
export interface ObjectId {
  text: string
  spaceId?: number
  sprintId?: number
}

interface ObjectKind {
  plural: string
  id: RegExp
  allowedId: string
  /** The record kinds of an export; the first is the default. */
  exports: readonly KindName[]
  /** The data that a deletion also removes, as text for help and documentation. */
  removes: string
}

const MAX_INT = 2_147_483_647
const WHOLE = 'a whole number from 1 to 2147483647'

export const objectKinds: Record<ObjectName, ObjectKind> = {
  space: {
    plural: 'spaces',
    id: /^[1-9][0-9]{0,9}$/,
    allowedId: WHOLE,
    exports: ['spaces', 'sprints', 'points', 'quests'],
    removes:
      'its sprints, boards, points, award keys and webhook subscriptions, and its quests with their participants; its credentials remain, and no longer belong to a space',
  },
  sprint: {
    plural: 'sprints',
    id: /^[1-9][0-9]{0,9}-[1-9][0-9]{0,9}$/,
    allowedId: 'the ids of space and sprint, such as 40-1',
    exports: ['sprints', 'points'],
    removes: 'its board and the points on it; the overall board of the space and the award keys remain',
  },
  starboard: {
    plural: 'starboards',
    id: /^[\w-]{1,100}$/,
    allowedId: '1 to 100 letters, digits, "_" or "-"',
    exports: ['starboards', 'users', 'samples', 'links'],
    removes: 'its users, links, samples and rankings, and webhook subscriptions to it',
  },
  credential: {
    plural: 'credentials',
    id: /^[0-9]{1,19}$/,
    allowedId: 'a whole number of at most 19 digits',
    exports: ['credentials', 'holders'],
    removes: 'its holders, its source, and webhook subscriptions to it; refused while a quest requires it',
  },
  quest: {
    plural: 'quests',
    id: /^[\w-]{1,100}$/,
    allowedId: '1 to 100 letters, digits, "_" or "-"',
    exports: ['quests', 'participants'],
    removes: 'its groups, conditions, rewards, participants, claims and status changes; awarded points remain',
  },
}

/** Parses an id. Returns undefined if the format is wrong. */
export function readObjectId(name: ObjectName, text: string): ObjectId | undefined {
  if (!objectKinds[name].id.test(text)) return undefined
  const numbers = text.split('-').map(Number)
  if ((name === 'space' || name === 'sprint') && numbers.some((number) => number > MAX_INT)) return undefined
  if (name === 'credential' && BigInt(text) > 9_223_372_036_854_775_807n) return undefined
  if (name === 'space') return { text, spaceId: Number(text) }
  if (name === 'sprint') return { text, spaceId: numbers[0] as number, sprintId: numbers[1] as number }
  return { text }
}
