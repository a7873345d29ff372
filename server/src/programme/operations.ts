import { z } from 'zod'
import type { RouteDescription } from '../api/route-description.ts'
import { invalidField } from '../errors.ts'

const tag = 'Operators'
const list = z.array(z.unknown()).optional()
const value = z.unknown()

/** The validation of files names the invalid fields. */
const programme = z.strictObject({ spaces: list, credentials: list, starboards: list })

function readDiff({ diff }: Record<string, unknown>): boolean {
  if (diff !== undefined && diff !== 'true' && diff !== 'false') throw invalidField('diff', 'must be true or false')
  return diff === 'true'
}

export const programmeOperations = {
  apply: {
    method: 'POST',
    path: '/api/operator/programme',
    who: 'operator',
    summary: 'Create and change the content that a file describes',
    description:
      'All or nothing. The body is a file of `questboard apply` as JSON (docs/guides/programme-in-git.md); `{"env": …}` is refused.',
    tag,
    query: { diff: { description: 'only compare, and store nothing', shape: z.boolean() } },
    readQuery: readDiff,
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
            action: z.enum(['created', 'changed']),
            fields: z.array(z.strictObject({ field: z.string(), before: value, after: value })),
          }),
        ),
      }),
    },
    errors: { 400: 'A field is invalid: `field` has its path, and `problems` lists all.' },
  },
} as const satisfies Record<string, RouteDescription>
