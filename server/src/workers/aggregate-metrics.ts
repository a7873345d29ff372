import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import { WORKER_METRICS_TIMEOUT } from '../lifetimes.ts'
import type { ProcessMetrics, RenderedMetrics } from './messages.ts'

/** A process of this instance that returns its metrics on request. */
export interface MetricsSource {
  readMetrics(): Promise<ProcessMetrics>
}

export interface AllMetrics {
  /** The text of `/metrics` for all processes together; concurrent callers share one result. */
  render: () => Promise<RenderedMetrics>
  /** Keeps the last totals of an ended process, so that no total decreases. */
  hasEnded: (source: MetricsSource) => void
}

/**
 * Aggregates the metrics of all processes, as each metric requires. Node's metrics are listed
 * for each process, with the label `worker`.
 * @param sources returns the running processes
 */
export function aggregateMetrics(sources: () => readonly MetricsSource[]): AllMetrics {
  const latest = new Map<MetricsSource, ProcessMetrics>()
  /** The totals of ended processes. */
  let ended: ProcessMetrics[] = []
  let rendering: Promise<RenderedMetrics> | undefined

  async function read(source: MetricsSource): Promise<ProcessMetrics> {
    const answered = source.readMetrics().then(
      (metrics) => {
        if (sources().includes(source)) latest.set(source, metrics)
        return metrics
      },
      () => undefined, // the process has ended or failed to read its metrics
    )
    const metrics = await Promise.race([answered, sleep(WORKER_METRICS_TIMEOUT, undefined, { ref: false })])
    return metrics ?? totalsOf(latest.get(source) ?? [])
  }

  async function render(): Promise<RenderedMetrics> {
    const all = await Promise.all(sources().map(async (source) => ({ source, metrics: await read(source) })))
    // No await from here on, so that each process counts either as running or as ended.
    const present = sources()
    const current = all.filter(({ source }) => present.includes(source)).map(({ metrics }) => metrics)
    if (ended.length > 1) ended = [addUp(ended).getMetricsAsArray() as unknown as ProcessMetrics]
    const sum = addUp([...ended, ...current])
    return { type: sum.contentType, body: await sum.metrics() }
  }

  return {
    render: () => (rendering ??= render().finally(() => (rendering = undefined))),
    hasEnded(source) {
      const totals = totalsOf(latest.get(source) ?? [])
      latest.delete(source)
      if (totals.length > 0) ended.push(totals)
    },
  }
}

function addUp(processes: readonly ProcessMetrics[]) {
  return AggregatorRegistry.aggregate(
    processes.map((metrics) =>
      // Node's metrics differ by their label, so they are not added up.
      metrics.map((metric) => (isOwn(metric) ? metric : { ...metric, aggregator: 'first' })),
    ),
  )
}

const totalsOf = (metrics: ProcessMetrics): ProcessMetrics =>
  metrics.filter((metric) => isOwn(metric) && ['counter', 'histogram'].includes(String(metric.type)))

const isOwn = ({ name }: { name: string }) => name.startsWith('questboard_')
