import type { Kysely } from 'kysely'
import { type Clock, SECOND } from '../clock.ts'
import { LOCK_NOT_AVAILABLE } from '../database/sql-states.ts'
import type { DB } from '../database/tables.ts'
import type { Logger } from '../logging/log.ts'
import { recordVersions } from './boards.ts'
import { applyChanges, lockSpaces, standingsAsChanges } from './boards.queries.ts'
import {
  dueChanges,
  forgetChanges,
  limitLockWait,
  notedAddresses,
  type NotedChange,
  setBarrier,
  staleStandings,
  storeOwnProfiles,
} from './profile-changes.queries.ts'

/** A board that is busy for longer (a large import) shows the change when the schedule comes by. */
const LOCK_WAIT = SECOND
const SHORT_LOCK_WAIT = SECOND / 20
const BATCH = 100

/**
 * Makes every board show what the owners of these addresses show now: their public profile, else what was imported,
 * else the short id. Each space that changes gets one new version, so that a traversal loses no row.
 * @param lockWait milliseconds to wait for a busy board
 * @returns how many profiles changed
 */
export async function showOwnProfiles(
  kysely: Kysely<DB>,
  clock: Clock,
  addresses: readonly string[],
  lockWait: number,
): Promise<number> {
  if (addresses.length === 0) return 0
  return kysely.transaction().execute(async (trx) => {
    await limitLockWait(trx, lockWait)
    const changed = await storeOwnProfiles(trx, addresses)
    const spaces = [...new Set((await staleStandings(trx, addresses)).map((standing) => standing.space_id))]
    if (spaces.length === 0) return changed
    await lockSpaces(trx, spaces)
    // Read again: what was given meanwhile must not be lost.
    const stale = await staleStandings(trx, addresses, spaces)
    if (stale.length === 0) return changed
    await applyChanges(trx, standingsAsChanges(stale))
    await recordVersions(trx, [...new Set(stale.map((standing) => standing.space_id))], clock)
    return changed
  })
}

/** As showOwnProfiles, at once if no board is busy; never fails, because the change is noted and the schedule does it then. */
export async function tryToShowProfiles(
  { database, clock, log }: { database: { kysely: Kysely<DB> }; clock: Clock; log: Logger },
  addresses: readonly string[],
): Promise<void> {
  try {
    await showOwnProfiles(database.kysely, clock, addresses, LOCK_WAIT)
  } catch (error) {
    log.warn({ err: error }, 'a profile does not stand on every board yet; the schedule goes on with it')
  }
}

/**
 * After members joined boards, once that is committed: whose name changed meanwhile may stand there under the old one.
 * Such a change is noted before it is made; one that is made at this moment holds the profile, and is waited for. One
 * that is noted later finds the members itself. What a busy board holds up is left to the schedule.
 */
export async function showChangedMeanwhile(
  kysely: Kysely<DB>,
  clock: Clock,
  joined: readonly string[] | 'all',
): Promise<void> {
  if (joined.length === 0) return
  const noted = await notedAddresses(kysely, joined, BATCH)
  await showOwnProfiles(kysely, clock, noted, LOCK_WAIT).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
  })
}

/**
 * Goes over the changes that were noted. An award or import that read a name before the change, and puts a member on a
 * board for the first time after it, leaves the old name there; showChangedMeanwhile mends that at once, unless its
 * process dies. So a change is looked at again once every transaction
 * has ended that ran when the change was made, and forgotten then. Several instances may do so at once; what a busy board
 * holds up waits for the next time, and holds up nothing else.
 * @returns how many changes are done with
 */
export async function settleProfileChanges(kysely: Kysely<DB>, now: number): Promise<number> {
  const due = await dueChanges(kysely, BATCH)
  const clock = { now: () => now }
  const settled = await settle(kysely, clock, due, LOCK_WAIT)
  if (settled !== undefined) return settled
  let alone = 0
  for (const change of due) alone += (await settle(kysely, clock, [change], SHORT_LOCK_WAIT)) ?? 0
  return alone
}

/** @returns how many changes are done with; undefined when a board was busy */
async function settle(
  kysely: Kysely<DB>,
  clock: Clock,
  due: readonly NotedChange[],
  lockWait: number,
): Promise<number | undefined> {
  if (due.length === 0) return 0
  const addresses = due.map((change) => change.address)
  let changed: number
  try {
    changed = await showOwnProfiles(kysely, clock, addresses, lockWait)
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return undefined
    throw error
  }
  const passed = changed > 0 ? [] : due.filter((change) => change.barrier !== null)
  const waiting = changed > 0 ? due : due.filter((change) => change.barrier === null)
  await forgetChanges(kysely, passed)
  await setBarrier(
    kysely,
    waiting.map((change) => change.address),
  )
  return passed.length
}
