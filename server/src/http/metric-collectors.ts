import { setTimeout as sleep } from 'node:timers/promises'
import type { MonotonicClock, SystemClock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import type { Replicas } from '../database/replicas.ts'
import { METRICS_QUERY_TIMEOUT } from '../lifetimes.ts'
import { type Backlog, readBacklog } from './backlog.queries.ts'
import type { CollectedMetric, Metrics, Readings } from './metrics.ts'
import type { UnsentResponses } from './unsent-responses.ts'

/** Milliseconds for which a query result is used, so that one query serves all metrics of a response. */
const FRESH = 500

/** The databases of a process. With WORKERS=1 it has both; otherwise workers have `requests`, the first process `background`. */
type Databases = Partial<Record<'requests' | 'background', Pick<Database, 'pool'> | undefined>>

/** Registers the connections in the pools of a process. */
export function watchConnections({ watch }: Metrics, databases: Databases): void {
  const pools = Object.entries(databases).flatMap(([name, database]) => (database ? [{ name, ...database }] : []))
  watch({
    name: 'questboard_database_connections',
    help: 'Connections for writes and commands, by pool and state.',
    label: ['pool', 'state'],
    read: () =>
      pools.flatMap(({ name, pool: { totalCount, idleCount } }) => [
        { labels: { pool: name, state: 'in_use' }, value: totalCount - idleCount },
        { labels: { pool: name, state: 'idle' }, value: idleCount },
      ]),
  })
  watch({
    name: 'questboard_database_waiting',
    help: 'Operations that wait for a connection of the pool.',
    label: 'pool',
    read: () => Object.fromEntries(pools.map(({ name, pool }) => [name, pool.waitingCount])),
  })
}

/** Registers the responses that clients have not read. */
export function watchUnsentResponses({ watch }: Metrics, unsent: UnsentResponses): void {
  watch({
    name: 'questboard_answers_unsent_bytes',
    help: 'Bytes of responses that clients have not read yet.',
    read: () => unsent.bytes,
  })
  watch({
    name: 'questboard_answers_given_up_total',
    help: 'Responses that clients did not read in time, or that were too large to keep: their connections were closed.',
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
    help: '1 if queries read from the replica, otherwise 0.',
    label: 'replica',
    together: 'min',
    read: byReplica(({ inUse }) => (inUse ? 1 : 0)),
  })
  watch({
    name: 'questboard_replica_behind_bytes',
    help: 'Replication lag in bytes at the last comparison.',
    label: 'replica',
    together: 'max',
    read: byReplica(({ behind }) => behind),
  })
  const total = (name: string, help: string, read: CollectedMetric['read']) =>
    watch({ name, help, read, label: 'replica', total: true })
  total(
    'questboard_replica_reads_total',
    'Reads from the replica.',
    byReplica(({ answered }) => answered),
  )
  total(
    'questboard_replica_turned_away_total',
    'Reads that went to the primary because the replica failed or lagged.',
    byReplica(({ turnedAway }) => turnedAway),
  )
}

/** The nodes of a cluster that execute reads of their own rows. */
export interface OwningNodes {
  states(): readonly {
    name: string
    inUse: boolean
    answered: number
    turnedAway: number
    refused: number
    committed: number
  }[]
}

/** Registers the use of the nodes of a cluster by a process that serves queries. */
export function watchNodes({ watch }: Metrics, nodes: OwningNodes): void {
  const byNode = (pick: (state: ReturnType<OwningNodes['states']>[number]) => number) => () =>
    Object.fromEntries(nodes.states().map((state) => [state.name, pick(state)]))
  const metric = (name: string, help: string, read: CollectedMetric['read'], more: Partial<CollectedMetric>) =>
    watch({ name, help, read, label: 'node', ...more })
  metric(
    'questboard_node_in_use',
    '1 if the node of the cluster executes reads of its rows, otherwise 0.',
    byNode(({ inUse }) => (inUse ? 1 : 0)),
    { together: 'min' },
  )
  metric(
    'questboard_node_reads_total',
    'Reads that the node executed without the coordinator.',
    byNode(({ answered }) => answered),
    { total: true },
  )
  metric(
    'questboard_node_turned_away_total',
    'Reads that failed at the node, or whose rows had moved. The coordinator executed them, or they were refused.',
    byNode(({ turnedAway }) => turnedAway),
    { total: true },
  )
  metric(
    'questboard_node_refused_total',
    'Reads that were refused because neither the service nor the coordinator got a response from the node.',
    byNode(({ refused }) => refused),
    { total: true },
  )
  metric(
    'questboard_node_transactions_total',
    'Transactions of awards that the node coordinated.',
    byNode(({ committed }) => committed),
    { total: true },
  )
}

/** Registers metrics that are the same in each process: whether the database responds, and the pending work. */
export function watchInstallation(
  metrics: Metrics,
  { database: { pool }, clock }: { database: Pick<Database, 'pool'>; clock: SystemClock },
): void {
  const gauge = (name: string, help: string, read: CollectedMetric['read'], label?: string) =>
    metrics.watch({ name, help, read, ...(label !== undefined && { label }) })
  const backlog = cached(clock, () => readBacklog(pool, new Date(clock.now())))
  const waiting = (name: string, help: string, pick: (found: Backlog) => Readings, label?: string) =>
    gauge(name, help, async () => (await backlog()) && pick((await backlog()) as Backlog), label)
  gauge('questboard_database_up', '1 if the database responded within two seconds, otherwise 0.', async () =>
    (await backlog()) ? 1 : 0,
  )
  waiting(
    'questboard_webhook_messages_due',
    'Webhook messages that are due (100,000 at most), for all instances.',
    ({ webhooksDue }) => webhooksDue,
  )
  waiting(
    'questboard_webhook_late_seconds',
    'Delay of the oldest due webhook message.',
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
  waiting('questboard_sync_late_seconds', 'Delay of the oldest due synchronization.', (b) => b.sourcesLate)
  waiting(
    'questboard_ranking_late_seconds',
    'Age of the oldest ranking that has new samples.',
    ({ rankingLate }) => rankingLate,
  )
  waiting(
    'questboard_quest_transitions_late_seconds',
    'Delay of the oldest due transition of a quest.',
    ({ questsLate }) => questsLate,
  )
}

/** Caches a query for half a second. Returns undefined after METRICS_QUERY_TIMEOUT or a failure. */
function cached<T>(clock: MonotonicClock, query: () => Promise<T>): () => Promise<T | undefined> {
  let last: Promise<T | undefined> | undefined
  let until = 0
  let running = false
  return () => {
    const now = clock.monotonic()
    if (!last || (now >= until && !running)) {
      until = now + FRESH
      running = true
      const result = query()
        .catch(() => undefined) // the metric is then missing
        .finally(() => (running = false))
      last = Promise.race([result, sleep(METRICS_QUERY_TIMEOUT, undefined, { ref: false })])
    }
    return last
  }
}

/** Registers the number of worker processes. */
export function watchWorkers({ watch }: Metrics, read: () => { serving: number; starting: number }): void {
  watch({
    name: 'questboard_workers',
    help: 'Workers of this instance, by state.',
    label: 'state',
    read,
  })
}
