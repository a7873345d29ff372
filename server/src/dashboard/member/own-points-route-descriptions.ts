import { z } from 'zod'
import { readCount } from '../../api/read-body.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import { unknownPage } from '../../errors.ts'
import { LEDGER_END, entryShape, type EntryPosition, readEntryId } from '../../ledger/entry.ts'
import { readSpaceId } from '../explore/explore-route-descriptions.ts'

const PAGE_SIZE = 20
const MAX_PAGE_SIZE = 100

const tag = 'Quests'

/** The fields of an entry that its member reads. Keys and actors are for those who manage the space. */
const ownEntryShape = entryShape.omit({ key: true, actor: true })
export const ownEntryFields = Object.keys(ownEntryShape.shape) as (keyof z.infer<typeof ownEntryShape>)[]

function readPosition(value: unknown): EntryPosition {
  if (value === undefined) return LEDGER_END
  const place = typeof value === 'string' ? readEntryId(value) : undefined
  if (!place) throw unknownPage('after')
  return place
}

/** Points of the signed-in account. */
export const ownPointsDescriptions = {
  spaces: {
    method: 'GET',
    path: '/api/my/points',
    who: 'account',
    summary: 'List the points of the linked addresses',
    tag,
    answer: {
      description: 'One item per space and address on its overall board, by the name of the space.',
      shape: z.strictObject({
        list: z.array(
          z.strictObject({
            space: z.strictObject({ id: z.string(), name: z.string() }),
            address: z.string(),
            points: z.int(),
          }),
        ),
        complete: z.boolean().describe('false: the account has points in more spaces'),
      }),
    },
    errors: { 429: 'Too many requests; `Retry-After` says when to retry.' },
  },
  history: {
    method: 'GET',
    path: '/api/my/points/:id',
    who: 'account',
    summary: 'List the changes of points of the linked addresses in a space',
    tag,
    params: { id: { description: 'of the space', read: readSpaceId } },
    query: {
      first: { description: `page size; default ${PAGE_SIZE}`, shape: z.int().min(1).max(MAX_PAGE_SIZE) },
      after: { description: 'the `next` of the previous page', shape: z.string() },
    },
    readQuery: ({ first, after }) => ({
      first: readCount('first', first, MAX_PAGE_SIZE, PAGE_SIZE),
      after: readPosition(after),
    }),
    answer: {
      description: 'Newest first.',
      shape: z.strictObject({
        list: z.array(ownEntryShape),
        next: z.string().nullable().describe('The `after` of the next page'),
      }),
    },
    errors: {
      404: 'The space does not exist.',
      429: 'Too many requests; `Retry-After` says when to retry.',
    },
  },
} as const satisfies Record<string, RouteDescription>
