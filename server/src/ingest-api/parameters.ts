import { z } from 'zod'
import type { QueryParameter } from './route.ts'

const MAX_PAGE = 1_000

export const firstParameter = {
  description: `The page size, 1 to ${MAX_PAGE}; default: 100.`,
  shape: z.int().min(1).max(MAX_PAGE),
  example: 100,
  read: (text) => (/^[1-9][0-9]{0,3}$/.test(text) && Number(text) <= MAX_PAGE ? Number(text) : undefined),
  allowed: `a whole number from 1 to ${MAX_PAGE}`,
  byDefault: 100,
} satisfies QueryParameter<number>

/** @param read returns undefined for a text that cannot be the `next` of a page */
export const afterParameter = <T>(read: (text: string) => T | undefined) => ({
  description: 'The `next` of the previous page.',
  read,
  allowed: 'the value of `next` from a response',
})

/** The parameter of a deletion, which has the id in its path as `id`. @param what the rest of "confirm must be …" */
export const confirmParameter = (what: string, example: string) =>
  ({
    description: 'The id again, as a confirmation.',
    required: true,
    example,
    read: (text, { id }) => (text === id ? text : undefined),
    allowed: what,
  }) as const satisfies QueryParameter<string>

/** The response with a page of a list. */
export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next: z.string().nullable() })
