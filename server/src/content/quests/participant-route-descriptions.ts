import { z } from 'zod'
import type { RouteDescription } from '../../api/route-description.ts'
import { contentKinds } from '../records/content-kinds.ts'
import { listParameters, readListQuery } from '../records/list-query.ts'
import { requireId } from '../records/store.ts'
import { editableQuest } from './quest-rights.ts'

const { quest } = contentKinds
const tag = 'Content'
const params = { id: { description: 'of the quest', read: (text: string) => requireId(quest, text) } }

export const participantDescriptions = {
  list: {
    method: 'GET',
    path: '/api/quests/:id/participants',
    who: 'account',
    summary: 'List the participants of a quest',
    description: 'For editors: the members who completed the quest, and imported participants.',
    tag,
    params,
    resource: editableQuest,
    missingRight: 'the account may not edit the quest',
    query: {
      first: listParameters.first,
      after: listParameters.after,
      search: {
        description:
          'the beginning of an address or of a name on leaderboards, ignoring case except in Base58, or a short ID',
        shape: z.string(),
      },
    },
    readQuery: readListQuery,
    answer: {
      description: 'In the order of the addresses.',
      shape: z.strictObject({
        items: z.array(
          z.strictObject({
            address: z.string(),
            name: z.string().describe('The name on leaderboards'),
            completedAt: z.string(),
            points: z.int().nullable().describe('Null for an imported participant'),
          }),
        ),
        next: z.string().nullable().describe('The `after` of the next page'),
        complete: z
          .boolean()
          .describe(
            'False if the response can lack matches: the search matches more than 1,000 names of members, or is a short ID and the quest has more than 100,000 participants',
          ),
      }),
    },
  },
  download: {
    method: 'GET',
    path: '/api/quests/:id/participants/download',
    head: false,
    who: 'account',
    summary: 'Download the participants of a quest',
    description: 'For editors.',
    tag,
    params,
    resource: editableQuest,
    missingRight: 'the account may not edit the quest',
    answer: {
      description: 'CSV with the columns address, name, completedAt and points, in the order of the addresses.',
      content: { 'text/csv': { schema: { type: 'string' } } },
    },
  },
} as const satisfies Record<string, RouteDescription>
