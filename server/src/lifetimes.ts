import { DAY, MINUTE, SECOND } from './clock.ts'

/** How long things live, in milliseconds. Each line names what asks for the figure. */

/** A cursor answers for this long after its first page (the contract asks for at least 15 minutes). */
export const CURSOR_LIFETIME = 30 * MINUTE

/** What no cursor can reach any more is swept after this; longer than CURSOR_LIFETIME by the slack of clocks and long requests. */
export const DEAD_ROW_LIFETIME = CURSOR_LIFETIME + 10 * MINUTE

/** A quota lease that nobody uses goes back after this, so that another instance can hand it out. */
export const QUOTA_LEASE_IDLE = SECOND

/** Usage figures are kept in memory this long before they are written. */
export const USAGE_FLUSH_INTERVAL = SECOND

/** Rows of quota windows are kept for this long after their window. */
export const QUOTA_WINDOW_RETENTION = 2 * DAY

/** On SIGTERM, running requests get this long to finish. */
export const DRAIN_TIMEOUT = 10 * SECOND
