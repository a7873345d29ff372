import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import type { Replicas } from '../database/replicas.ts'
import { LONGEST_LOOK } from '../lifetimes.ts'
import { type Backlog, readBacklog } from './backlog.queries.ts'
import type { Figure, Metrics, Readings } from './metrics.ts'
import type { UnsentAnswers } from './unsent-answers.ts'

/** One look serves all figures of an answer. */
const FRESH = 500

/** Registers what an operator looks at in each process: the connections of its pool. */
export function watchConnections({ watch }: Metrics, { pool }: Pick<Database, 'pool'>): void {
  watch({
    name: 'questboard_database_connections',
    help: 'Connections of the pool for writes and commands, by state.',
    label: 'state',
    read: () => ({ in_use: pool.totalCount - pool.idleCount, idle: pool.idleCount }),
  })
  watch({
    name: 'questboard_database_waiting',
    help: 'Pieces of work that wait for a connection of the pool.',
    read: () => pool.waitingCount,
  })
}

/** Registers what waits for its readers. */
export function watchAnswers({ watch }: Metrics, unsent: UnsentAnswers): void {
  watch({
    name: 'questboard_answers_unsent_bytes',
    help: 'Bytes of answers that wait until their readers take them.',
    read: () => unsent.bytes,
  })
  watch({
    name: 'questboard_answers_given_up_total',
    help: 'Answers that were not taken in time, or that were too much to keep: their connections were closed.',
    total: true,
    read: () => unsent.givenUp,
  })
}

/** Registers the use of the replicas by a process that serves queries. */
export function watchReplicas({ watch }: Metrics, replicas: Replicas): void {
  const byReplica = (pick: (state: ReturnType<Replicas['states']>[number]) => number) => () =>
    Object.fromEntries(replicas.states().map((state) => [state.name, pick(state)]))
  watch({
    name: 'questboard_replica_in_use',
    help: '1 when queries read from the replica, 0 when it is left out.',
    label: 'replica',
    together: 'min',
    read: byReplica(({ inUse }) => (inUse ? 1 : 0)),
  })
  watch({
    name: 'questboard_replica_behind_bytes',
    help: "Bytes of the primary's log that the replica had not applied when a request last compared.",
    label: 'replica',
    together: 'max',
    read: byReplica(({ behind }) => behind),
  })
  const total = (name: string, help: string, read: Figure['read']) =>
    watch({ name, help, read, label: 'replica', total: true })
  total(
    'questboard_replica_reads_total',
    'Reads that the replica answered.',
    byReplica(({ answered }) => answered),
  )
  total(
    'questboard_replica_turned_away_total',
    'Reads that went to the primary, because the replica did not answer or did not keep up.',
    byReplica(({ turnedAway }) => turnedAway),
  )
}

/** Registers what is the same whichever process is asked: whether the database answers, and what waits to be done. */
export function watchInstallation(
  metrics: Metrics,
  { database: { pool }, clock }: { database: Pick<Database, 'pool'>; clock: Clock },
): void {
  const gauge = (name: string, help: string, read: Figure['read'], label?: string) =>
    metrics.watch({ name, help, read, ...(label !== undefined && { label }) })
  const look = remembered(() => readBacklog(pool, new Date(clock.now())))
  const waiting = (name: string, help: string, pick: (backlog: Backlog) => Readings, label?: string) =>
    gauge(name, help, async () => (await look()) && pick((await look()) as Backlog), label)
  gauge('questboard_database_up', '1 when the database answered just now.', async () => ((await look()) ? 1 : 0))
  waiting(
    'questboard_webhook_messages_due',
    'Webhook messages that are due (100,000 at most), for all instances.',
    ({ webhooksDue }) => webhooksDue,
  )
  waiting(
    'questboard_webhook_late_seconds',
    'How long the oldest webhook message that is due has been so.',
    ({ webhooksLate }) => webhooksLate,
  )
  waiting(
    'questboard_webhook_endpoints_failing',
    'Webhooks whose last delivery failed.',
    ({ webhooksFailing }) => webhooksFailing,
  )
  waiting(
    'questboard_sync_sources',
    'Sources of holder lists, by the state of their last run.',
    ({ sources }) => ({ failed: 0, held: 0, ...sources }),
    'state',
  )
  waiting('questboard_sync_late_seconds', 'How long the oldest due synchronization has been so.', (b) => b.sourcesLate)
  waiting(
    'questboard_ranking_late_seconds',
    'How long the starboard that has waited longest with new samples was last ranked ago.',
    ({ rankingLate }) => rankingLate,
  )
  waiting(
    'questboard_quest_transitions_late_seconds',
    'How long the oldest transition of a quest has been due.',
    ({ questsLate }) => questsLate,
  )
}

/** Looks once at a time, at most twice a second, and waits no longer than LONGEST_LOOK; undefined when nothing came of it. */
function remembered<T>(look: () => Promise<T>): () => Promise<T | undefined> {
  let last: Promise<T | undefined> | undefined
  let until = 0
  let looking = false
  return () => {
    const now = performance.now()
    if (!last || (now >= until && !looking)) {
      until = now + FRESH
      looking = true
      const looked = look()
        .catch(() => undefined) // the figure is then missing
        .finally(() => (looking = false))
      last = Promise.race([looked, sleep(LONGEST_LOOK, undefined, { ref: false })])
    }
    return last
  }
}

/** Registers how many processes of this instance answer requests. */
export function watchWorkers({ watch }: Metrics, read: () => { serving: number; starting: number }): void {
  watch({
    name: 'questboard_workers',
    help: 'Processes of this instance that answer requests, and those that are to do so and are being started.',
    label: 'state',
    read,
  })
}
