import { z } from 'zod'
import type { RouteDescription } from '../api/route-description.ts'
import { invalidField } from '../errors.ts'

const tag = 'Operators'
const list = z.array(z.unknown()).optional()
const value = z.unknown()

/** The validation of files names the invalid fields. */
const programme = z.strictObject({ spaces: list, credentials: list, starboards: list })

function readFlag(name: string, value: unknown): boolean {
  if (value !== undefined && value !== 'true' && value !== 'false') throw invalidField(name, 'must be true or false')
  return value === 'true'
}

const readOptions = ({ diff, prune }: Record<string, unknown>) => ({
  diff: readFlag('diff', diff),
  prune: readFlag('prune', prune),
})

export const programmeOperations = {
  apply: {
    method: 'POST',
    path: '/api/operator/programme',
    who: 'operator',
    summary: 'Create and change the content that a file describes',
    description:
      'All or nothing. The body is a file of `questboard apply` as JSON (docs/guides/programme-in-git.md); `{"env": …}` is refused.',
    tag,
    query: {
      diff: { description: 'only compare, and store nothing', shape: z.boolean() },
      prune: {
        description:
          'also remove sprints, quests and credentials of the described spaces that are not in their lists; needs a recent sign-in',
        shape: z.boolean(),
      },
    },
    readQuery: readOptions,
    body: programme,
    answer: {
      description: 'The differences.',
      shape: z.strictObject({
        stored: z.boolean(),
        unchanged: z.int(),
        objects: z.array(
          z.strictObject({
            kind: z.string(),
            id: z.string(),
            name: z.string(),
            action: z.enum(['created', 'changed', 'removed']),
            fields: z.array(z.strictObject({ field: z.string(), before: value, after: value })),
          }),
        ),
      }),
    },
    errors: { 400: 'A field is invalid: `field` has its path, and `problems` lists all.' },
  },
} as const satisfies Record<string, RouteDescription>
