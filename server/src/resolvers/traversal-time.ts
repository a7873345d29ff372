import { SECOND } from '../clock.ts'
import type { Context } from '../graphql/context.ts'
import { CURSOR_LIFETIME, FIRST_PAGE_LIFETIME } from '../lifetimes.ts'

/**
 * The start of the current period in seconds since 1970, which cursors contain in place of the time of their first page.
 * So equal first pages of all processes have equal cursors, and equal ETags. It decides only when a cursor expires: the
 * version in the cursor is the state that its pages show.
 */
export const traversalStart = ({ clock }: Pick<Context, 'clock'>): number =>
  (Math.floor(clock.now() / FIRST_PAGE_LIFETIME) * FIRST_PAGE_LIFETIME) / SECOND

/** The end of the period, in milliseconds: later first pages have other cursors. */
export const firstPageEnd = (startedAt: number): number => startedAt * SECOND + FIRST_PAGE_LIFETIME

/** The time in milliseconds until which cursors are valid: CURSOR_LIFETIME after the last first page of the period. */
export const traversalEnd = (startedAt: number): number => firstPageEnd(startedAt) + CURSOR_LIFETIME
