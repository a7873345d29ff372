import { z } from 'zod'
import type { RouteDescription } from '../../api/route-description.ts'

export const MAX_RANKS = 50

/** Ranks of the signed-in account. */
export const ownRankDescriptions = {
  list: {
    method: 'GET',
    path: '/api/my/ranks',
    who: 'account',
    summary: 'List the ranks of the account in each space',
    description: `At most ${MAX_RANKS} boards and addresses, those with most points first.`,
    tag: 'Quests',
    answer: {
      description: 'The ranks on the overall boards.',
      shape: z.strictObject({
        list: z.array(
          z.strictObject({
            space: z.strictObject({
              id: z.string(),
              name: z.string(),
              slug: z.string().nullable().describe('Of the public page `/s/{slug}`; null if the space has none'),
            }),
            address: z.string(),
            username: z.string().describe('The name of the address on the board'),
            rank: z.int(),
            points: z.int(),
            members: z.int().describe('The number of members on the board'),
            percentile: z.number().describe('100 × (members − rank + 1) / members'),
            days: z
              .array(z.strictObject({ day: z.string(), rank: z.int(), points: z.int() }))
              .describe('Ranks at the start of each UTC day of the last 30 days, oldest first; as far as recorded'),
          }),
        ),
      }),
    },
    errors: { 429: 'Too many requests; `Retry-After` says when to retry.' },
  },
} as const satisfies Record<string, RouteDescription>
