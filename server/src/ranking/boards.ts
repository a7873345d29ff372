import type { Kysely } from 'kysely'
import { type Clock, SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { recordCurrentVersions, recordVersionTimes, versionsWithoutTime } from './boards.queries.ts'

/** Points are 32-bit integers. */
export const MIN_POINTS = -2_147_483_648
export const MAX_POINTS = 2_147_483_647

/** For each space, at most one version time is recorded in this interval. */
const VERSION_TIME_INTERVAL = 5 * SECOND

/** Points, positive or negative, for a member on the overall board and, if `sprintId` is set, on the sprint's board. */
export interface Award {
  spaceId: number
  sprintId?: number | undefined
  /** In canonical form (addresses.ts). */
  address: string
  points: number
}

/**
 * Returns the time of a new version as `now`. If a version of the space was recorded after `since`, the new version is
 * not recorded.
 */
export function versionTime(clock: Clock): { now: Date; since: Date } {
  const now = clock.now()
  return { now: new Date(now), since: new Date(now - VERSION_TIME_INTERVAL) }
}

/**
 * Records the times of the current versions of locked spaces. Call it once, near the end of the transaction that creates
 * the versions: readers see only the last version of a transaction, and see it after the commit.
 */
export async function recordVersions(trx: Kysely<DB>, spaceIds: readonly number[], clock: Clock): Promise<void> {
  if (spaceIds.length === 0) return
  const { now, since } = versionTime(clock)
  await recordVersionTimes(trx, spaceIds, now, since)
}

/** Records the current versions of all spaces whose time no transaction recorded. */
export async function recordOtherVersions(kysely: Kysely<DB>, clock: Clock): Promise<void> {
  const current = await versionsWithoutTime(kysely)
  // The time is read between the versions and the check that they are still current, so they were current at that time.
  if (current.length > 0) await recordCurrentVersions(kysely, current, new Date(clock.now()))
}
