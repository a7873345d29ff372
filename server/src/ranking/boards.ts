import type { Kysely } from 'kysely'
import { type Clock, SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { recordVersionTimes } from './boards.queries.ts'

/** Points are 32 bits wide (contract 2). */
export const LEAST_POINTS = -2_147_483_648
export const MOST_POINTS = 2_147_483_647

/** How often the time of a space's version is noted, at most. */
const VERSION_TIME_INTERVAL = 5 * SECOND

/** Points given to (or, when negative, taken from) a member, overall and in a sprint when one is named. */
export interface Award {
  spaceId: number
  sprintId?: number | undefined
  /** In canonical form (addresses.ts). */
  address: string
  points: number
}

/** The time of a new version, and that after which an earlier one was noted so lately that this one need not be. */
export function versionTime(clock: Clock): { now: Date; since: Date } {
  const now = clock.now()
  return { now: new Date(now), since: new Date(now - VERSION_TIME_INTERVAL) }
}

/** Notes the times of new versions, late in the transaction that makes them. */
export async function recordVersions(trx: Kysely<DB>, spaceIds: readonly number[], clock: Clock): Promise<void> {
  const { now, since } = versionTime(clock)
  await recordVersionTimes(trx, spaceIds, now, since)
}
