import type { IngestScope } from '../access/ingest-tokens.queries.ts'
import type { Database } from '../database/connection.ts'
import type { Kind } from '../ingest/kind.ts'
import { bigId } from '../ingest/fields.ts'
import { kinds } from '../ingest/kinds.ts'
import { formerHolders, holders } from '../ingest/kinds/holders.ts'
import { readCredentialTypes } from '../ingest/kinds/holders.queries.ts'
import { pointsWithin } from '../ingest/kinds/points.ts'
import type { Item } from './read-items.ts'
import type { IngestTag } from './route.ts'
import {
  credentialItself,
  credentialOfHolder,
  ownSpace,
  type ScopeRule,
  spaceOfParticipants,
  spaceOfQuest,
  starboardItself,
  starboardOfLine,
} from './scope-rules.queries.ts'

export interface BatchKind {
  /** The path under /ingest/v1. */
  path: string
  tag: IngestTag
  summary: string
  description: string
  kind: Kind
  /** Builds the kind if it depends on stored rows. */
  prepare?: (database: Database, items: readonly Item[]) => Promise<Kind>
  /** Builds the kind if it depends on the scope of the token. */
  within?: (scope: IngestScope) => Kind
  scope: ScopeRule
  /** An item that is valid after the examples of the preceding kinds. */
  example: object
}

const upsert = (what: string) =>
  `Updates a ${what} that exists: an absent field keeps its value, \`null\` sets the default. If nothing changes, the result is \`unchanged\`.`

/** A kind may refer to those before it. */
export const batchKinds: readonly BatchKind[] = [
  {
    path: 'spaces',
    tag: 'spaces',
    summary: 'Create or change spaces',
    description: upsert('space'),
    kind: kinds.spaces,
    scope: ownSpace,
    example: { spaceId: 900, name: 'Garden', description: 'Plants and people' },
  },
  {
    path: 'sprints',
    tag: 'spaces',
    summary: 'Create or change sprints of spaces',
    description: upsert('sprint'),
    kind: kinds.sprints,
    scope: ownSpace,
    example: { spaceId: 900, sprintId: 1, name: 'Spring', startTime: '2026-03-01T00:00:00Z' },
  },
  {
    path: 'points',
    tag: 'spaces',
    summary: 'Set total points of members',
    description:
      'Sets the total of a member on the overall board, or on the board of `sprintId`; to add points, send awards. `username` and `avatar` are shown on all boards of the member. If the token is limited to some spaces, they apply only to members without a name and without an entry in other spaces.',
    kind: kinds.points,
    within: ({ spaceIds }) => (spaceIds === null ? kinds.points : pointsWithin(spaceIds)),
    scope: ownSpace,
    example: { spaceId: 900, address: '0x52908400098527886e0f7030069857d2e4169ee7', points: 120, username: 'rose' },
  },
  {
    path: 'starboards',
    tag: 'starboards',
    summary: 'Create or change starboards',
    description: upsert('starboard'),
    kind: kinds.starboards,
    scope: starboardItself,
    example: { id: 'gardeners', name: 'Gardeners', type: 'TWITTER', tags: ['plants'] },
  },
  {
    path: 'users',
    tag: 'starboards',
    summary: 'Create or change the users of starboards',
    description: upsert('user'),
    kind: kinds.users,
    scope: starboardOfLine,
    example: { starboardId: 'gardeners', username: 'rose_garden', followersCount: 1200, verifiedType: 'blue' },
  },
  {
    path: 'samples',
    tag: 'starboards',
    summary: 'Add score samples',
    description:
      'The key of a sample is its starboard, user and time. The ranking is updated within a few seconds. A new user belongs to the starboard from then on.',
    kind: kinds.samples,
    scope: starboardOfLine,
    example: { starboardId: 'gardeners', handle: 'rose_garden', sampledAt: '2026-11-21T12:00:00Z', score: 71.5 },
  },
  {
    path: 'links',
    tag: 'starboards',
    summary: 'Link EVM addresses with handles',
    description:
      'An address that is linked to another user of the starboard moves. The first link is the main address.',
    kind: kinds.links,
    scope: starboardOfLine,
    example: {
      starboardId: 'gardeners',
      evmAddress: '0x52908400098527886e0f7030069857d2e4169ee7',
      handle: 'rose_garden',
    },
  },
  {
    path: 'credentials',
    tag: 'credentials',
    summary: 'Create or change credentials',
    description: upsert('credential'),
    kind: kinds.credentials,
    scope: credentialItself,
    example: { id: '9000000001', name: 'Garden pass', credType: 'EVM_ADDRESS', credSource: 'CSV', curatorSpaceId: 900 },
  },
  {
    path: 'holders',
    tag: 'credentials',
    summary: 'Add holders to credentials',
    description: 'Existing holders are `unchanged`.',
    kind: holders(new Map()),
    prepare: async (database, items) => holders(await typesOf(database, items)),
    scope: credentialOfHolder,
    example: { credentialId: '9000000001', address: '0x52908400098527886e0f7030069857d2e4169ee7' },
  },
  {
    path: 'holders/remove',
    tag: 'credentials',
    summary: 'Remove holders from credentials',
    description: 'Addresses that are not holders are `unchanged`.',
    kind: formerHolders(new Map()),
    prepare: async (database, items) => formerHolders(await typesOf(database, items)),
    scope: credentialOfHolder,
    example: { credentialId: '9000000001', address: '0x52908400098527886e0f7030069857d2e4169ee7' },
  },
  {
    path: 'quests',
    tag: 'quests',
    summary: 'Create or change quests, with their credential groups',
    description: `${upsert('quest')} If \`credentialGroups\` is present, it replaces all groups.`,
    kind: kinds.quests,
    scope: spaceOfQuest,
    example: {
      id: 'GCgarden01',
      spaceId: 900,
      name: 'Plant a tree',
      type: 'Points',
      loyaltyPoints: 50,
      cap: 100,
      credentialGroups: [
        {
          name: 'Gardeners',
          conditionRelation: 'ALL',
          conditions: [{ expression: 'Hold the garden pass', credentialId: '9000000001' }],
          rewards: [{ expression: '50 points', rewardType: 'LOYALTYPOINTS', rewardCount: 50 }],
        },
      ],
    },
  },
  {
    path: 'participants',
    tag: 'quests',
    summary: 'Add participants to quests',
    description: 'Existing participants are `unchanged`. Participants beyond the cap of a quest are rejected.',
    kind: kinds.participants,
    scope: spaceOfParticipants,
    example: { questId: 'GCgarden01', address: '0x52908400098527886e0f7030069857d2e4169ee7' },
  },
]

/** The types of the credentials named in the items. */
async function typesOf(database: Database, items: readonly Item[]): Promise<Map<string, string>> {
  const id = bigId('')
  const named = items.map((item) =>
    'value' in item ? (item.value as { credentialId?: unknown } | null)?.credentialId : '',
  )
  const ids = new Set(named.map((value) => id.read(value)).filter((value) => value !== undefined))
  return readCredentialTypes(database.kysely, [...ids])
}
