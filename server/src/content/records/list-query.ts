import { z } from 'zod'
import { readCount, readTextParameter } from '../../api/read-body.ts'
import { invalidField } from '../../errors.ts'
import { wrongFormat } from '../../texts/faults.ts'

const MAX_PAGE = 200
const PAGE = 50
const MAX_TEXT = 200

export const listParameters = {
  first: { description: `page size, 1 to ${MAX_PAGE}; default: ${PAGE}`, shape: z.int().min(1).max(MAX_PAGE) },
  after: { description: 'the `next` of the previous page', shape: z.string() },
  search: { description: 'a part of the name, or the whole id, ignoring case', shape: z.string() },
}

export const spaceParameter = {
  spaceId: { description: 'only objects of this space', shape: z.int().min(1) },
}

export interface ListQuery {
  first: number
  after: string
  search: string
}

/** @throws ApiError that names the parameter */
export function readListQuery({ first, after, search }: Record<string, unknown>): ListQuery {
  return {
    first: readCount('first', first, MAX_PAGE, PAGE),
    after: readTextParameter('after', after, 0, MAX_TEXT),
    search: readTextParameter('search', search, 0, MAX_TEXT).trim(),
  }
}

export function readSpaceParameter({ spaceId }: Record<string, unknown>): number | undefined {
  if (spaceId === undefined) return undefined
  if (typeof spaceId !== 'string' || !/^[1-9]\d{0,9}$/.test(spaceId) || Number(spaceId) > 2_147_483_647)
    throw invalidField('spaceId', 'must be the id of a space', wrongFormat('space_id'))
  return Number(spaceId)
}
