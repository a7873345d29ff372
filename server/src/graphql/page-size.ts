import { invalidPagination } from '../errors.ts'

/** The number of elements of a page: the default and the maximum. */
export interface PageSize {
  standard: number
  max: number
}

export const BOARD_PAGE: PageSize = { standard: 50, max: 1_000 }
export const QUEST_PAGE: PageSize = { standard: 20, max: 100 }
/** If a space has more sprints, the newest are returned. */
export const MAX_SPRINTS = 1_000

/** @throws INVALID_PAGINATION */
export function pageSize({ standard, max }: PageSize, first: number | null | undefined): number {
  if (first === null || first === undefined) return standard
  if (first < 1) throw invalidPagination('first must be at least 1')
  return Math.min(first, max)
}
