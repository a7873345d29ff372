import { z } from 'zod'
import type { RouteDescription } from '../api/route-description.ts'
import { invalidField } from '../errors.ts'
import { objectKinds, type ObjectName, readObjectId } from '../objects/object-kinds.ts'
import type { Wanted } from './describe.ts'
import { fault, wrongFormat } from '../texts/faults.ts'

const tag = 'Operators'
const list = z.array(z.unknown()).optional()
const value = z.unknown()

/** The validation of files names the invalid fields. */
const programme = z.strictObject({
  spaces: list,
  credentials: list,
  starboards: list,
  removals: z
    .array(z.string())
    .optional()
    .describe('With `prune`: all objects that it may remove, each as kind and id, such as `quest GCold`'),
})

function readFlag(name: string, value: unknown): boolean {
  if (value !== undefined && value !== 'true' && value !== 'false')
    throw invalidField(name, 'must be true or false', fault('not_one_of', { allowed: ['true', 'false'] }))
  return value === 'true'
}

const readOptions = ({ diff, prune }: Record<string, unknown>) => ({
  diff: readFlag('diff', diff),
  prune: readFlag('prune', prune),
})

const MAX_EXPORTED = 50

function readWanted({ spaces, starboards }: Record<string, unknown>): Wanted {
  const spaceIds = readIds('space', spaces).map(Number)
  const starboardIds = readIds('starboard', starboards)
  const count = spaceIds.length + starboardIds.length
  if (count === 0) throw invalidField('spaces', 'or starboards must name the objects of the file', fault('missing'))
  if (count > MAX_EXPORTED)
    throw invalidField(
      'spaces',
      `and starboards can name at most ${MAX_EXPORTED} objects`,
      fault('too_many', { max: MAX_EXPORTED }),
    )
  return { spaceIds, starboardIds }
}

function readIds(name: ObjectName, value: unknown): string[] {
  const { plural, allowedId } = objectKinds[name]
  const ids = value === undefined ? [] : typeof value === 'string' ? value.split(',') : ['']
  if (!ids.every((id) => readObjectId(name, id)))
    throw invalidField(
      plural,
      `must be IDs separated by commas, each ${allowedId}`,
      wrongFormat(name === 'space' ? 'space_id' : 'object_id'),
    )
  return [...new Set(ids)]
}

export const programmeDescriptions = {
  export: {
    method: 'GET',
    path: '/api/operator/programme',
    who: 'operator',
    summary: 'Describe spaces and starboards as a file for apply',
    description: 'Like `questboard export --json`. Values of sources that may be secrets are not in the file.',
    tag,
    query: {
      spaces: { description: 'IDs of spaces, separated by commas', shape: z.string() },
      starboards: { description: 'IDs of starboards, separated by commas', shape: z.string() },
    },
    readQuery: readWanted,
    answer: {
      description: 'The file as JSON.',
      shape: z.strictObject({ spaces: list, credentials: list, starboards: list }),
    },
    errors: { 404: 'A space or starboard does not exist.' },
  },
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
          'for each space in the body, also remove its sprints, quests and credentials that its list omits; a kind without a list is kept. Without `diff`, it needs a recent sign-in, and `removals` of the body must name them',
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
            contents: z
              .record(z.string(), z.int())
              .optional()
              .describe('Only of a removed object: the numbers of rows that are removed with it'),
          }),
        ),
      }),
    },
    errors: {
      400: 'A field is invalid: `field` has its path, and `problems` lists all.',
      409: 'With `prune`: `removals` of the body are not the objects that would be removed, which `removals` of the error lists.',
    },
  },
} as const satisfies Record<string, RouteDescription>
