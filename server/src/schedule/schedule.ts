import { type Clock, MINUTE, SECOND } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import type { Job, JobCall } from '../jobs/jobs.ts'
import type { Logger } from '../logging/log.ts'
import { applyDueTransitions, nextDueTransition } from '../ranking/quest-transitions.ts'
import { writeRankDays } from '../ranking/rank-days.ts'
import { dueStarboards } from '../ranking/starboard-changes.queries.ts'
import { refreshUnlessBusy } from '../ranking/starboard-refresh.ts'
import { interruptible } from './interruptible.queries.ts'
import { claimTask } from './schedule.queries.ts'
import { type Retention, sweepsFor } from './sweeps.ts'

export interface ScheduleDependencies extends Retention {
  database: Pick<Database, 'kysely'>
  clock: Clock
  log: Logger
  /** How often a starboard is looked at when no new samples arrive, in milliseconds. */
  starboardRefreshInterval: number
}

/** What other instances and imports change is noticed within this time. */
const POLL = SECOND
/** Samples that arrive one after the other are ranked together: a starboard rests this long between two rankings. */
const STARBOARD_REST = 5 * SECOND
/** A transition that is due but held by another transaction is asked for again after this. */
const HELD = SECOND / 10
const SWEEP_POLL = 10 * SECOND
/** A new day's ranks are written down within this time. */
const RANK_DAY_POLL = 10 * MINUTE

/** Quest transitions, rankings of starboards, the history of ranks, and the deletion of expired rows. */
export function scheduleJobs(deps: ScheduleDependencies): Job[] {
  return [
    { name: 'quest transitions', run: () => moveQuests(deps) },
    { name: 'starboard rankings', run: (call) => rankStarboards(deps, call) },
    { name: 'sweep', run: (call) => sweep(deps, call) },
    { name: 'rank history', run: (call) => writeRankHistory(deps, call) },
  ]
}

async function moveQuests(deps: ScheduleDependencies): Promise<number> {
  for (const { questId, from, to, reason, at } of await applyDueTransitions(deps))
    deps.log.info({ questId, from, to, reason, at: new Date(at).toISOString() }, 'a quest changed its status')
  const next = await nextDueTransition(deps.database)
  if (next === undefined) return POLL
  const remaining = next - deps.clock.now()
  return remaining > 0 ? Math.min(POLL, remaining) : HELD
}

async function rankStarboards(deps: ScheduleDependencies, { now, agreedNow, signal }: JobCall): Promise<number> {
  const { database, log, starboardRefreshInterval } = deps
  const due = await dueStarboards(database.kysely, new Date(now), STARBOARD_REST, starboardRefreshInterval)
  for (const starboardId of due) {
    // What was measured while others were ranked counts, too.
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

async function sweep(deps: ScheduleDependencies, { agreedNow, signal }: JobCall): Promise<number> {
  const { database, log } = deps
  for (const { task, period, run } of sweepsFor(deps)) {
    const now = await agreedNow()
    if (signal.aborted || now === undefined) break
    if (!(await claimTask(database.kysely, task, new Date(now), period))) continue
    const removed = await interruptible(database.kysely, signal, (own) => run(own, now))
    if (removed === undefined) log.info({ task }, 'what a sweep looks at is locked; it comes again')
    else if (removed > 0) log.debug({ task, removed }, 'what no cursor can reach was removed')
  }
  return SWEEP_POLL
}
