import { z } from 'zod'
import { readTextParameter } from '../api/read-body.ts'
import type { RouteDescription } from '../api/route-description.ts'
import { withinLength } from '../text/characters.ts'
import { invalidField } from '../errors.ts'
import { fault } from '../texts/faults.ts'

const MIN_LENGTH = 2
const MAX_LENGTH = 100

/** A search: at least two characters, or a number, which can be an id. */
function readSearch(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : ''
  const isLong = text.length >= MIN_LENGTH || /^\d$/.test(text)
  if (!isLong || !withinLength(text, MAX_LENGTH))
    throw invalidField(
      'q',
      `must be ${MIN_LENGTH} to ${MAX_LENGTH} characters, or an id`,
      fault('wrong_length', { min: MIN_LENGTH, max: MAX_LENGTH }),
    )
  return readTextParameter('q', text, 1, MAX_LENGTH)
}

const found = z.strictObject({
  id: z.string(),
  name: z.string(),
  editable: z.boolean().describe('Whether the account may edit the object'),
})
const named = z.array(found)

export const searchOperation = {
  method: 'GET',
  path: '/api/search',
  who: 'account',
  summary: 'Search spaces, quests, starboards, credentials and members',
  description:
    'Finds names in which each word of the search begins a word, objects with this id, and members by the beginning of their name or address. Private quests and drafts are found by the team of their space and by operators. Members are searched in spaces of the account and in the largest spaces.',
  tag: 'Explore',
  query: { q: { description: '2 to 100 characters, or an id', shape: z.string(), required: true } },
  readQuery: ({ q }) => ({ search: readSearch(q) }),
  answer: {
    description: 'At most six of each kind.',
    shape: z.strictObject({
      spaces: named,
      quests: z.array(
        found.extend({
          spaceId: z.int(),
          spaceName: z.string(),
          hidden: z
            .enum(['draft', 'private'])
            .nullable()
            .describe(
              'Why the quest has no page for this account outside of its editor: it is a draft, or it is private and the account is not in its team',
            ),
        }),
      ),
      starboards: named,
      credentials: named,
      members: z.array(
        z.strictObject({
          spaceId: z.int(),
          spaceName: z.string(),
          address: z.string(),
          username: z.string(),
          points: z.int(),
        }),
      ),
    }),
  },
  errors: { 429: 'The account has sent too many searches.' },
} satisfies RouteDescription
