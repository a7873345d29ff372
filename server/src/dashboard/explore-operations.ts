import { z } from 'zod'
import { time } from '../api/answer-shapes.ts'
import { changing, reading } from '../api/operation.ts'

const tag = 'Explore'
const entries = z.array(z.strictObject({ id: z.string(), name: z.string() }))

export const exploreOperations = {
  query: changing({
    summary: 'Ask a GraphQL query as the account that is signed in',
    description:
      'What POST /query answers to a token of the account that may read every area, in the same words, errors and limits of the schema; counted against the limits of the plan “free”, for the account. Nothing is counted against its tokens.',
    tag,
    body: z.looseObject({ query: z.string(), variables: z.looseObject({}).optional() }),
    answer: { description: 'As of POST /query.', shape: z.looseObject({ data: z.unknown() }) },
    refusals: { 429: 'The limits of the plan are used up.' },
  }),
  list: reading({
    summary: 'The spaces, starboards and credentials of the account',
    description: '`complete` is false when the lists end early.',
    tag,
    answer: {
      description: 'In the order of ids.',
      shape: z.strictObject({ spaces: entries, starboards: entries, credentials: entries, complete: z.boolean() }),
    },
  }),
  search: reading({
    summary: 'The spaces, starboards or credentials that every account may read',
    tag,
    path: { kind: 'spaces, starboards or credentials' },
    query: {
      search: { description: 'a part of the name, in any case', shape: z.string() },
      after: { description: 'the `next` of the page before', shape: z.string() },
    },
    answer: {
      description: 'At most 50, in the order of ids.',
      shape: z.strictObject({ list: entries, next: z.string().nullable().describe('What to send as `after`') }),
    },
    refusals: { 404: 'There is no such kind.' },
  }),
  sprints: reading({
    summary: 'The sprints of a space',
    tag,
    path: { id: 'of the space' },
    answer: {
      description: 'Newest first.',
      shape: z.strictObject({
        sprints: z.array(
          z.strictObject({
            sprintId: z.int(),
            name: z.string(),
            startTime: time.nullable(),
            endTime: time.nullable(),
          }),
        ),
      }),
    },
  }),
  ranks: reading({
    summary: 'Where a member of a board stood, day by day',
    description: 'Of each UTC day how the board stood when the day began. Only the first places are written down.',
    tag,
    path: { id: 'of the space' },
    query: {
      address: { description: 'of the member, in canonical form', shape: z.string(), required: true },
      sprintId: { description: 'the board of this sprint; without it the overall board', shape: z.int() },
    },
    answer: {
      description: 'Oldest first; empty for somebody who was not among the first places.',
      shape: z.strictObject({
        days: z.array(z.strictObject({ day: z.iso.date(), rank: z.int(), points: z.int() })),
        places: z.int().describe('So many places are written down'),
      }),
    },
  }),
}
