import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import { LONGEST_READING } from '../lifetimes.ts'
import type { ProcessMetrics, RenderedMetrics } from './messages.ts'

/** A process of this instance, which can be asked for its metrics. */
export interface MetricsSource {
  readMetrics(): Promise<ProcessMetrics>
}

export interface AllMetrics {
  /** The text of `/metrics` for all processes together; concurrent callers share one result. */
  render: () => Promise<RenderedMetrics>
  /** Keeps what a process that has ended had counted when it was last asked, so that no total goes backwards. */
  hasEnded: (source: MetricsSource) => void
}

/**
 * Adds up the service's metrics over the processes, each in the way that the metric requires. Node's metrics are listed
 * for each process, with the label `worker`.
 * @param sources the processes that there are now
 */
export function aggregateMetrics(sources: () => readonly MetricsSource[]): AllMetrics {
  const latest = new Map<MetricsSource, ProcessMetrics>()
  /** The totals of those that have ended. */
  let gone: ProcessMetrics[] = []
  let underWay: Promise<RenderedMetrics> | undefined

  async function read(source: MetricsSource): Promise<ProcessMetrics> {
    const answered = source.readMetrics().then(
      (metrics) => {
        if (sources().includes(source)) latest.set(source, metrics)
        return metrics
      },
      () => undefined, // it has gone, or could not read them
    )
    const metrics = await Promise.race([answered, sleep(LONGEST_READING, undefined, { ref: false })])
    return metrics ?? totalsOf(latest.get(source) ?? [])
  }

  async function render(): Promise<RenderedMetrics> {
    const all = await Promise.all(sources().map(async (source) => ({ source, metrics: await read(source) })))
    // Nothing is awaited from here on: each process is either there or among those gone, and not both.
    const there = sources()
    const ofThoseThere = all.filter(({ source }) => there.includes(source)).map(({ metrics }) => metrics)
    if (gone.length > 1) gone = [addUp(gone).getMetricsAsArray() as unknown as ProcessMetrics]
    const sum = addUp([...gone, ...ofThoseThere])
    return { type: sum.contentType, body: await sum.metrics() }
  }

  return {
    render: () => (underWay ??= render().finally(() => (underWay = undefined))),
    hasEnded(source) {
      const totals = totalsOf(latest.get(source) ?? [])
      latest.delete(source)
      if (totals.length > 0) gone.push(totals)
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
