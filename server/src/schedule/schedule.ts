import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, MINUTE, SECOND } from '../clock.ts'
import { watchClocks } from '../database/agreed-time.ts'
import type { Database } from '../database/connection.ts'
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

export interface Schedule {
  /** Starts nothing new and waits for what is running. */
  stop(): Promise<void>
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
const PAUSE_AFTER_FAILURE = 2 * SECOND

/**
 * Keeps the boards moving while the service runs: due quest transitions, rankings of starboards, the history of ranks,
 * removal of what no cursor can reach. Any number of instances may run it; each piece of work is done by one of them. A failure is
 * logged and tried again. While the clock of the process is not the database's, nothing is done.
 */
export function startSchedule(deps: ScheduleDependencies): Schedule {
  const stopping = new AbortController()
  const { signal } = stopping
  const agreedNow = watchClocks(deps)
  const loops = [
    repeat('quest transitions', () => moveQuests(deps)),
    repeat('starboard rankings', (now) => rankStarboards(deps, now, agreedNow, signal)),
    repeat('sweep', () => sweep(deps, agreedNow, signal)),
    repeat('rank history', (now) => writeRankHistory(deps, now, signal)),
  ]

  /** Runs `work` over and over with the time that it goes by; it answers how many milliseconds to wait until the next time. */
  async function repeat(task: string, work: (now: number) => Promise<number>): Promise<void> {
    const run = async () => {
      const now = await agreedNow()
      return now === undefined ? PAUSE_AFTER_FAILURE : work(now)
    }
    while (!signal.aborted) {
      const wait = await run().catch((error: unknown) => {
        if (signal.aborted) return 0
        deps.log.error({ err: error, task }, 'a scheduled task failed and will be tried again')
        return PAUSE_AFTER_FAILURE
      })
      await sleep(wait, undefined, { signal }).catch(() => {}) // only an abort ends it early
    }
  }

  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

async function moveQuests(deps: ScheduleDependencies): Promise<number> {
  for (const { questId, from, to, reason, at } of await applyDueTransitions(deps))
    deps.log.info({ questId, from, to, reason, at: new Date(at).toISOString() }, 'a quest changed its status')
  const next = await nextDueTransition(deps.database)
  if (next === undefined) return POLL
  const remaining = next - deps.clock.now()
  return remaining > 0 ? Math.min(POLL, remaining) : HELD
}

async function rankStarboards(
  deps: ScheduleDependencies,
  now: number,
  agreedNow: () => Promise<number | undefined>,
  signal: AbortSignal,
): Promise<number> {
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

async function writeRankHistory({ database }: ScheduleDependencies, now: number, signal: AbortSignal): Promise<number> {
  if (await claimTask(database.kysely, 'write rank history', new Date(now), RANK_DAY_POLL))
    await interruptible(database.kysely, signal, (own) => writeRankDays(own, now, signal))
  return SWEEP_POLL
}

async function sweep(
  deps: ScheduleDependencies,
  agreedNow: () => Promise<number | undefined>,
  signal: AbortSignal,
): Promise<number> {
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
