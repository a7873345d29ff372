import type { Kysely } from 'kysely'
import { type Clock, SECOND } from '../clock.ts'
import { limitLockWait } from '../database/lock-timeout.ts'
import { LOCK_NOT_AVAILABLE } from '../database/sql-states.ts'
import type { DB } from '../database/tables.ts'
import type { Logger } from '../logging/log.ts'
import { moveBannedMembers } from './banned-members.ts'
import { misplacedMembers } from './banned-members.queries.ts'
import { recordVersions } from './boards.ts'
import { applyChanges, lockSpaces, outdatedAsChanges } from './boards.queries.ts'
import {
  dueChanges,
  deleteChanges,
  notedAddresses,
  type NotedChange,
  setBarrier,
  outdatedEntries,
  storeOwnProfiles,
  takeTransactionId,
} from './profile-changes.queries.ts'

/** If a board is busy for longer (a large import), the periodic task updates it later. */
const LOCK_WAIT = SECOND
const SHORT_LOCK_WAIT = SECOND / 20
const BATCH = 100

/**
 * Updates the names of the given addresses on all boards: the public profile, else the imported name, else the short id.
 * Removes banned members from the boards, and adds members whose ban has ended. Each changed space gets new versions, so
 * that paging loses no row.
 * @param lockWait milliseconds to wait for a busy board
 * @returns the number of changed profiles and moved members
 */
export async function updateOwnProfiles(
  kysely: Kysely<DB>,
  clock: Clock,
  addresses: readonly string[],
  lockWait: number,
): Promise<number> {
  if (addresses.length === 0) return 0
  return kysely.transaction().execute(async (trx) => {
    await limitLockWait(trx, lockWait)
    await takeTransactionId(trx)
    const changed = await storeOwnProfiles(trx, addresses)
    const spaces = new Set((await outdatedEntries(trx, addresses)).map((standing) => standing.space_id))
    for (const { spaceId } of await misplacedMembers(trx, addresses)) spaces.add(spaceId)
    if (spaces.size === 0) return changed
    await lockSpaces(trx, [...spaces])
    // Read again under the lock, to include concurrent awards.
    const moved = await moveBannedMembers(trx, clock, addresses, [...spaces])
    const stale = await outdatedEntries(trx, addresses, [...spaces])
    if (stale.length > 0) await applyChanges(trx, outdatedAsChanges(stale), () => new Date(clock.now()))
    await recordVersions(trx, [...spaces], clock)
    return changed + moved
  })
}

/**
 * Like updateOwnProfiles, but never throws. If a board is busy, the periodic task retries the recorded change.
 */
export async function tryToUpdateProfiles(
  { database, clock, log }: { database: { kysely: Kysely<DB> }; clock: Clock; log: Logger },
  addresses: readonly string[],
): Promise<void> {
  try {
    await updateOwnProfiles(database.kysely, clock, addresses, LOCK_WAIT)
  } catch (error) {
    log.warn({ err: error }, 'a profile is not on all boards yet; the periodic task retries')
  }
}

/**
 * Corrects the names of members that a committed transaction has added to boards. A name may have changed after the
 * transaction read it. Such a change is recorded before it is applied, so this function finds it. If it is being applied, this
 * function waits for the lock of the profile. Changes after the commit find the new members themselves. The periodic task
 * updates busy boards.
 */
export async function updateChangedProfiles(
  kysely: Kysely<DB>,
  clock: Clock,
  joined: readonly string[] | 'all',
): Promise<void> {
  if (joined.length === 0) return
  const noted = await notedAddresses(kysely, joined, BATCH)
  await updateOwnProfiles(kysely, clock, noted, LOCK_WAIT).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
  })
}

/** Like updateChangedProfiles, after awards. Never throws, because the periodic task retries it. */
export async function updateJoinedProfiles(
  { database, clock, log }: { database: { kysely: Kysely<DB> }; clock: Clock; log: Logger },
  joined: readonly string[],
): Promise<void> {
  await updateChangedProfiles(database.kysely, clock, joined).catch((error: unknown) =>
    log.warn({ err: error }, 'a changed name is not on all boards yet; the periodic task retries'),
  )
}

/**
 * Processes the recorded changes of names and bans. An award or import that read a name or ban before the change may add a
 * member with the old name, or a banned member, after the change. updateChangedProfiles corrects this, unless its process
 * crashes. Therefore each change is processed a second time, when all transactions have ended that ran at the time of the
 * change, and is then deleted. Several processes may run this at once; a busy board delays only its own changes.
 * @returns the number of completed changes
 */
export async function settleProfileChanges(kysely: Kysely<DB>, clock: Clock): Promise<number> {
  const due = await dueChanges(kysely, BATCH)
  const settled = await settle(kysely, clock, due, LOCK_WAIT)
  if (settled !== undefined) return settled
  let settledAlone = 0
  for (const change of due) settledAlone += (await settle(kysely, clock, [change], SHORT_LOCK_WAIT)) ?? 0
  return settledAlone
}

/** @returns the number of completed changes; undefined if a board was busy */
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
    changed = await updateOwnProfiles(kysely, clock, addresses, lockWait)
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return undefined
    throw error
  }
  const passed = changed > 0 ? [] : due.filter((change) => change.barrier !== null)
  const waiting = changed > 0 ? due : due.filter((change) => change.barrier === null)
  await deleteChanges(kysely, passed)
  await setBarrier(
    kysely,
    waiting.map((change) => change.address),
  )
  return passed.length
}
