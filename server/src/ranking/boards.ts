import type { Kysely } from 'kysely'
import { type Clock, SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { recordVersionTimes } from './boards.queries.ts'

/** Points have 32 bits (contract 2). */
export const MIN_POINTS = -2_147_483_648
export const MAX_POINTS = 2_147_483_647

/** The minimum time between recorded version times of a space. */
const VERSION_TIME_INTERVAL = 5 * SECOND

/** Points for a member (may be negative): overall, and in a sprint if one is named. */
export interface Award {
  spaceId: number
  sprintId?: number | undefined
  /** In canonical form (addresses.ts). */
  address: string
  points: number
}

/** `now`, and the time after which a recorded version makes recording this one unnecessary. */
export function versionTime(clock: Clock): { now: Date; since: Date } {
  const now = clock.now()
  return { now: new Date(now), since: new Date(now - VERSION_TIME_INTERVAL) }
}

/** Records the times of new versions; call it late in their transaction. */
export async function recordVersions(trx: Kysely<DB>, spaceIds: readonly number[], clock: Clock): Promise<void> {
  const { now, since } = versionTime(clock)
  await recordVersionTimes(trx, spaceIds, now, since)
}
