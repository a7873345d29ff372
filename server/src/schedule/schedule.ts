import { DAY, MINUTE, SECOND, type SystemClock } from '../clock.ts'
import { endDueBans } from '../bans/bans.ts'
import type { Database } from '../database/connection.ts'
import type { Job, JobCall } from '../jobs/jobs.ts'
import type { Logger } from '../logging/log.ts'
import type { Random } from '../random.ts'
import { LOCK_NOT_AVAILABLE } from '../database/sql-states.ts'
import { countChanges } from '../ranking/board-counts.ts'
import { openMonth } from '../ranking/ledger.queries.ts'
import { enterSomeOpenings } from '../ledger/openings.ts'
import { sealEndedMonths } from '../ledger/seals.ts'
import { applyDueTransitions, nextDueTransition } from '../ranking/quests/transitions.ts'
import { updateJoinedProfiles } from '../ranking/profile-changes.ts'
import { writeRankDays } from '../ranking/rank-days.ts'
import { dueStarboards } from '../ranking/starboards/changes.queries.ts'
import { refreshUnlessBusy } from '../ranking/starboards/refresh.ts'
import { settleSpace } from '../ranking/timed-awards.ts'
import { dueSpaces } from '../ranking/timed-awards.queries.ts'
import { interruptible } from './interruptible.queries.ts'
import { claimTask } from './schedule.queries.ts'
import { type Retention, sweepsFor } from './sweeps.ts'

export interface ScheduleDependencies extends Retention {
  database: Pick<Database, 'kysely'>
  clock: SystemClock
  random: Random
  log: Logger
  /** Milliseconds between two checks of a starboard without new samples. */
  starboardRefreshInterval: number
}

/** Changes by other instances and by imports are noticed within this time. */
const POLL = SECOND
/**
 * The minimum time between two rankings of a starboard, so that samples that arrive one after the other are ranked
 * together.
 */
const STARBOARD_PAUSE = 5 * SECOND
/** If another transaction has locked a due transition, the job tries again after this time. */
const LOCKED_POLL = SECOND / 10
const SWEEP_POLL = 10 * SECOND
/** The ranks of a new day are stored within this time. */
const RANK_DAY_POLL = 10 * MINUTE
/** After the delay of seals, an ended month is sealed within this time. */
const SEAL_POLL = 10 * MINUTE
/** Partitions of the ledger are created this long before their month. */
const MONTH_AHEAD = 7 * DAY
/** The number of spaces whose awards are settled in one call. Between two calls, other instances can take over. */
const MAX_SPACES_PER_CALL = 100
/** A space that is locked for longer is settled at the next call. */
const LOCK_WAIT = SECOND / 2
/** Between two batches of opening balances, awards of the space continue. */
const OPENING_PAUSE = SECOND / 20

/**
 * Quest transitions, rankings, the history of ranks, awards with times, opening balances, ends of bans, and the deletion of
 * expired rows.
 */
export function scheduleJobs(deps: ScheduleDependencies): Job[] {
  return [
    { name: 'quest transitions', run: () => moveQuests(deps) },
    { name: 'starboard rankings', asksAllNodes: true, run: (call) => rankStarboards(deps, call) },
    { name: 'sweep', asksAllNodes: true, run: (call) => sweep(deps, call) },
    { name: 'rank history', asksAllNodes: true, run: (call) => writeRankHistory(deps, call) },
    { name: 'board counts', asksAllNodes: true, run: (call) => countBoards(deps, call) },
    { name: 'timed awards', asksAllNodes: true, run: (call) => settleTimedAwards(deps, call) },
    { name: 'ledger seals', asksAllNodes: true, run: (call) => sealLedgers(deps, call) },
    { name: 'ledger openings', asksAllNodes: true, run: (call) => openLedgers(deps, call) },
    { name: 'bans', asksAllNodes: true, run: (call) => endBans(deps, call) },
  ]
}

async function moveQuests(deps: ScheduleDependencies): Promise<number> {
  for (const { questId, from, to, reason, at } of await applyDueTransitions(deps))
    deps.log.info({ questId, from, to, reason, at: new Date(at).toISOString() }, 'a quest changed its status')
  const next = await nextDueTransition(deps.database)
  if (next === undefined) return POLL
  const remaining = next - deps.clock.now()
  return remaining > 0 ? Math.min(POLL, remaining) : LOCKED_POLL
}

async function rankStarboards(deps: ScheduleDependencies, { now, agreedNow, signal }: JobCall): Promise<number> {
  const { database, log, starboardRefreshInterval } = deps
  const due = await dueStarboards(database.kysely, new Date(now), STARBOARD_PAUSE, starboardRefreshInterval)
  for (const starboardId of due) {
    // The time is read again, to include samples that arrived while other starboards were ranked.
    const at = await agreedNow()
    if (signal.aborted || at === undefined) break
    const outcome = await refreshUnlessBusy({ database, clock: { now: () => at } }, starboardId)
    if (outcome?.published) log.info(outcome, 'a starboard was ranked')
  }
  return POLL
}

async function writeRankHistory({ database }: ScheduleDependencies, { now, signal }: JobCall): Promise<number> {
  if (await claimTask(database.kysely, 'write rank history', new Date(now), RANK_DAY_POLL))
    await interruptible(database.kysely, signal, (own) => writeRankDays(own, now, signal))
  return SWEEP_POLL
}

async function countBoards({ database }: ScheduleDependencies, { signal }: JobCall): Promise<number> {
  await interruptible(database.kysely, signal, (own) => countChanges(own))
  return POLL
}

/** Adds points of awards that have become available, and removes points that have expired. */
async function settleTimedAwards(deps: ScheduleDependencies, { agreedNow, signal }: JobCall): Promise<number> {
  const { database, clock, log } = deps
  let more = false
  const now = await agreedNow()
  if (now === undefined) return POLL
  for (const spaceId of await dueSpaces(database.kysely, new Date(now), MAX_SPACES_PER_CALL)) {
    if (signal.aborted) break
    const settled = await database.kysely
      .transaction()
      .execute((trx) => settleSpace(trx, spaceId, { clock, dueBy: new Date(now), lockWait: LOCK_WAIT }))
      .catch((error: unknown) => {
        // Another transaction, such as a large import, holds the space.
        if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return undefined
        throw error
      })
    if (!settled) continue
    more ||= settled.count > 0
    if (settled.postponed > 0)
      log.warn(
        { spaceId, awards: settled.postponed },
        'points cannot become available: the totals would exceed 32 bits',
      )
    await updateJoinedProfiles({ database, clock, log }, settled.joined)
  }
  return more ? 0 : POLL
}

async function endBans(deps: ScheduleDependencies, { now }: JobCall): Promise<number> {
  const ended = await endDueBans(deps, now)
  if (ended > 0) deps.log.info({ ended }, 'bans ended')
  return POLL
}

async function sealLedgers(deps: ScheduleDependencies, { now, signal }: JobCall): Promise<number> {
  const { database, log } = deps
  if (await claimTask(database.kysely, 'seal ledgers', new Date(now), SEAL_POLL)) {
    const sealed = await interruptible(database.kysely, signal, (own) => sealEndedMonths(own, deps, now))
    if (sealed === undefined) log.info('a ledger to seal is locked; the task retries at its next run')
  }
  return SWEEP_POLL
}

async function openLedgers({ database, clock }: ScheduleDependencies, { now, signal }: JobCall): Promise<number> {
  // Ahead of time, because the first award of a month would create the partition while other transactions wait.
  for (const time of [now, now + MONTH_AHEAD])
    await interruptible(database.kysely, signal, (own) =>
      own.transaction().execute((trx) => openMonth(trx, new Date(time))),
    )
  const more = await interruptible(database.kysely, signal, (own) => enterSomeOpenings(own, clock))
  return more === 0 ? MINUTE : OPENING_PAUSE
}

async function sweep(deps: ScheduleDependencies, { agreedNow, signal }: JobCall): Promise<number> {
  const { database, clock, log } = deps
  for (const { task, period, run } of sweepsFor(deps)) {
    const now = await agreedNow()
    if (signal.aborted || now === undefined) break
    if (!(await claimTask(database.kysely, task, new Date(now), period))) continue
    const removed = await interruptible(database.kysely, signal, (own) => run(own, now, clock))
    if (removed === undefined) log.info({ task }, 'rows to delete are locked; the task retries at its next run')
    else if (removed > 0) log.debug({ task, removed }, 'expired rows were deleted')
  }
  return SWEEP_POLL
}
