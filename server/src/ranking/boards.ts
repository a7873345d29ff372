import type { Kysely } from 'kysely'
import { type Clock, SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { recordVersionTimes } from './boards.queries.ts'

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

/** Records the times of new versions. Call it near the end of the transaction that creates the versions. */
export async function recordVersions(trx: Kysely<DB>, spaceIds: readonly number[], clock: Clock): Promise<void> {
  const { now, since } = versionTime(clock)
  await recordVersionTimes(trx, spaceIds, now, since)
}
